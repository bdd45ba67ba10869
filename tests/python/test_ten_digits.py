"""The experiment with all ten digits: its file, and its section of the page."""

import csv

import pytest

pytest.importorskip("matplotlib")

from redoubt.report import ten_digits, write_report
from report_run import write_run

pytestmark = pytest.mark.slow


def test_the_file_and_the_section(tmp_path, monkeypatch, capsys):
    write_run(tmp_path, pairs=(("gaussian", "l2"),))
    assert "All ten digits" not in write_report(tmp_path).read_text()
    known = ten_digits.contestants
    monkeypatch.setattr(
        ten_digits,
        "contestants",
        lambda seed: {"Ens-C": known(seed)["Ens-C"].set_params(radius=1.0, n_epochs=3)},
    )
    assert ten_digits.main([str(tmp_path), "--splits", "2", "--rows", "300"]) == 0
    path = tmp_path / "ten_digits.csv"
    assert capsys.readouterr().out == f"{path}\n"
    with path.open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["attack_radius"] for row in rows] == [f"{r:g}" for r in ten_digits.ATTACK_RADII]
    shares = [float(row["accuracy_mean"]) for row in rows]
    assert shares == sorted(shares, reverse=True) and shares[0] > 80
    page = write_report(tmp_path, figures=tmp_path / "figures")
    assert "Our own addition: all ten digits" in page.read_text()
    assert (tmp_path / "figures" / "splits-digits10-l2-accuracy.svg").exists()
    assert ten_digits.main([str(tmp_path / "none")]) == 2
    assert set(known(0)) == {"SVM-Ens", "RO-SVM", "Ens-H", "Ens-C"}

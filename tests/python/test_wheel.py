"""What the wheel carries besides Python: the program, the headers, the CMake package."""

import importlib.metadata
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import redoubt

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CONSUMER = ROOT / "tests" / "consumer"


def output_of(*arguments):
    """What the wheel's own program prints."""
    program = Path(sys.prefix, "bin", "redoubt")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def test_one_version_everywhere():
    assert output_of("--version").startswith(f"redoubt {redoubt.__version__}\n")
    assert importlib.metadata.version("redoubt") == redoubt.__version__


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_program_and_python_agree_to_the_last_bit(norm):
    X, y, feature_names, _ = redoubt.datasets.load("bcw")
    train, _ = redoubt.datasets.published_split("bcw")
    model = redoubt.RobustSVMClassifier(radius=0.2, norm=norm).fit(X[train], y[train])
    settings = ["--scale", "none", "--radius", "0.2", "--norm", norm, "--format", "json"]
    rows = json.loads(output_of("train", "bcw:train", *settings))["plane"]
    assert [row["feature"] for row in rows] == [*feature_names, "(bias)"]
    assert [row["weight"] for row in rows] == [*model.coef_[0], *model.intercept_]


def test_typing_information_is_there():
    folder = Path(redoubt.__file__).parent
    assert (folder / "py.typed").exists()
    assert "def train_robust_svm(" in (folder / "_core.pyi").read_text()


def test_a_cmake_project_can_use_the_library_in_the_wheel(tmp_path):
    cmake = shutil.which("cmake")
    entry_points = importlib.metadata.entry_points(group="cmake.prefix", name="redoubt")
    (prefix,) = (Path(point.load().__file__).parent for point in entry_points)
    configure = [cmake, "-S", CONSUMER, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}"]
    subprocess.run(configure, check=True)
    subprocess.run([cmake, "--build", tmp_path], check=True)
    subprocess.run([tmp_path / "consumer"], check=True)


def test_without_cli11_the_package_is_built_without_the_program(tmp_path):
    """Configured as pip does it; building it would take as long as the wheel itself."""
    configure = [shutil.which("cmake"), "-S", ROOT, "-B", tmp_path]
    configure += ["-DSKBUILD=2", f"-DSKBUILD_SCRIPTS_DIR={tmp_path / 'scripts'}"]
    configure += ["-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON"]
    run = subprocess.run(configure, capture_output=True, text=True, check=True)
    (line,) = [line for line in run.stdout.splitlines() if "CLI11" in line]
    assert "redoubt: building without the program" in line
    assert "CLI11" not in run.stderr
    installed = (tmp_path / "cmake_install.cmake").read_text()
    assert f"{tmp_path / 'scripts'}" in installed
    assert "python/program_missing.py" in installed


def test_without_the_program_the_command_says_how_to_get_it():
    script = ROOT / "python" / "program_missing.py"
    assert script.read_text().startswith("#!python\n")  # pip puts its own Python there
    run = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("redoubt: this package was built without the program")
    assert "libcli11-dev" in run.stderr
    assert "pip install" in run.stderr

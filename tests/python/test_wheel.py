"""What the wheel carries besides Python: the program, the headers, the CMake package."""

import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path

import redoubt

CONSUMER = Path(__file__).parents[1] / "consumer"


def test_one_version_everywhere():
    program = Path(sys.prefix, "bin", "redoubt")
    printed = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert printed.stdout == f"redoubt {redoubt.__version__}\n"
    assert importlib.metadata.version("redoubt") == redoubt.__version__


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

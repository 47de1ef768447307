"""What an installation holds: four packages, the command, and `data/` as part of `hoi_edit`; nothing else of ours."""

import configparser
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = {"kinematics", "rigid", "hoi_edit", "ui"}


def run(*arguments: str | Path) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def build_wheel(source: Path, folder: Path) -> Path:
    run("pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder, source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(REPOSITORY, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    run("hatchling", "build", "--target", "sdist", "--directory", folder)
    (archive,) = folder.glob("*.tar.gz")
    return archive


def test_only_our_packages_are_at_the_top(wheel: Path) -> None:
    top = {name.split("/")[0] for name in names_in(wheel)}
    assert {name for name in top if not name.endswith(".dist-info")} == PACKAGES


def test_every_module_is_there(wheel: Path) -> None:
    modules = {
        str(path.relative_to(REPOSITORY)) for package in PACKAGES for path in (REPOSITORY / package).rglob("*.py")
    }
    assert {f"{package}/__init__.py" for package in PACKAGES} <= modules
    assert modules <= names_in(wheel)


def test_data_is_part_of_hoi_edit(wheel: Path) -> None:
    files = [path for path in (REPOSITORY / "data").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    data = {f"hoi_edit/{path.relative_to(REPOSITORY)}" for path in files if path.suffix != ".py"}
    assert data
    assert {name for name in names_in(wheel) if name.startswith("hoi_edit/data/")} == data


def test_the_command_starts_the_program(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (entry_points,) = (name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt"))
        table = configparser.ConfigParser()
        table.read_string(archive.read(entry_points).decode())
    assert dict(table["console_scripts"]) == {"hoi-edit": "hoi_edit.cli:main"}


def test_the_source_archive_builds_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    assert names_in(build_wheel(sdist, tmp_path)) == names_in(wheel)


def test_the_source_archive_holds_what_the_tests_need(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "LICENSE", "requirements.lock", "tests/conftest.py", "scripts/create_venv.sh"} <= inside

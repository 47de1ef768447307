"""One name means one thing: no two modules, and no two classes, of the whole tree are called the same."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = ("kinematics", "rigid", "hoi_edit", "ui")
OF_EVERY_FAMILY = {"base", "__init__", "__main__"}


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((REPOSITORY / package).rglob("*.py"))


def classes(text: str) -> list[str]:
    """Of a module: those that it defines for all its functions, private ones too."""
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]


def twice(names: list[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def test_no_two_modules_have_one_name() -> None:
    assert twice([path.stem for path in sources() if path.stem not in OF_EVERY_FAMILY]) == set()


def test_no_two_classes_have_one_name() -> None:
    assert twice([name for path in sources() for name in classes(path.read_text())]) == set()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("class A:\n    class B: ...", ["A"]),
        ("@dataclass\nclass _A(NamedTuple): ...\nB = 1", ["_A"]),
    ],
)
def test_classes_of_a_module(text: str, names: list[str]) -> None:
    assert classes(text) == names
    assert twice([*names, "B", *names]) == set(names)

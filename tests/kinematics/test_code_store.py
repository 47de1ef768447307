"""Machine code is kept by its content: it is found again wherever its sources lie, and never used after they change."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import hoi_edit  # noqa: F401  (all that is compiled)
from kinematics import compiled
from kinematics.code_keys import content_of
from kinematics.code_store import forget_old_code

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = {
    "__init__": "",
    "numbers": "FACTOR = 3.0\nTABLE = (1.0, 2.0)\n",
    "records": """
        from typing import NamedTuple

        class Pair(NamedTuple):
            left: float
            right: float
    """,
    "inside": """
        from kinematics.compiled import inner
        from pieces.numbers import FACTOR

        @inner
        def scaled(x):
            '''What is inlined.'''
            return FACTOR * x
    """,
    "door": """
        from kinematics.compiled import compiled, inner
        from pieces.inside import scaled
        from pieces.numbers import TABLE

        @compiled
        def answer(pair):
            return scaled(pair.left) + _later(pair.right)

        @inner
        def _later(x):
            return TABLE[1] * x
    """,
}
# what is written instead of what, and what comes out for the pair (10, 1): 32 before
CHANGES = {
    "a constant": ("FACTOR = 3.0", "FACTOR = 4.0", 42.0),
    "a number in a tuple": ("(1.0, 2.0)", "(1.0, 5.0)", 35.0),
    "an inlined function": ("FACTOR * x", "FACTOR * x + 1.0", 33.0),
    "one that is defined later": ("TABLE[1] * x", "TABLE[0] * x", 31.0),
    "the function itself": (") + _later", ") - _later", 28.0),
    "the order of fields": ("left: float\n            right: float", "right: float\n            left: float", 23.0),
}
SAME = {
    "nothing": ("", ""),
    "a comment": ("FACTOR = 3.0", "# of old\nFACTOR = 3.0"),
    "a docstring": ("What is inlined.", "Three times as much."),
    "how a number is made": ("FACTOR = 3.0", "FACTOR = 1.0 + 2.0"),
}


def package_in(folder: Path, old: str = "", new: str = "") -> ModuleType:
    """The package as the next start of the program would import it, with one thing written otherwise."""
    (folder / "pieces").mkdir(parents=True)
    for name, text in SOURCES.items():
        if old:
            text = text.replace(old, new)
        lines = [line.removeprefix("        ") for line in text.splitlines()]
        (folder / "pieces" / f"{name}.py").write_text("\n".join(lines))
    for name in [name for name in sys.modules if name.split(".")[0] == "pieces"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    sys.path.insert(0, str(folder))
    try:
        importlib.import_module("pieces.records")
        return importlib.import_module("pieces.door")
    finally:
        sys.path.remove(str(folder))


def answered(door: ModuleType) -> tuple[float, int]:
    """What it computes of the pair (10, 1) and how often it had to be compiled for that."""
    value = door.answer(sys.modules["pieces.records"].Pair(10.0, 1.0))
    return value, sum(door.answer.fast.stats.cache_misses.values())


@pytest.fixture(autouse=True)
def own_store(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(compiled, "CODE", tmp_path / "code")
    monkeypatch.setattr(compiled, "ENTRIES", list(compiled.ENTRIES))


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_inlined_code_is_made_anew_when_it_changes(tmp_path: Path, change: str) -> None:
    old, new, value = CHANGES[change]
    assert answered(package_in(tmp_path / "before")) == (32.0, 1)
    assert answered(package_in(tmp_path / "after", old, new)) == (value, 1)


@pytest.mark.parametrize("change", SAME)
def test_the_same_content_elsewhere_is_not_compiled_again(tmp_path: Path, change: str) -> None:
    assert answered(package_in(tmp_path / "here")) == (32.0, 1)
    assert answered(package_in(tmp_path / "there", *SAME[change])) == (32.0, 0)


def test_other_kinds_of_arguments_have_code_of_their_own(tmp_path: Path) -> None:
    door = package_in(tmp_path)
    answered(door)
    assert door.answer(sys.modules["pieces.records"].Pair(10, True)) == 32.0
    assert len(list(compiled.CODE.glob("*.code"))) == 2


def test_code_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    answered(package_in(tmp_path / "here"))
    (kept,) = compiled.CODE.glob("*.code")
    kept.write_bytes(kept.read_bytes()[:100])
    assert answered(package_in(tmp_path / "there")) == (32.0, 1)


def test_where_nothing_can_be_written_it_is_compiled_all_the_same(monkeypatch: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(compiled, "CODE", tmp_path / "file")
    assert answered(package_in(tmp_path / "here")) == (32.0, 1)


def test_what_no_key_can_be_made_of_is_refused(tmp_path: Path) -> None:
    door = package_in(tmp_path, "TABLE = (1.0, 2.0)", "TABLE = [1.0, 2.0]")
    with pytest.raises(TypeError, match=r"pieces\.door\._later is compiled and reads \[1\.0, 2\.0\]"):
        door.answer.key  # noqa: B018


def test_other_arrays_and_numbers_of_another_kind_are_other_content() -> None:
    def content(value: Any) -> Any:
        def reads() -> Any:
            return value

        return content_of(reads, lambda _: None)

    values = (1, 1.0, True, None, 0.0, -0.0, (1,), ((1,),), np.array([1.0]), np.array([[1.0]]), np.array([1]), min, int)
    assert len({repr(content(value)) for value in values}) == len(values)


def test_every_process_makes_the_same_key_and_imports_all_that_is_compiled() -> None:
    script = "import json, hoi_edit; from kinematics.compiled import ENTRIES, key_of_all; "
    script += "print(json.dumps([key_of_all(), sorted({e.plain.__module__ for e in ENTRIES})]))"
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(REPOSITORY)}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    key, modules = json.loads(run.stdout)
    assert key == compiled.key_of_all()
    sources = [path for package in ("kinematics", "rigid", "hoi_edit") for path in (REPOSITORY / package).rglob("*.py")]
    written = [path for path in sources if "\n@compiled\n" in path.read_text(encoding="utf-8")]
    assert modules == sorted(".".join(path.relative_to(REPOSITORY).with_suffix("").parts) for path in written)


def test_what_was_not_used_for_longest_is_forgotten(tmp_path: Path) -> None:
    for age, name in enumerate(("new.code", "newer.ready", "old.code", "old.code.ab.unfinished", "lock")):
        (tmp_path / name).write_bytes(bytes(10))
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    forget_old_code(tmp_path, most=25)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "new.code", "newer.ready"]

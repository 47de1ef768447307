"""Functions run as Python as long as their machine code is not there, and give the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.compiling import runtime
from hoi_edit.compiling.compile_jobs import Job, begin
from kinematics import compiled


@pytest.fixture(autouse=True)
def machine_code() -> Iterator[None]:
    yield
    compiled.interpret_until(lambda: True)


def test_python_and_machine_code_tell_the_same_story() -> None:
    model = hoi.open("juggle3").model
    fast = model.simulate(model.start)
    compiled.interpret_until(lambda: False)
    assert compiled.is_interpreted()
    slow = model.simulate(model.start)
    assert [(e.kind, e.object, e.other, e.contact) for e in slow.events] == [
        (e.kind, e.object, e.other, e.contact) for e in fast.events
    ]
    np.testing.assert_allclose([e.time for e in slow.events], [e.time for e in fast.events], atol=1e-9)


def test_machine_code_takes_over_when_it_is_there() -> None:
    looks: list[bool] = [False, False, True]
    compiled.interpret_until(lambda: looks.pop(0))
    assert [compiled.is_interpreted() for _ in range(4)] == [True, True, False, False]


def test_a_function_does_not_wait_for_all_others(monkeypatch: Any, tmp_path: Path) -> None:
    """As soon as its code is there, for the kinds of arguments that it is called with."""
    monkeypatch.setattr(compiled, "CODE", tmp_path)
    monkeypatch.setattr(compiled, "ENTRIES", [])
    makes: list[Any] = [compiled.compiled(quotient) for _ in range(2)]
    compiled.interpret_until(lambda: False, look_for_each=0.0)
    other, ours = makes
    assert ours(1.0, 2.0) == 0.5 and not ours.fast.signatures
    other.fast.compile((numba.float64, numba.float64))  # as another process does
    assert ours(1.0, 2.0) == 0.5 and ours.fast.signatures == [(numba.float64, numba.float64)]
    assert ours(1, 2) == 0.5 and len(ours.fast.signatures) == 1
    assert sum(ours.fast.stats.cache_misses.values()) == 0


def quotient(a: float, b: float) -> float:
    return a / b


class Compiler:
    """A process that compiles until it is told to be done."""

    started = 0
    status: int | None = None

    def __init__(self, *_: Any, **__: Any) -> None:
        Compiler.started += 1

    def poll(self) -> int | None:
        return Compiler.status


@pytest.mark.parametrize("ends", ["well", "badly"])
def test_the_first_session_ever_does_not_wait(monkeypatch: Any, tmp_path: Path, ends: str) -> None:
    ready = tmp_path / "compiled" / "ready"
    monkeypatch.delenv("HOI_EDIT_COMPILE")
    monkeypatch.setattr(runtime, "ready", lambda: ready)
    monkeypatch.setattr(runtime, "CODE", ready.parent)
    monkeypatch.setattr(runtime, "LOOK", 0.0)
    monkeypatch.setattr("subprocess.Popen", Compiler)
    monkeypatch.setattr(runtime, "_compiler", None)
    assert runtime.compiling() is None
    Compiler.started, Compiler.status = 0, None
    for _ in range(2):
        runtime.prepare()
        assert compiled.is_interpreted()
    assert Compiler.started == 1
    begin([Job("long", 9.0, list, for_drags=True)], runtime.progress_file())
    at = runtime.compiling()
    assert at is not None and (at.done, at.of, at.drags_wait) == (0, 1, True)
    if ends == "well":
        ready.touch()
    else:
        Compiler.status = 1
        assert runtime.compiling() is None
    assert not compiled.is_interpreted()


def test_where_nothing_can_be_kept_code_is_compiled_at_once(monkeypatch: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.delenv("HOI_EDIT_COMPILE")
    monkeypatch.setattr(runtime, "ready", lambda: tmp_path / "file" / "ready")
    monkeypatch.setattr(runtime, "CODE", tmp_path / "file")
    runtime.prepare()
    assert not compiled.is_interpreted()

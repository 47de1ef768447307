"""What is left out of machine code is not missed: references are counted where arrays are made, and only there."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from kinematics import compiled
from kinematics.compiled import inner
from kinematics.rotation import Floats

ROUNDS = 50


class Pair(NamedTuple):
    table: Floats
    picked: Any


@inner
def look(pair: Pair, row: int) -> float:
    """Views alone, some of them in a tuple."""
    line = pair.table[row, 1:]
    again = Pair(pair.table, line)
    total = 0.0
    for k in range(len(again.picked)):
        total += again.picked[k]
    return total


@inner
def made(pair: Pair, row: int) -> Floats:
    """A new array, and a view of what was given, are both handed on."""
    return pair.table[row] + 1.0 if row > 0 else pair.table[0]


@inner
def chosen(pair: Pair) -> float:
    """What a mask picks out is a copy."""
    return pair.table[0][pair.picked].sum()


@inner
def moved(pair: Pair) -> None:
    """Overlapping, so a copy is made on the way."""
    pair.table[0, 1:] = pair.table[0, :-1]


def uses(pair: Pair) -> float:
    total = chosen(pair)
    for row in range(len(pair.table)):
        total += look(pair, row) + made(pair, row)[0]
    moved(pair)
    return total


def misfit(table: Floats, row: Floats) -> None:
    table[0, :] = row


@pytest.fixture
def compile_here(monkeypatch: Any, tmp_path: Path) -> Callable[[Any], Any]:
    monkeypatch.setattr(compiled, "CODE", tmp_path)
    monkeypatch.setattr(compiled, "ENTRIES", [])
    return compiled.compiled


def pair() -> Pair:
    return Pair(np.arange(12.0).reshape(3, 4), np.array([True, False, True, True]))


def test_arrays_live_as_long_as_they_are_used(compile_here: Callable[[Any], Any]) -> None:
    fast, ours, theirs = compile_here(uses), pair(), pair()
    before = sys.getrefcount(ours.table)
    for _ in range(ROUNDS):
        assert fast(ours) == pytest.approx(uses(theirs), rel=1e-15)
    np.testing.assert_array_equal(ours.table, theirs.table)
    after = sys.getrefcount(ours.table)
    assert after == before


@pytest.mark.parametrize(("function", "counts"), [(look, False), (made, True), (chosen, True), (moved, True)])
def test_only_what_makes_arrays_counts_references(
    compile_here: Callable[[Any], Any], function: Any, counts: bool
) -> None:
    compile_here(uses)(pair())
    (overload,) = function.fast.overloads.values()
    assert ("NRT_incref" in overload.library.get_llvm_str()) == counts


def test_what_does_not_fit_is_refused(compile_here: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match="cannot assign slice from input of different size"):
        compile_here(misfit)(np.zeros((2, 3)), np.zeros(4))

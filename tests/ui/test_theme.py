"""Colours are different, and stay whose they are."""

from itertools import pairwise

import pytest

from hoi_edit.scene.colours import colours_of
from ui import theme

SIX = [f"ball{k}" for k in range(1, 7)]


def test_things_of_a_scene_have_different_colours_in_the_order_of_their_numbers() -> None:
    assert list(colours_of(SIX, 6).values()) == [0, 1, 2, 3, 4, 5]
    assert colours_of(["ball"], 6) == {"ball": 0} and colours_of(["bat", "ball"], 6) == {"bat": 1, "ball": 0}
    for names in (["ball", "ball2", "box"], ["a", "b", "c", "d", "e", "f"], ["red", "ball1", "ring", "ball"]):
        assert len(set(colours_of(names, 6).values())) == len(names)
    assert len(colours_of([*SIX, "ball7", "mesh"], 6)) == 8 and colours_of([], 6) == {}


@pytest.mark.parametrize("gone", SIX)
def test_a_thing_keeps_its_colour_when_another_is_deleted(gone: str) -> None:
    before, after = colours_of(SIX, 6), colours_of([own for own in SIX if own != gone], 6)
    assert all(after[name] == before[name] for name in after)


def test_a_thing_keeps_its_colour_when_others_are_added() -> None:
    names = ["ball1", "ball2", "ball3", "ball", "box", "mesh", "club", "ring"]
    steps = [colours_of(names[:k], 6) for k in range(1, len(names) + 1)]
    for a, b in pairwise(steps):
        assert {name: b[name] for name in a} == a


def test_the_window_has_them() -> None:
    assert theme.thing_colours(["ball3", "ball1"]) == {"ball3": theme.THINGS[2], "ball1": theme.THINGS[0]}

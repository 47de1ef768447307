"""Weights of blends are listed with their intervals, and follow the edits of them."""

import pytest

import hoi_edit as hoi
from tests.clips import HUMAN, swinging_human
from ui.blending import weights_of


@pytest.fixture(scope="module")
def blended() -> hoi.EditSession:
    clips = [swinging_human(1.6, seed=k, lean=0.2 * k) for k in range(3)]
    spans, alpha = [(0.3, 0.6), (0.9, 1.3)], [[0.2, 0.1], [0.0, 0.5]]
    motion = hoi.Blend.of(clips, [[0.2, 0.8, 1.4]] * 3, intervals=spans, alpha=alpha, ramp=0.1)
    return hoi.EditSession(hoi.Scene([hoi.Character("bob", HUMAN, motion)], [], [hoi.ground()], end=1.6))


def test_each_interval_and_clip_has_a_weight(blended: hoi.EditSession) -> None:
    found = weights_of(blended.rollout)
    assert [(own.interval, own.clip, own.value) for own in found] == [
        (0, 1, 0.2),
        (0, 2, 0.1),
        (1, 1, 0.0),
        (1, 2, 0.5),
    ]
    assert (found[2].start, found[2].end) == pytest.approx((0.9, 1.3))
    assert found[0].words == "clip 2, 0.30 to 0.60 s"


def test_they_follow_an_edit(blended: hoi.EditSession) -> None:
    blended.weigh("bob", 1, 2, 0.8)
    assert weights_of(blended.rollout)[3].value == pytest.approx(0.8, abs=1e-9)
    assert weights_of(blended.rollout)[0].value == pytest.approx(0.2, abs=1e-6)  # nobody asked for it
    blended.undo()


def test_without_a_blend_there_are_none() -> None:
    own = hoi.Character.of("ann", swinging_human(1.0))
    assert weights_of(hoi.EditSession(hoi.Scene([own], [], [hoi.ground()], end=1.0)).rollout) == []

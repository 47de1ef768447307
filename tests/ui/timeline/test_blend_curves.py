"""Weights of blends are listed with their intervals, and follow the edits of them."""

from dataclasses import replace

import numpy as np
import pytest

import hoi_edit as hoi
from tests.clips import HUMAN, swinging_human
from ui.timeline.blend_curves import curves_of_weights, keyframes_of, weights_of

KEYS_1 = [0.1, 0.7, 1.5]  # of the second clip


def three_clips() -> hoi.Blend:
    clips = [swinging_human(1.6, seed=k, lean=0.2 * k) for k in range(3)]
    spans, alpha = [(0.3, 0.6), (0.9, 1.3)], [[0.2, 0.1], [0.0, 0.5]]
    return hoi.Blend.of(clips, [[0.2, 0.8, 1.4], KEYS_1, [0.2, 0.8, 1.4]], intervals=spans, alpha=alpha, ramp=0.1)


@pytest.fixture(scope="module")
def blended() -> hoi.EditSession:
    bob = hoi.Character("bob", HUMAN, three_clips())
    return hoi.EditSession(hoi.Scene([bob], [], [hoi.ground()], end=1.6))


def test_each_interval_and_clip_has_a_weight(blended: hoi.EditSession) -> None:
    found = weights_of(blended.rollout)
    assert [(own.interval, own.clip, own.value) for own in found] == [
        (0, 1, 0.2),
        (0, 2, 0.1),
        (1, 1, 0.0),
        (1, 2, 0.5),
    ]
    assert (found[2].start, found[2].end) == pytest.approx((0.9, 1.3))
    assert found[0].words == "swing1, 0.30 to 0.60 s"


def test_they_follow_an_edit(blended: hoi.EditSession) -> None:
    blended.weigh("bob", 1, 2, 0.8)
    assert weights_of(blended.rollout)[3].value == pytest.approx(0.8, abs=1e-9)
    assert weights_of(blended.rollout)[0].value == pytest.approx(0.2, abs=1e-6)  # nobody asked for it
    blended.undo()


def test_curves_are_the_weights_of_the_motion_with_its_ways_in_and_out(blended: hoi.EditSession) -> None:
    motion, curves = three_clips(), curves_of_weights(blended.rollout)
    assert [(own.clip, own.name) for own in curves] == [(1, "swing1"), (2, "swing2")]
    for t in np.linspace(0.0, 1.6, 333):
        expected = np.asarray(motion.weights(motion.parameters().alpha, t))
        assert [own.at(t) for own in curves] == pytest.approx(expected[1:], abs=5e-4)
    way_in = curves[1].at(0.825)  # a quarter of the way from nothing to 0.5: a straight line would be at 0.125
    assert 0.02 < way_in < 0.08
    assert curves[0].holding(0.25) is None and curves[0].holding(0.45).interval == 0  # type: ignore[union-attr]


def test_a_curve_knows_what_another_weight_would_make_of_it(blended: hoi.EditSession) -> None:
    curve = curves_of_weights(blended.rollout)[1]
    changed = np.array([[0.2, 0.1], [0.0, 0.9]])
    expected = three_clips().weights_over(changed, curve.times)[:, 2]
    assert curve.with_weight(curve.weights[1], 0.9) == pytest.approx(expected, abs=1e-12)


def test_keyframes_say_which_times_correspond_and_how_much_each_clip_counts(blended: hoi.EditSession) -> None:
    found = keyframes_of(blended.rollout)
    assert [(own.time, own.times[1]) for own in found] == [(0.2, 0.1), (0.8, 0.7), (1.4, 1.5)]
    assert found[0].weights == pytest.approx((1.0, 0.0, 0.0)) and sum(found[1].weights) == pytest.approx(1.0)
    assert "swing1 at 0.70 s counts 0 %" in found[1].words


def test_clips_of_older_documents_have_numbers() -> None:
    own = hoi.Character("bob", HUMAN, replace(three_clips(), names=()))
    assert [w.name for w in weights_of(hoi.EditSession(hoi.Scene([own], end=1.6)).rollout)][:2] == ["clip 2", "clip 3"]


def test_without_a_blend_there_are_none() -> None:
    own = hoi.Character.of("ann", swinging_human(1.0))
    rollout = hoi.EditSession(hoi.Scene([own], [], [hoi.ground()], end=1.0)).rollout
    assert weights_of(rollout) == [] and curves_of_weights(rollout) == [] and keyframes_of(rollout) == []

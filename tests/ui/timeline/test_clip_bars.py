"""Clips as bars: which part is under the pointer, and what a pull makes of it."""

import numpy as np
import pytest

import hoi_edit as hoi
from ui.timeline.clip_bars import ClipBar, ClipHandle, handle_at
from ui.timeline.lanes import lay_out
from ui.timeline.scales import Scale

BAR = ClipBar(2, "bob", 1, 1.0, 3.0)
SCALE = Scale(0.0, 10.0, 0.0, 1000.0)


@pytest.mark.parametrize(
    ("x", "grip"), [(103.0, "start"), (297.0, "end"), (200.0, "whole"), (80.0, None), (320.0, None)]
)
def test_ends_are_taken_before_the_whole(x: float, grip: str | None) -> None:
    handle = handle_at((BAR,), 2, SCALE, x)
    assert (None if handle is None else handle.grip) == grip and handle_at((BAR,), 1, SCALE, x) is None


@pytest.mark.parametrize(
    ("grip", "by", "stretching", "goal"),
    [
        ("whole", 0.5, False, (1.5, 3.5)),
        ("start", 0.5, False, (1.5, 3.0)),
        ("start", -0.5, False, (1.0, 3.0)),  # there is no more of it
        ("start", -0.5, True, (0.5, 3.0)),
        ("end", 0.5, True, (1.0, 3.5)),
        ("end", -5.0, False, (1.0, 1.1)),
    ],
)
def test_a_pull_shifts_trims_or_stretches(grip: str, by: float, stretching: bool, goal: tuple[float, float]) -> None:
    bar = ClipHandle(BAR, grip).dragged(by, stretching)  # type: ignore[arg-type]
    assert (bar.start, bar.end) == pytest.approx(goal)


def test_several_people_have_lanes_for_their_clips_and_hands() -> None:
    layout = lay_out(hoi.open("baseball").rollout)
    assert [(bar.character, layout.lanes[bar.lane].kind) for bar in layout.clips] == [
        ("pitcher", "clip"), ("batter", "clip"),
    ]  # fmt: skip
    batter = layout.clips[1]
    np.testing.assert_allclose((batter.start, batter.end), (1.03, 3.03))
    assert sum(lane.is_hand for lane in layout.lanes) == 4
    assert lay_out(hoi.open("juggle3").rollout).clips == ()  # alone, the scene is the clip

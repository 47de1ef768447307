"""What both hands take up and hold on for long: the second hand comes along stretch by stretch, and edits keep it."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.second_hand import SecondHand
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.reach import reach
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.session import EditSession
from kinematics.clip_tools import repeat
from rigid.distance import RoundedBox

PALMS = ("ann/right_palm", "ann/left_palm")
HALF, TOP, TAKEN, END = np.array([0.16, 0.1, 0.12]), 0.6, 0.8, 14.0


@pytest.fixture(scope="module")
def holding() -> EditSession:
    clip = performed("stand_mime")
    ann = hoi.Character.of("ann", repeat(clip, int(np.ceil(END / clip.duration)) + 1))
    table = hoi.Fixture("table", RoundedBox(np.array([0.35, 0.5 * TOP, 0.2]), 0.0), np.array([0.0, 0.5 * TOP, 0.6]))
    lies = hoi.Flying(np.array([0.0, TOP + HALF[1], 0.55]))
    box = hoi.Thing("box", hoi.box(2.0, HALF), lies, hoi.Material(0.3, 0.6))
    session = hoi.open(hoi.Scene([ann], [box], [hoi.ground(), table], end=END))
    report = session.pick_up("box", PALMS, t=TAKEN)
    assert report.converged, report
    return session


def off(session: EditSession) -> float:
    """How far the second hand is off its place, at most, at all looks of the whole hold [m]."""
    seen = session.rollout
    return max(float(rows.miss.max()) for rows in SecondHand.of(seen, "catch1").rows(seen))


def test_a_second_hand_holds_on_to_the_end_of_the_scene(holding: EditSession) -> None:
    assert holding.rollout.trajectories.chains["box"].spans[-1].end == END
    assert off(holding) < 1e-6


def test_an_edit_long_after_a_box_was_taken_up_keeps_the_second_hand_on_it(holding: EditSession) -> None:
    t = 11.5
    report = holding.drag(PALMS[0], t, holding.state(PALMS[0], t).position + [0.0, 0.05, 0.03])
    assert report.converged, report
    assert off(holding) < 1e-6
    holding.undo()


def test_rows_of_a_long_hold_do_not_grow_with_it(holding: EditSession) -> None:
    stretch = reach(holding.scene, holding.document.freedom, [11.0], around=1.5)
    assert stretch is not None
    kept = EditProblem.of(holding.model, holding.iterate, stretch=stretch)
    (hand,) = (constraint for constraint in kept.contacts if isinstance(constraint, SecondHand))
    whole = SecondHand.of(holding.rollout, "catch1")
    share = (stretch[1] - stretch[0]) / (END - TAKEN)
    assert 0 < len(hand.shares) <= share * len(whole.shares) + 1
    assert set(hand.shares) < set(whole.shares)

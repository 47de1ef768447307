"""An edit reaches some seconds to either side of what is asked for, however long the clip is."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.reach import FAR, asked_times, reach
from hoi_edit.qp import Freedom, Window
from hoi_edit.session import EditSession
from tests.clips import swinging_human

END = 40.0
PALM = "ann/left_palm"


@pytest.fixture(scope="module")
def person() -> hoi.Character:
    return hoi.Character.of("ann", swinging_human(END))


def session_of(person: hoi.Character, end: float) -> EditSession:
    start = hoi.Held("ann/right_palm", release=0.45 * end)
    return hoi.open(hoi.Scene([person], [hoi.Thing("ball", hoi.ball(0.2, 0.04), start)], [hoi.ground()], end=end))


@pytest.mark.parametrize(
    ("times", "window", "stretch"),
    [
        ([20.0], None, (20.0 - FAR, 20.0 + FAR)),
        ([3.0, 20.0], None, (0.0, 20.0 + FAR)),
        ([39.0], None, (39.0 - FAR, END)),
        ([5.0, 35.0], None, None),  # all there is
        ([], None, None),
        ([20.0], Window(0.0, 5.0), None),  # where nothing may change anyhow
        ([20.0], Window(0.0, 15.0), (20.0 - FAR, 20.0 + FAR)),
    ],
)
def test_a_reach(
    person: hoi.Character, times: list[float], window: Window | None, stretch: tuple[float, float] | None
) -> None:
    scene = hoi.Scene([person], [], [hoi.ground()], end=END)
    assert reach(scene, Freedom(window=window), times) == stretch


def test_what_is_declared_is_reached_together(person: hoi.Character) -> None:
    ball = hoi.Thing("ball", hoi.ball(0.2, 0.04), hoi.Held("ann/right_palm", release=10.0))
    catch = hoi.Contact("catch1", "ball", PALM, 11.0, "grasp", release=20.0, declared=True)
    scene = hoi.Scene([person], [ball], [hoi.ground()], [catch], end=END)
    assert reach(scene, Freedom(), [9.0]) == (1.0, 28.0)


def test_what_is_asked_for_is_where_it_is_not_so(person: hoi.Character) -> None:
    session = session_of(person, END)
    so, not_so = (
        hoi.Pin(PALM, t=t, position=session.state(PALM, t).position + by) for t, by in ((5.0, 0.0), (9.0, 0.1))
    )
    assert asked_times([so, not_so], session.rollout) == [9.0, 9.0]
    assert asked_times([so], session.rollout) == [5.0, 5.0] and asked_times([], session.rollout) == []


def test_a_pin_changes_nothing_far_away_and_holds(person: hoi.Character) -> None:
    session = session_of(person, END)
    place = session.state(PALM, 30.0).position + [0.05, 0.05, 0.0]
    far = np.array([2.0, 15.0, 30.0 - FAR - 0.5, 30.0 + FAR + 0.5])
    before = session.rollout.poses("ann", far)
    report = session.add(hoi.Pin(PALM, t=30.0, position=place))
    assert report.converged and np.linalg.norm(session.state(PALM, 30.0).position - place) < 1e-6
    assert np.array_equal(session.rollout.poses("ann", far), before)


def test_rows_do_not_grow_with_the_clip(person: hoi.Character) -> None:
    """What is kept for the sake of the same time has as many rows in a longer scene."""
    counts = []
    for end in (24.0, END):
        session = session_of(person, end)
        stretch = reach(session.scene, Freedom(), [12.0])
        kept = EditProblem.of(session.model, session.iterate, stretch=stretch, starts=True)
        free = int(np.count_nonzero(kept.metric.free))
        counts.append((sum(rows.functional.count for c in kept.contacts for rows in c.rows(session.rollout)), free))
    assert abs(counts[1][0] - counts[0][0]) <= 6 and counts[1][1] <= 1.05 * counts[0][1]

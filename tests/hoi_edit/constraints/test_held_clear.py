"""What is carried keeps clear of the ground, of tables and of people, where it can; where it cannot, that is told."""

from dataclasses import replace

import numpy as np
import pytest

from hoi_edit.constraints.held_clear import carried_through, depth_in_all
from hoi_edit.edit import sqp
from hoi_edit.edit.report import Report
from hoi_edit.session import EditSession
from hoi_edit.simulate.checks.held_inside import DEEP, held_inside
from tests.own_scenes import hands_lowest, path_of, pick_up, scene_of

ALWAYS = (-np.inf, np.inf)


@pytest.fixture(scope="module")
def session() -> EditSession:
    """A box lies before somebody, who takes it up with one hand and then waves both about."""
    return pick_up(scene_of(path_of("catch_mime")))[0]


def taken_up(session: EditSession) -> Report:
    return session.pick_up("box", "ann/right_palm", t=hands_lowest(session)[0])


def told(report: Report) -> list[str]:
    return [finding.partner for finding in report.events_changed if finding.kind == "held inside"]


@pytest.fixture
def through(session: EditSession, monkeypatch: pytest.MonkeyPatch) -> EditSession:
    """It is carried through the chest, as the clip has the hand; as it lay, the forearm went through it."""
    while session.now > 1:
        session.undo()
    with monkeypatch.context() as blind:
        blind.setattr(sqp, "carried_through", lambda *_: ())
        report = taken_up(session)
    assert report.converged and told(report) == ["ann/right_forearm", "ann/thorax"]
    return session


def test_what_is_taken_up_is_carried_past_the_chest_and_not_through_it(through: EditSession) -> None:
    lies, carried = held_inside(through.rollout)
    assert lies.deepest[1] > 5.0 * DEEP and carried.deepest[1] > 10.0 * DEEP
    through.undo()
    report = taken_up(through)
    assert report.converged and not told(report)
    assert not list(held_inside(through.rollout))


def test_rows_are_how_far_it_is_inside(through: EditSession) -> None:
    """By difference quotients of what they say is amiss."""
    seen, model = through.rollout, through.model
    way = 0.05 * np.random.default_rng(1).normal(size=model.layout.size)
    for block in model.layout.blocks:
        if not block.of_body:
            way[block.indices] = 0.0
    h = 1e-6
    runs = [model.simulate(through.u + step * way) for step in (h, -h)]
    clears = list(carried_through(seen, None, *ALWAYS, ()))
    assert [clear.other for clear in clears] == ["ann/right_forearm", "ann/thorax"]
    for clear in clears:
        sets = list(clear.rows(seen))
        assert sets and all(rows.soft for rows in sets)
        J = seen.dense(seen.linearisation.of([rows.functional for rows in sets]))
        ahead, behind = (np.concatenate([rows.lower for rows in clear.rows(run)]) for run in runs)
        np.testing.assert_allclose(J @ way, -(ahead - behind) / (2.0 * h), atol=1e-5)


def test_what_was_inside_before_may_stay_so_but_no_deeper(through: EditSession) -> None:
    seen = through.rollout
    assert not list(carried_through(seen, seen, *ALWAYS, ()))
    clears = list(carried_through(seen, None, *ALWAYS, ()))
    assert not list(carried_through(seen, None, *ALWAYS, clears))
    never = [replace(clear, times=clear.times[:0], apart=clear.apart[:0]) for clear in clears]
    assert len(list(carried_through(seen, None, *ALWAYS, never))) == len(clears)


def test_what_is_asked_for_comes_before_that(through: EditSession) -> None:
    """Into the stand that it was taken from: it goes there, and that is told."""
    t = hands_lowest(through)[0] + 0.4
    place = through.state("box", hands_lowest(through)[0]).position
    before = depth_in_all(through.rollout, *ALWAYS)
    report = through.drag("box", t, place - [0.0, 0.1, 0.0])
    assert report.converged and "stand" in told(report)
    assert depth_in_all(through.rollout, *ALWAYS) > before

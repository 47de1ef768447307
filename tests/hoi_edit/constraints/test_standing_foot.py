"""Feet that step stay where they stand in every edit, unless somebody says otherwise."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.foot_plant import standing
from hoi_edit.constraints.standing_foot import asked_of_feet, standing_feet
from hoi_edit.edit.body_violations import BETWEEN
from hoi_edit.rollout import Rollout
from kinematics.rotation import Floats

KICK, BY = 2.1, np.array([0.15, 0.25, 0.0])  # [s], [m]: the ball is in the air
STANDING = 2.9  # [s]: both feet are on the ground


def opens() -> hoi.EditSession:
    return hoi.open("soccer")


def slid(before: Rollout, after: Rollout) -> float:
    """[m] the farthest that a foot is from where it stood."""
    found = [
        np.linalg.norm(after.positions(f"{own.character}/{own.point}", own.times) - own.places, axis=1).max()
        for own in standing(before)
    ]
    return float(max(found))


def dragged(session: hoi.EditSession) -> float:
    before = session.rollout
    report = session.drag("ball", KICK, session.state("ball", KICK).position + BY)
    assert report.converged and not report.events_changed, report
    return slid(before, session.rollout)


def test_a_dragged_ball_moves_no_foot_that_stands(session: hoi.EditSession) -> None:
    assert dragged(session) < 5e-3


def test_feet_that_were_let_go_slide(session: hoi.EditSession) -> None:
    session.let_go("player")
    assert dragged(session) > 5e-2


def test_one_of_them_may_be_let_go(session: hoi.EditSession) -> None:
    session.let_go("player/left_toes")  # any part of a foot means it
    assert [own.name for own in standing_feet(session.rollout, session.document.loose)] == ["right_foot"]


def test_a_foot_that_stands_can_be_dragged_itself(session: hoi.EditSession) -> None:
    before, name = session.rollout, "player/left_foot"
    other = next(own for own in standing_feet(before) if own.name == "right_foot")
    to = session.state(name, STANDING).position + [0.04, 0.0, 0.0]
    assert session.drag(name, STANDING, to).converged
    np.testing.assert_allclose(session.state(name, STANDING).position, to, atol=1e-6)
    assert np.linalg.norm(other.off(session.rollout), axis=1).max() < BETWEEN  # at every row of the table


def test_a_pin_that_moves_a_foot_takes_its_stance_only(session: hoi.EditSession) -> None:
    place = session.state("player/left_foot", STANDING).position
    kept = hoi.Pin("player/left_foot", STANDING, position=place)
    moved = hoi.Pin("player/left_foot", STANDING, position=place + [0.02, 0.0, 0.0])
    seen = session.rollout
    assert asked_of_feet([kept], seen) == [] and asked_of_feet([moved], seen) == [("player/left_foot", STANDING)]
    times = {own.name: own.times for own in standing_feet(seen, asked=asked_of_feet([moved], seen))}
    whole = {own.name: own.times for own in standing_feet(seen)}
    assert np.abs(times["left_foot"] - STANDING).min() > 0.1 > np.abs(whole["left_foot"] - STANDING).min()
    assert 0 < len(times["left_foot"]) < len(whole["left_foot"])
    np.testing.assert_array_equal(times["right_foot"], whole["right_foot"])


def test_rows_are_the_derivative_of_what_they_hold(session: hoi.EditSession) -> None:
    """Also of points that are not where their segment begins, as the ball of a foot without toes."""
    seen, rng = session.rollout, np.random.default_rng(2)
    foot = standing_feet(seen)[0]
    foot = replace(foot, points=tuple(replace(own, local=rng.normal(0.0, 0.1, 3)) for own in foot.points))
    own = session.layout["player"].indices
    direction = np.zeros(len(session.u))
    direction[own] = rng.normal(size=len(direction[own]))

    def left(share: float) -> Floats:
        there = session.model.simulate(session.u + share * direction)
        return np.concatenate([row.upper for row in foot.rows(there)])

    rows = seen.linearisation.of([row.functional for row in foot.rows(seen)])
    slope = (left(-1e-6) - left(1e-6)) / 2e-6
    np.testing.assert_allclose(seen.dense(rows) @ direction, slope, atol=1e-7)


def test_no_rows_for_what_weight_holds_or_weights_move() -> None:
    """Feet that stand all the time are heavy; those of a blend go with its weights."""
    juggler = hoi.open("juggle3")
    gesture = juggler.begin("ball1", 5.4)
    gesture.move(gesture.start.position + [0.05, 0.05, 0.0])
    assert len(standing_feet(juggler.rollout)) == 2
    assert not [rows for rows in gesture._solver.rowsets(gesture.iterate) if rows.owner.kind == "stands"]
    assert standing_feet(hoi.open("save:start").rollout) == []


def test_it_is_written_with_the_document(session: hoi.EditSession, tmp_path: Path) -> None:
    session.let_go("player/left_foot")
    session.save(tmp_path / "loose.hoi")
    again = hoi.open(tmp_path / "loose.hoi")
    assert again.document.loose == ("player/left_foot",) and "let_go('player/left_foot')" in again.script()
    session.close()


def test_what_is_no_foot_cannot_be_let_go(session: hoi.EditSession) -> None:
    with pytest.raises(hoi.HoiError, match="left_hand"):
        session.let_go("player/left_hand")

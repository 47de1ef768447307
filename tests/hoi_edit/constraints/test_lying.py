"""Balls that lie on the ground or a table are kicked, picked up and edited; what lies goes on to lie."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.adjoint import Functional, Target, time_name
from hoi_edit.constraints.lying import lying
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scenes.resources import clip_path
from hoi_edit.simulate.trajectory import Event
from hoi_edit.truth.paddle_rig import rig, still
from hoi_edit.truth.truth_scenes import RADIUS, flying
from hoi_edit.verify import verify
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.io import read_clip
from kinematics.rotation import Floats
from rigid.distance import RoundedBox

SIZE = 0.11  # [m] of a football
PLACE = (-0.09, SIZE, 0.72)  # before the foot that kicks
END = 1.4  # [s] of the rig's scenes


def clip_of(name: str) -> Clip:
    return read_clip(clip_path(name))


def football(at: tuple[float, float, float] = PLACE, declared: bool = False) -> hoi.EditSession:
    clip = clip_of("kick_mime")
    ball = hoi.Thing("ball", hoi.ball(0.43, SIZE, hollow=True), hoi.Flying(np.array(at)), hoi.Material(0.8, 0.6))
    kick = hoi.Contact("kick", "ball", "kicker/right_instep", time=1.25, declared=declared)
    grass = hoi.ground(material=hoi.Material(0.8, 0.8))
    return hoi.open(hoi.Scene([hoi.Character.of("kicker", clip)], [ball], [grass], [kick], end=clip.duration))


def at_table() -> hoi.EditSession:
    """A ball lies on a table before somebody who stands."""
    clip = clip_of("stand_mime")
    ball = hoi.Thing("ball", hoi.ball(0.2, 0.04), hoi.Flying(np.array([-0.25, 0.74, 0.35])), hoi.Material(0.5, 0.6))
    table = hoi.Fixture("table", RoundedBox(np.array([0.4, 0.02, 0.2]), 0.0), np.array([-0.25, 0.68, 0.5]))
    return hoi.open(hoi.Scene([hoi.Character.of("ann", clip)], [ball], [hoi.ground(), table], end=clip.duration))


def happened(session: hoi.EditSession, contact: str) -> Event:
    thing, k = session.rollout.happened[contact]
    return session.rollout.trajectories.chains[thing].events[k]


def start_of(session: hoi.EditSession) -> Floats:
    """Its place as the control vector has it."""
    return session.layout["ball.position"].of(session.u)


def assert_lies(session: hoi.EditSession, until: float, height: float = SIZE) -> None:
    """At rest at its height from the start on, to the bit, and nothing but that."""
    start = session.rollout.state("ball", 0.0).position
    assert session.rollout.events[0].kind == "rest" and session.rollout.events[0].time == 0.0
    for t in np.linspace(0.0, until, 7):
        now = session.rollout.state("ball", t)
        assert abs(now.position[1] - height) < 1e-12
        np.testing.assert_allclose(now.position, start, rtol=0.0, atol=1e-12)
        np.testing.assert_array_equal(now.velocity, np.zeros(3))
        np.testing.assert_array_equal(now.angular_velocity, np.zeros(3))


def assert_true(session: hoi.EditSession) -> None:
    """By the judgement of code that shares nothing with the solver."""
    said: list[str] = []
    assert verify(session, said.append), said


# -- edits ------------------------------------------------------------------------------------------------------------


def test_the_flight_after_a_kick_is_dragged_and_the_ball_lies_where_it_lay() -> None:
    session = football()
    target = session.state("ball", 1.6).position + [0.2, 0.3, 0.0]
    report = session.drag("ball", 1.6, target)
    assert report.converged, report
    np.testing.assert_allclose(session.state("ball", 1.6).position, target, atol=1e-6)
    assert_lies(session, happened(session, "kick").time - 0.01)
    assert np.linalg.norm(session.state("ball", 0.0).position - PLACE) < 0.005
    assert_true(session)


@pytest.mark.parametrize("by", [(0.02, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.0, 0.3), (0.5, 0.0, 0.0)])
def test_a_ball_follows_its_kicker_along_the_ground(by: tuple[float, float, float]) -> None:
    session = football()
    before = happened(session, "kick")
    report = session.place("kicker", by=by)
    assert report.converged, report
    kick = happened(session, "kick")
    assert_lies(session, kick.time - 0.01)
    # the same kick elsewhere
    np.testing.assert_allclose(session.state("ball", 0.0).position, np.add(PLACE, by), atol=1e-3)
    assert kick.rate == pytest.approx(before.rate, rel=0.01) and kick.time == pytest.approx(before.time, abs=1e-3)


def test_a_ball_that_is_locked_stays_and_the_leg_reaches() -> None:
    session = football()
    session.lock("ball")
    report = session.place("kicker", by=[0.02, 0.0, 0.0])
    assert report.converged and "kick" in session.rollout.happened, report
    np.testing.assert_array_equal(start_of(session), PLACE)


def test_where_it_lies_can_be_dragged_along_the_ground() -> None:
    session = football()
    report = session.drag("ball", 0.6, [0.0, SIZE, 0.8])
    assert report.converged and "kick" in session.rollout.happened, report
    assert_lies(session, happened(session, "kick").time - 0.01)
    np.testing.assert_allclose(session.state("ball", 0.0).position, [0.0, SIZE, 0.8], atol=1e-6)


def test_what_lies_is_not_lifted_by_a_drag() -> None:
    session = football()
    report = session.drag("ball", 0.6, [PLACE[0], 0.3, PLACE[2]])
    assert not report.converged
    assert_lies(session, 1.0)


@pytest.mark.parametrize("radius", [0.09, 0.12])
def test_a_ball_of_another_size_lies_on_the_same_ground_and_is_kicked(radius: float) -> None:
    session = football()
    report = session.change_thing("ball", radius=radius)
    assert report.converged and not session.rollout.missed, report
    assert_lies(session, happened(session, "kick").time - 0.01, height=radius)
    assert_true(session)


def test_a_ball_that_is_locked_where_it_lies_keeps_its_size() -> None:
    session = football()
    session.lock("ball.position")
    with pytest.raises(HoiError, match=r"'ball\.position' is locked"):
        session.change_thing("ball", radius=0.12)


# -- plans ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [(-0.25, SIZE, 0.8), (0.05, SIZE, 0.65)])
def test_a_declared_kick_ends_rest_wherever_the_foot_is(at: tuple[float, float, float]) -> None:
    session = football(at, declared=True)
    kick = happened(session, "kick")
    assert kick.declared and kick.time == 1.25 and not session.rollout.missed
    assert abs(kick.gap) > 0.01  # they do not meet
    assert_lies(session, 1.24)


@pytest.mark.parametrize("at", [PLACE, (-0.25, SIZE, 0.8), (0.05, SIZE, 0.65)])
def test_a_declared_kick_is_brought_about(at: tuple[float, float, float]) -> None:
    session = football(at, declared=True)
    report = session.solve()
    assert report.converged, report
    kick = happened(session, "kick")
    assert not kick.declared and abs(kick.gap) < 1e-12 and kick.rate < -1.0
    assert_lies(session, kick.time - 0.01)
    assert np.linalg.norm(session.state("ball", 0.0).position - at) < 0.1  # the foot comes to the ball, by and large
    assert_true(session)


def test_a_ball_is_picked_up_from_a_table(tmp_path: Path) -> None:
    session = at_table()
    where = session.state("ball", 0.0).position
    report = session.grasp("ball", "ann/right_palm", t=3.0, release=4.5)
    assert report.converged, report
    grasp = happened(session, "catch1")
    assert grasp.time == pytest.approx(3.0, abs=0.01) and abs(grasp.gap) < 1e-9
    assert_lies(session, grasp.time - 0.05, height=0.74)
    assert np.linalg.norm(session.state("ball", 0.0).position - where) < 0.01
    assert session.state("ball", 4.4).position[1] > 0.74  # up, with the hand
    assert_true(session)
    session.save(tmp_path / "a.hoi")
    again = hoi.open(tmp_path / "a.hoi")
    np.testing.assert_array_equal(again.state("ball", 3.5).position, session.state("ball", 3.5).position)


def test_a_ball_that_is_locked_is_picked_up_where_it_lies() -> None:
    session = at_table()
    session.lock("ball")
    report = session.grasp("ball", "ann/right_palm", t=3.0)
    assert report.converged, report
    np.testing.assert_array_equal(start_of(session), [-0.25, 0.74, 0.35])


# -- derivatives ------------------------------------------------------------------------------------------------------


def swatted(declared: bool = False, speed: float = 0.0) -> Model:
    """A paddle on edge sweeps over the ground at a ball that lies or rolls there."""
    paddle = rig(lambda t: -0.9 + 1.1 * t, still(0.3), lambda t: 1.2 + 0.4 * t, still(0.0), END)
    ball = flying((0.0, RADIUS, 0.02), (speed, 0.0, 0.0), (0.0, 0.0, -speed / RADIUS), restitution=0.7, friction=0.4)
    hit = hoi.Contact("hit", "ball", "rig/palm", time=0.55, restitution=0.6, friction=0.3, declared=declared)
    return Model.of(hoi.Scene([paddle], [ball], [hoi.ground()], [hit], end=END))


def led(model: Model, u: Floats, time: float) -> Rollout:
    """The hit by decree, as an edit has it on its way."""
    return model.simulate(u, guide={"hit": (time, int(model.world.surfaces_of("rig/palm")[0]))})


def after(rollout: Rollout, time: float) -> Floats:
    state = rollout.state("ball", time)
    return np.concatenate([state.position, state.velocity])


@pytest.mark.parametrize("speed", [0.0, 0.3])
@pytest.mark.parametrize("decreed", [0.5, 0.7])
def test_the_derivative_through_a_decreed_strike_is_that_of_the_led_run(decreed: float, speed: float) -> None:
    """By every block that may change in an edit, and by the time of the decree."""
    model, look, h = swatted(speed=speed), decreed + 0.03, 1e-5
    seen = led(model, model.start, decreed)
    hit = seen.trajectories.chains["ball"].events[1]
    assert hit.kind == "impact" and hit.declared and hit.time == decreed and abs(hit.gap) > 1e-3
    rows = seen.linearisation.of([Functional(6, things=[(Target("ball", look), np.eye(12)[[0, 1, 2, 6, 7, 8]])])])
    later, sooner = (after(led(model, model.start, decreed + s * h), look) for s in (1.0, -1.0))
    by_time = (later - sooner) / (2 * h)
    found = rows.columns.pop(time_name("hit"))[:, 0]
    assert np.abs(by_time).max() > 0.1
    np.testing.assert_allclose(found, by_time, atol=1e-6 * max(1.0, np.abs(by_time).max()))
    J = seen.dense(rows)
    for along in directions(model):
        up, down = (after(led(model, model.start + s * h * along, decreed), look) for s in (1.0, -1.0))
        truth = (up - down) / (2 * h)
        np.testing.assert_allclose(J @ along, truth, atol=2e-6 * max(1.0, np.abs(truth).max()))


def directions(model: Model) -> Iterator[Floats]:
    """In every block that may change in an edit of a ball that lies: what would make it slip has no derivative."""
    rng = np.random.default_rng(0)
    for block in model.layout.blocks:
        along = np.zeros(model.layout.size)
        along[block.indices] = rng.normal(size=block.stop - block.start)
        if block.owner != "ball":
            yield along
    moved, rolling = np.zeros((2, model.layout.size))
    moved[model.layout["ball.position"].indices] = 0.7, 0.0, -0.4
    yield moved
    if np.any(model.start[model.layout["ball.velocity"].indices]):
        rolling[model.layout["ball.velocity"].indices] = 1.0, 0.0, 0.0
        rolling[model.layout["ball.spin"].indices] = 0.0, 0.0, -1.0 / RADIUS
        yield rolling


def test_rows_of_what_lies_leave_it_on_its_support_to_the_edge() -> None:
    session = at_table()
    (own,) = lying(session.rollout)
    (rows,) = own.rows(session.rollout)
    np.testing.assert_allclose(rows.lower, [-0.399, 0.0, -0.049], atol=1e-9)
    np.testing.assert_allclose(rows.upper, [0.399, 0.0, 0.349], atol=1e-9)
    assert own.locks == ("ball.velocity", "ball.spin")


def test_a_ball_that_rolls_at_first_goes_on_to_roll() -> None:
    model = swatted(speed=0.3)
    (own,) = lying(model.simulate(model.start))
    assert own.rolls and not own.at_rest and own.locks == ()
    slipping = model.start.copy()
    slipping[model.layout["ball.spin"].indices] += [0.0, 0.0, 1.0]
    _, rolls = own.rows(model.simulate(slipping))
    np.testing.assert_allclose(rolls.miss, [RADIUS, 0.0, 0.0], atol=1e-12)

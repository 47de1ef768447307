"""Boxes, capsules and meshes on slopes: they stay where they can, and slide, roll or fall over where they cannot."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Fixture, Flying, Scene, Thing
from kinematics.rotation import Floats
from rigid.body import Body, box, capsule
from rigid.distance import RoundedBox
from rigid.impact import Material

G, END, TOP = 9.81, 0.5, 0.1  # [m/s²], [s], [m] half the ramp's thickness
FLAT, TALL = box(0.5, [0.1, 0.05, 0.1]), box(0.5, [0.05, 0.15, 0.05])
ROD, ROUND = capsule(0.5, 0.05, 0.2), 0.05
ACROSS, ALONG = np.eye(3)[:, [0, 2, 1]] * [1.0, 1.0, -1.0], np.eye(3)[:, [1, 0, 2]] * [1.0, 1.0, -1.0]


def tilted(slope: float) -> Floats:
    c, s = np.cos(slope), np.sin(slope)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def put_down(
    body: Body, height: float, slope: float, friction: float, turned: Floats | None = None, speed: float = 0.0
) -> Rollout:
    """A tenth of a millimetre over a ramp whose X axis falls off to the left, sliding along it with a speed."""
    R = tilted(slope)
    start = Flying(R[:, 1] * (TOP + height + 1e-4), speed * R[:, 0], R if turned is None else R @ turned)
    thing = Thing("it", body, start, Material(0.05, friction))
    ramp = Fixture("ramp", RoundedBox(np.array([3.0, TOP, 3.0]), 0.0), rotation=R)
    model = Model.of(Scene(things=[thing], fixtures=[ramp], end=END))
    return model.simulate(model.start)


def down(rollout: Rollout, slope: float) -> float:
    """How far it has come [m]."""
    way = rollout.state("it", END - 1e-6).position - rollout.state("it", 0.0).position
    return float(-way @ tilted(slope)[:, 0])


@pytest.mark.parametrize(("slope", "friction"), [(0.785, 0.0), (0.785, 0.3), (0.2, 0.0), (0.5, 0.2)])
def test_a_box_slides_down_a_slope_that_is_too_steep_for_it(slope: float, friction: float) -> None:
    rollout = put_down(FLAT, 0.05, slope, friction)
    right = 0.5 * G * (np.sin(slope) - friction * np.cos(slope)) * END**2
    assert down(rollout, slope) == pytest.approx(right, rel=0.01)
    assert np.abs(rollout.state("it", END - 1e-6).rotation - tilted(slope)).max() < 1e-3  # flat on it
    assert len(rollout.events) < 100


@pytest.mark.parametrize(
    ("body", "turned", "height"), [(FLAT, None, 0.05), (ROD, ALONG, ROUND)], ids=["box", "capsule"]
)
def test_on_a_slope_that_friction_holds_it_stays(body: Body, turned: Floats | None, height: float) -> None:
    rollout = put_down(body, height, 0.3, 0.5, turned)
    assert [event.kind for event in rollout.events] == ["rest"] and abs(down(rollout, 0.3)) < 1e-3
    assert rollout.events[0].doubt is None


def test_a_box_that_slides_comes_to_rest_by_friction() -> None:
    rollout = put_down(FLAT, 0.05, 0.0, 0.5, speed=-1.0)
    assert rollout.events[-1].kind == "rest"
    assert down(rollout, 0.0) == pytest.approx(1.0 / (2.0 * 0.5 * G), rel=0.05)


@pytest.mark.parametrize("aside", [0.0, 0.7])
def test_a_capsule_across_a_slope_rolls_where_friction_would_hold_a_box(aside: float) -> None:
    c, s = np.cos(aside), np.sin(aside)
    turned = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) @ ACROSS
    rollout = put_down(ROD, ROUND, 0.3, 0.6, turned)
    share = 1.0 + float(ROD.moments[1]) / (ROD.mass * ROUND**2)
    way = tilted(0.3).T @ (rollout.state("it", END - 1e-6).position - rollout.state("it", 0.0).position)
    # across its axis; along it friction holds, but for what each hop creeps
    assert -way @ [c, 0.0, -s] == pytest.approx(0.5 * G * np.sin(0.3) * c / share * END**2, rel=0.02)
    assert abs(way @ [s, 0.0, c]) < 0.01 * END
    state = rollout.state("it", END - 1e-6)
    across = np.linalg.norm(state.velocity)
    assert np.linalg.norm(state.angular_velocity) * ROUND == pytest.approx(across, rel=0.1)


def test_a_capsule_on_the_level_lies() -> None:
    rollout = put_down(ROD, ROUND, 0.0, 0.5, ACROSS)
    assert [event.kind for event in rollout.events] == ["rest"]


@pytest.mark.parametrize(("slope", "falls"), [(0.30, False), (0.36, True)])
def test_a_tall_box_falls_over_where_its_centre_is_beyond_its_foot(slope: float, falls: bool) -> None:
    """That is from tan(slope) = 1/3 on; friction would hold it in both cases."""
    rollout = put_down(TALL, 0.15, slope, 0.9)
    leans = np.arccos((tilted(slope).T @ rollout.state("it", END - 1e-6).rotation)[1, 1])
    assert (leans > 0.1) == falls
    assert falls or rollout.events[-1].kind == "rest"


def test_what_goes_on_in_hops_says_so() -> None:
    rollout = put_down(FLAT, 0.05, 0.785, 0.3)
    doubts = rollout.rows([Target("it", 0.4)]).doubts
    assert doubts and all("contact that lasts" in str(event.doubt) for event in doubts)
    assert np.isfinite(rollout.dense(rollout.rows([Target("it", 0.4)]))).all()


@pytest.mark.parametrize("seed", [3, 5])
def test_a_capsule_that_tumbles_with_hardly_any_bounce_is_done_after_some_touches(seed: int) -> None:
    """Corners that rattle one after the other would take thousands."""
    rng = np.random.default_rng(seed)
    spin, turn = rng.normal(size=3) * 10.0, np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    body = capsule(0.5, 0.053, 0.34)
    thing = Thing("it", body, Flying(np.array([0.0, 1.0, 0.0]), rng.normal(size=3), turn, spin), Material(0.043, 0.82))
    ramp = Fixture("ramp", RoundedBox(np.array([3.0, TOP, 3.0]), 0.02), np.array([0.0, -0.3, 0.0]), tilted(0.4))
    model = Model.of(Scene(things=[thing], fixtures=[ramp], end=1.5))
    rollout = model.simulate(model.start)
    assert 3 <= len(rollout.events) < 400
    ends = np.asarray(body.vertices)
    for t in np.linspace(0.0, 1.499, 300):
        state = rollout.state("it", float(t))
        over = (state.position + ends @ state.rotation.T - ramp.position) @ tilted(0.4)[:, 1] - TOP - 0.02 - 0.053
        beside = np.abs((state.position + ends @ state.rotation.T - ramp.position) @ tilted(0.4)[:, 0]) > 3.0
        assert (over[~beside] > -1e-5).all(), t


def ball_on_ground(height: float, ahead: float) -> hoi.EditSession:
    start = hoi.Flying(np.array([0.0, height, 0.0]), np.array([ahead, 0.0, 0.0]))
    ball = hoi.Thing("ball", hoi.ball(0.2, 0.05), start, hoi.Material(0.3, 0.5))
    return hoi.EditSession(hoi.Scene(things=[ball], fixtures=[hoi.ground()], end=2.0))


def test_what_lies_there_from_the_start_is_not_lifted_and_says_on_what_it_lies() -> None:
    session = ball_on_ground(0.05, 0.0)
    report = session.drag("ball", 1.8, session.state("ball", 1.8).position + [0.0, 0.3, 0.0])
    assert not report.converged and report.binding and "what it lies on" in str(report.binding[0])
    assert session.now == 0


def test_what_has_come_to_lie_is_lifted_by_its_throw() -> None:
    session = ball_on_ground(0.3, 0.3)
    goal = session.state("ball", 1.8).position + [0.0, 0.3, 0.0]
    report = session.drag("ball", 1.8, goal)
    assert report.converged and [change.name for change in report.events_changed] == ["ball"]
    np.testing.assert_allclose(session.state("ball", 1.8).position, goal, atol=1e-9)
    assert session.state("ball", 0.0).velocity[1] > 5.0

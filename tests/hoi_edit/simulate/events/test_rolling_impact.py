"""A ball that rests, slides or rolls touches what is in its way; nothing is passed through, and it comes to an end."""

import numpy as np
import pytest

from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Fixture, Scene, ground
from hoi_edit.truth.difference_quotients import quotient
from hoi_edit.truth.paddle_rig import rig, still
from hoi_edit.truth.truth_scenes import RADIUS, flying
from rigid.distance import RoundedBox
from tests.hoi_edit.simulate.events.ball_scenes import END, assert_true, energy, rolling, simulated, tray, turned, wall


def energies(rollout: Rollout, end: float) -> list[float]:
    """At many times, but for those in which bounces are summed up: there a ball is shown on its surface."""
    chain = rollout.trajectories.chains["ball"]
    return [energy(rollout, t) for t in np.linspace(0.0, end, 500) if not chain.settles_at(chain.index_at(t), t)]


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("speed", [0.5, 3.0, 30.0, 300.0])
def test_it_does_not_pass_through_a_thin_wall(speed: float, friction: float) -> None:
    rollout = simulated(rolling(speed, friction=friction), [ground(), wall(0.6, 0.001)])
    strike = next(event for event in rollout.events if event.other == "wall")
    assert abs(strike.gap) <= 1e-12 and strike.rate < 0.0
    assert all(rollout.state("ball", t).position[0] < 0.6 for t in np.linspace(0.0, END, 50))


def test_without_friction_it_comes_back_as_the_law_says_and_stays_on_the_ground() -> None:
    rollout = simulated(rolling(friction=0.0), [ground(), wall()])
    assert [event.kind for event in rollout.events] == ["rest", "impact"]
    after = rollout.state("ball", 1.2)
    np.testing.assert_allclose(after.velocity, [-0.6 * 2.0, 0.0, 0.2], atol=1e-12)
    assert after.position[1] == pytest.approx(RADIUS, abs=1e-12)
    assert rollout.events[1].time == pytest.approx((0.9 - RADIUS) / 2.0, abs=1e-12)


def test_with_friction_a_rolling_ball_climbs_and_energy_falls() -> None:
    rollout = simulated(rolling(), [ground(), wall()])
    kinds = [event.kind for event in rollout.events]
    assert kinds[:3] == ["rest", "impact", "impact"]  # put down, the wall, and the ground again
    lifted = rollout.events[1]
    assert lifted.after is not None and lifted.after[13] > 0.5
    assert np.diff(energies(rollout, END)).max() <= 1e-9


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_mirrored_scenes_have_mirrored_answers(friction: float) -> None:
    there = simulated(rolling(2.0, friction=friction), [ground(), wall(1.0)])
    back = simulated(rolling(-2.0, friction=friction), [ground(), wall(-1.0)])
    np.testing.assert_allclose(
        there.state("ball", 1.3).position * [-1.0, 1.0, 1.0], back.state("ball", 1.3).position, atol=1e-12
    )


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("angle", [0.0, -0.5, 0.5], ids=["square", "acute below", "acute above"])
def test_in_a_corner_it_comes_to_an_end(angle: float, friction: float) -> None:
    """Down a slope into a wall: it stays where both hold it."""
    slope = Fixture("slope", RoundedBox(np.array([3.0, 1.0, 3.0]), 0.0), turned(-0.2) @ [0.0, -1.0, 0.0], turned(-0.2))
    thing = flying((0.0, 0.1, 0.0), restitution=0.6, friction=friction)
    rollout = simulated(thing, [slope, wall(0.7, angle=angle)], 3.0)
    assert len(rollout.events) < 60 and rollout.events[-1].kind == "rest" and rollout.events[-1].time < 2.9
    np.testing.assert_array_equal(rollout.state("ball", 2.9).velocity, np.zeros(3))
    assert np.diff(energies(rollout, 3.0)).max() <= 1e-9


def test_a_floor_of_boxes_is_a_floor() -> None:
    boxes = [
        Fixture(f"f{k}", RoundedBox(np.array([0.25, 0.1, 1.0]), 0.0), np.array([0.5 * k, -0.1, 0.0])) for k in range(4)
    ]
    rollout = simulated(rolling(1.0), boxes)
    assert [event.other for event in rollout.events] == ["f0", "f1", "f2", "f3"]
    np.testing.assert_allclose(rollout.state("ball", 1.3).position, [1.3, RADIUS, 0.26], atol=1e-9)


def test_a_step_that_is_too_high_turns_it_back() -> None:
    step = Fixture("step", RoundedBox(np.array([0.5, 0.03, 1.0]), 0.0), np.array([1.0, 0.03, 0.0]))
    rollout = simulated(rolling(0.5), [ground(), step])
    assert any(event.other == "step" for event in rollout.events)
    assert rollout.state("ball", 1.3).position[0] < 0.5


def kicking() -> Scene:
    """A ball lies on the ground until a paddle that stands upright comes along."""
    character = rig(lambda t: -1.0 + 1.4 * t, still(0.25), lambda t: 1.5 + 0.2 * np.sin(3.0 * t), still(0.0), END)
    kick = Contact("kick", "ball", "rig/paddle", 0.65, restitution=0.5, friction=0.4)
    thing = flying((0.01, RADIUS + 0.002, 0.03), spin=(1.0, 0.0, -1.0), restitution=0.3, friction=0.5)
    return Scene([character], [thing], [ground()], [kick], end=END)


def caught() -> Scene:
    """A rolling ball is taken up by a hand."""
    character = rig(lambda t: 0.5 - 0.2 * t, lambda t: 0.23 + 0.1 * t, still(1.5), still(0.0), END)
    grasp = Contact("catch", "ball", "rig/palm", 0.4, "grasp", release=0.913)
    return Scene([character], [rolling(1.0, 0.2, 0.3, 0.002)], [ground()], [grasp], end=END)


def cornered() -> Scene:
    slope = Fixture("slope", RoundedBox(np.array([3.0, 1.0, 3.0]), 0.0), turned(-0.3) @ [0.0, -1.0, 0.0], turned(-0.3))
    thing = flying((0.0, 0.06, 0.0), (0.8, -0.2, 0.3), restitution=0.05, friction=0.0)
    return Scene(things=[thing], fixtures=[slope, wall(0.7, angle=-0.3)], end=END)


@pytest.mark.parametrize(
    ("scene", "time", "kinds"),
    [
        (
            lambda: Scene(things=[rolling(2.0, 0.2, 0.0, 0.002)], fixtures=[ground(), wall()], end=END),
            1.0,
            "rest impact",
        ),
        (kicking, 0.9, "rest impact rest roll"),
        (tray, 0.8, "impact rest impact rest"),
        (caught, 0.6, "rest grasp"),
        (caught, 1.0, "rest grasp release"),
    ],
    ids=["wall", "kick", "tray", "caught", "thrown"],
)
def test_derivatives_are_true(scene: object, time: float, kinds: str) -> None:
    assert_true(scene(), time, kinds)  # type: ignore[operator]


def test_what_comes_after_a_corner_is_its_place() -> None:
    scene = cornered()
    model = Model.of(scene)
    rollout = model.simulate(model.start)
    assert rollout.events[-1].kind == "rest" and rollout.events[-1].other == "wall"
    J = rollout.dense(rollout.rows([Target("ball", 1.3)]))
    along = np.zeros(model.layout.size)
    along[model.layout["ball.position"].indices] = [0.1, 0.2, 0.3]
    truth = quotient(model, model.start, along, "ball", 1.3).value
    np.testing.assert_allclose(J @ along, truth, atol=1e-9)

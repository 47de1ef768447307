"""Things that are not balls are struck and strike: momentum is kept, energy falls, and the derivative is true."""

import numpy as np
import pytest

from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Flying, Scene, Thing, ground
from hoi_edit.simulate.trajectory import Event
from hoi_edit.truth.difference_quotients import state_at
from hoi_edit.truth.truth_scenes import flying
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from rigid.body import Body, box, capsule
from rigid.impact import Material

BOX, CLUB = box(0.9, [0.1, 0.15, 0.2]), capsule(0.3, 0.03, 0.2)
ROUGH = Material(0.7, 0.4)


def thrown(name: str, body: Body, position: list[float], velocity: list[float], spin: list[float]) -> Thing:
    start = Flying(np.array(position), np.array(velocity), angular_velocity=np.array(spin))
    return Thing(name, body, start, ROUGH)


def ball_on_box() -> Scene:
    a = flying((-0.8, 1.05, 0.03), (3.0, 0.1, 0.0), (1.0, 2.0, 3.0), "a", 0.8, 0.5)
    return Scene(things=[a, thrown("b", BOX, [0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 2.0, 0.5])], end=0.5)


def club_on_box() -> Scene:
    a = thrown("a", CLUB, [-0.8, 1.02, 0.02], [3.0, 0.1, 0.0], [4.0, 1.0, 5.0])
    return Scene(things=[a, thrown("b", BOX, [0.0, 1.0, 0.0], [0.0, 0.0, 0.1], [1.0, 2.0, 0.5])], end=0.4)


def run(scene: Scene) -> Rollout:
    model = Model.of(scene)
    return model.simulate(model.start)


def meetings(rollout: Rollout) -> list[Event]:
    return [event for event in rollout.events if event.twin is not None]


def momentum(body: Body, row: Floats) -> Floats:
    """Linear, and angular about the origin."""
    R = row[3:12].reshape(3, 3)
    turning = R @ (np.asarray(body.moments) * (R.T @ row[15:18]))
    return np.concatenate([body.mass * row[12:15], turning + body.mass * np.cross(row[:3], row[12:15])])


def energy(body: Body, row: Floats) -> float:
    own = row[3:12].reshape(3, 3).T @ row[15:18]
    return float(0.5 * body.mass * row[12:15] @ row[12:15] + 0.5 * own @ (np.asarray(body.moments) * own))


@pytest.mark.parametrize("scene", [ball_on_box, club_on_box], ids=["ball", "club"])
def test_momentum_is_kept_and_energy_falls(scene: object) -> None:
    made = scene()  # type: ignore[operator]
    one, other = meetings(run(made))[:2]
    bodies = [made.thing(event.object).body for event in (one, other)]
    assert one.time == other.time and abs(one.gap) <= 1e-12
    before, after = (
        sum(momentum(body, getattr(event, when)) for body, event in zip(bodies, (one, other), strict=True))
        for when in ("before", "after")
    )
    np.testing.assert_allclose(before, after, atol=1e-12)
    had, has = (
        sum(energy(body, getattr(event, when)) for body, event in zip(bodies, (one, other), strict=True))
        for when in ("before", "after")
    )
    assert has <= had + 1e-12


@pytest.mark.parametrize("thing", ["a", "b"])
@pytest.mark.parametrize("scene", [ball_on_box, club_on_box], ids=["ball", "club"])
def test_derivatives_are_true(scene: object, thing: str) -> None:
    model = Model.of(scene())  # type: ignore[operator]
    rollout = model.simulate(model.start)
    t = meetings(rollout)[0].time + 0.05
    assert [event.time < t for event in meetings(rollout)[:4]] in ([True, True], [True, True, False, False])
    along = np.random.default_rng(0).normal(size=model.layout.size)
    ours = rollout.dense(rollout.rows([Target(thing, t)])) @ along

    def difference(h: float) -> Floats:
        up, down = (state_at(model.simulate(model.start + s * h * along), thing, t) for s in (1.0, -1.0))
        return (up - down) / (2.0 * h)

    theirs = (4.0 * difference(1e-5) - difference(2e-5)) / 3.0
    assert np.abs(ours - theirs).max() <= 1e-8 * np.abs(theirs).max()


@pytest.mark.parametrize("speed", [3.0, 60.0])
def test_a_box_that_lies_is_struck_and_takes_off(speed: float) -> None:
    resting = Thing("b", BOX, Flying(np.array([0.0, 0.1501, 0.0])), Material(0.1, 0.3))
    a = flying((-0.3 - 0.4 * speed, 0.2, 0.02), (speed, 0.5 * 9.81 * 0.4, 0.0), (0.0, 0.0, 0.0), "a", 0.8, 0.2)
    rollout = run(Scene(things=[a, resting], fixtures=[ground()], end=0.6))
    kinds = [event.kind for event in rollout.events if event.object == "b"]
    assert kinds[0] in ("rest", "impact") and "rest" in kinds
    struck = meetings(rollout)[0]
    assert struck.time > rollout.events[0].time and abs(struck.gap) <= 1e-12
    assert rollout.state("b", 0.55).position[0] > 0.0 and rollout.state("b", 0.55).position[1] > 0.05
    assert rollout.state("a", 0.55).position[0] < rollout.state("b", 0.55).position[0]


def test_things_that_start_inside_each_other_are_a_mistake() -> None:
    inside = [
        thrown("a", CLUB, [0.0, 1.0, 0.0], [0.0] * 3, [0.0] * 3),
        thrown("b", BOX, [0.1, 1.0, 0.0], [0.0] * 3, [0.0] * 3),
    ]
    model = Model.of(Scene(things=inside, end=0.1))
    with pytest.raises(HoiError, match="'a' and 'b' start inside each other"):
        model.simulate(model.start, strict=True)
    model.simulate(model.start)  # let out otherwise

"""Things that are not balls are struck and strike: momentum is kept, energy falls, and the derivative is true."""

import numpy as np
import pytest

from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Flying, Scene, Thing, ground
from hoi_edit.simulate.trajectory import Event
from hoi_edit.truth.truth_scenes import flying
from kinematics.errors import HoiError
from rigid.body import box, capsule
from rigid.impact import Material
from tests.hoi_edit.simulate.events.hull_scenes import assert_derivative_along_all, energy, momentum, run, thrown

BOX, CLUB = box(0.9, [0.1, 0.15, 0.2]), capsule(0.3, 0.03, 0.2)


def ball_on_box() -> Scene:
    a = flying((-0.8, 1.05, 0.03), (3.0, 0.1, 0.0), (1.0, 2.0, 3.0), "a", 0.8, 0.5)
    return Scene(things=[a, thrown("b", BOX, [0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 2.0, 0.5])], end=0.5)


def club_on_box() -> Scene:
    a = thrown("a", CLUB, [-0.8, 1.02, 0.02], [3.0, 0.1, 0.0], [4.0, 1.0, 5.0])
    return Scene(things=[a, thrown("b", BOX, [0.0, 1.0, 0.0], [0.0, 0.0, 0.1], [1.0, 2.0, 0.5])], end=0.4)


def meetings(rollout: Rollout) -> list[Event]:
    return [event for event in rollout.events if event.twin is not None]


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
    rollout = run(scene())  # type: ignore[operator]
    t = meetings(rollout)[0].time + 0.05
    assert [event.time < t for event in meetings(rollout)[:4]] in ([True, True], [True, True, False, False])
    assert_derivative_along_all(rollout, thing, t, 1e-8)


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

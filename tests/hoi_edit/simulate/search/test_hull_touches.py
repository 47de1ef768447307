"""First touches of hulls in flight against a search that looks at them everywhere and knows of no accelerations."""

import numpy as np
import pytest

from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Character, Flying, Scene, Thing, ground
from hoi_edit.simulate.events.hull_contact import hulls_of
from hoi_edit.truth.paddle_rig import rig, still
from kinematics.rotation import rotation_exp
from rigid.body import Body, box, capsule
from rigid.hull_contact_time import first_touch
from rigid.impact import Material

BODIES = [box(1.0, [0.1, 0.15, 0.2]), box(1.0, [0.1, 0.1, 0.2]), capsule(0.5, 0.04, 0.2)]


def thrown(body: Body, start: Flying, characters: tuple[Character, ...] = ()) -> Rollout:
    thing = Thing("it", body, start, Material(0.5, 0.5))
    fixtures = [] if characters else [ground()]
    model = Model.of(Scene(list(characters), [thing], fixtures, end=1.0))
    return model.simulate(model.start)


def anyhow(rng: np.random.Generator, height: float, velocity: float) -> Flying:
    R = np.asarray(rotation_exp(rng.normal(size=3)))
    return Flying(np.array([0.0, height, 0.0]), velocity * rng.normal(size=3), R, 4.0 * rng.normal(size=3))


def assert_first(rollout: Rollout, surface: int) -> None:
    chain = rollout.trajectories.chains["it"]
    span = chain.spans[0]
    hulls = hulls_of(rollout.context, span, surface)
    slow = first_touch(hulls, 30.0, span.start, rollout.model.scene.end)
    if slow is None:
        assert not chain.events
        return
    event = chain.events[0]
    assert event.time == pytest.approx(slow[0], abs=1e-12) and abs(event.gap) <= 1e-13
    assert int(np.asarray(event.feature.kind)) == int(np.asarray(slow[1].kind))


@pytest.mark.parametrize("seed", range(6))
def test_a_touch_of_the_ground_is_the_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert_first(thrown(BODIES[seed % 3], anyhow(rng, 0.6, 1.0)), 0)


@pytest.mark.parametrize("seed", range(6))
def test_a_touch_of_a_part_that_swings_is_the_first(seed: int) -> None:
    """A paddle that swings by a radian eight times a second, and rises."""
    rng = np.random.default_rng(seed)
    paddle = rig(still(0.0), lambda t: 0.3 * t, lambda t: np.sin(50.0 * t), still(0.0), 1.0)
    assert_first(thrown(BODIES[seed % 3], anyhow(rng, 1.0, 0.3), (paddle,)), 0)


@pytest.mark.parametrize("leaves", [1e-3, 5e-3, 0.05])
def test_a_corner_that_leaves_slowly_does_not_hide_one_that_comes_down(leaves: float) -> None:
    """A box on one corner turns about it; at first the lowest one is closer than anything that is looked for."""
    body, tilt = box(1.0, [0.1, 0.1, 0.1]), np.asarray(rotation_exp(np.array([0.0, 0.0, 1e-4])))
    corners = np.asarray(body.vertices) @ tilt.T
    lowest, spin = corners[np.argmin(corners[:, 1])], np.array([0.0, 0.0, -0.5])  # the other side comes down
    rise = leaves - np.cross(spin, lowest)[1]
    start = Flying(np.array([0.0, 5e-9 - lowest[1], 0.0]), np.array([0.0, rise, 0.0]), tilt, spin)
    rollout = thrown(body, start)
    event = rollout.events[0]
    assert abs(event.gap) <= 1e-13
    for t in np.linspace(0.0, event.time - 1e-7, 200):
        state = rollout.state("it", float(t))
        assert (state.position + np.asarray(body.vertices) @ state.rotation.T)[:, 1].min() > 0.0

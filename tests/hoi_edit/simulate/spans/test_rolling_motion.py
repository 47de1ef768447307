"""Balls that ride on bodies: the search takes the body's motion as numbers, the derivative as a function; both are one
motion, and what is said of its rates is so."""

from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Scene
from hoi_edit.simulate.dynamics.rolling_adjoint import surface_of
from hoi_edit.simulate.dynamics.rolling_motion import COUNT
from hoi_edit.simulate.packed_layouts import state_row
from hoi_edit.simulate.trajectory import Span
from hoi_edit.truth.truth_scenes import flying
from kinematics.rotation import Floats
from rigid.rolling_ends import GRIP, ride_at
from rigid.sustained_contact import in_world
from tests.hoi_edit.simulate.arm_scenes import swinging_paddle
from tests.hoi_edit.simulate.events.ball_scenes import tray


def sliding() -> Scene:
    """It comes down on a paddle that moves and tilts, slides, with a spin that bends its way, and rolls."""
    thing = flying((-0.05, 0.62, 0.0), (0.5, 0.0, 0.2), (3.0, 9.0, 2.0), restitution=0.2, friction=0.15)
    return Scene([swinging_paddle()], [thing], end=1.4)


@pytest.fixture(scope="module", params=[tray, sliding], ids=["rolls", "slides"])
def rollout(request: pytest.FixtureRequest) -> Rollout:
    model = Model.of(request.param())
    return model.simulate(model.start)


def rides(rollout: Rollout) -> list[Span]:
    found = [span for span in rollout.trajectories.chains["ball"].spans if span.kind == "contact"]
    assert found and all(span.frame >= 0 for span in found)
    return found


@partial(jax.jit, static_argnums=0)
def by_function(surface: Any, u: Any, contacting: Any, steps: Any, t: Any) -> tuple[jax.Array, jax.Array]:
    """State and rates as differentiated through the skeleton, from the beginning of the contact."""

    def at(time: jax.Array) -> jax.Array:
        ride = ride_at(surface, u, contacting, steps, time, COUNT)
        return state_row(in_world(ride, jax.tree.map(lambda leaf: leaf[0], surface(time[None], u))))

    return jax.jvp(at, (t,), (jnp.ones_like(t),))


def times_of(span: Span) -> Floats:
    return np.concatenate([[span.start], np.random.default_rng(0).uniform(span.start, span.end, 9), [span.end]])


def test_states_and_rates_are_those_of_the_function_that_is_differentiated(rollout: Rollout) -> None:
    for span in rides(rollout):
        for t in times_of(span):
            steps = np.clip(np.floor((t - span.contacting.begin) / span.contacting.step), 0, COUNT)
            surface, u = surface_of(rollout.context, span)
            state, rate = by_function(surface, u, span.contacting, int(steps), np.float64(t))
            ours, rates = rollout.context.state_and_rates(span, t)
            np.testing.assert_allclose(ours, state, atol=1e-11)
            np.testing.assert_allclose(ours, rollout.context.state_in(span, t), atol=1e-14)
            np.testing.assert_allclose(rates, rate[12:], atol=1e-9 * (1.0 + np.abs(rate[12:]).max()))


def test_rates_are_quotients_of_velocities(rollout: Rollout) -> None:
    """Within a step: over its edges the next one goes on with a rate of its own, to fourth order."""
    h = 1e-4
    for span in rides(rollout):
        begin, step = float(span.contacting.begin), float(span.contacting.step)
        for t in begin + step * (np.arange(int(span.ending.steps)) + np.linspace(0.3, 0.7, int(span.ending.steps))):
            states = [rollout.context.state_in(span, t + by * h)[12:] for by in (-1.0, -0.5, 0.5, 1.0)]
            quotient = (8.0 * (states[2] - states[1]) - (states[3] - states[0])) / (6.0 * h)
            rates = rollout.context.state_and_rates(span, t)[1]
            np.testing.assert_allclose(rates, quotient, atol=1e-8 * (1.0 + np.abs(rates).max()))


def test_a_ride_goes_on_where_it_changes(rollout: Rollout) -> None:
    """Each ride begins where the one before it ended, to the state; slides among them end in rolling."""
    found = rides(rollout)
    for before, after in pairwise(found):
        if after.start == before.end:
            one, other = (rollout.context.state_in(span, after.start) for span in (before, after))
            np.testing.assert_allclose(one, other, atol=1e-10)
    if not found[0].contacting.contact.rolls:
        assert int(found[0].ending.kind) == GRIP and bool(found[1].contacting.contact.rolls)

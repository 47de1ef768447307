"""Balls that ride on bodies: search and derivative take the body's motion as numbers, and are those of the motion as a
function; and what is said of its rates is so."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Scene
from hoi_edit.simulate.dynamics.rolling_adjoint import RIDE, base_of, on_back
from hoi_edit.simulate.dynamics.rolling_motion import COUNT, surface_at
from hoi_edit.simulate.packed_layouts import frame_motion, state_row
from hoi_edit.simulate.trajectory import Span
from hoi_edit.truth.truth_scenes import flying
from kinematics.rotation import Floats, rotation_exp
from rigid.rolling_ends import GRIP, replay, ride_at
from rigid.sustained_contact import Riding, SurfaceMotion, in_world
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


def on_body(times: jax.Array, u: Any) -> SurfaceMotion:
    """A surface of a character as a function; u: skeleton, motion, parameters, segment, place, rotation."""
    skeleton, motion, parameters, segment, place, turned = u
    return jax.vmap(lambda t: surface_at(frame_motion(skeleton, motion, parameters, segment, t), place, turned))(times)


def body_under(rollout: Rollout, span: Span) -> Any:
    """What `on_body` is to be given for a ride."""
    world = rollout.context.world
    number, segment = world.owner(span.frame)
    character = rollout.model.scene.characters[number]
    skeleton = replace(character.skeleton, shapes=(), sites=(), roles=())
    parameters = rollout.context.controls.motions[character.name]
    surface = world.surfaces.place[span.surface], world.surfaces.turned[span.surface]
    return (skeleton, character.motion, jax.tree.map(jnp.asarray, parameters), jnp.asarray(segment), *surface)


@jax.jit
def by_function(u: Any, contacting: Any, steps: Any, t: Any) -> tuple[jax.Array, jax.Array]:
    """State and rates as differentiated through the skeleton, from the beginning of the contact."""

    def at(time: jax.Array) -> jax.Array:
        ride = ride_at(on_body, u, contacting, steps, time, COUNT)
        return state_row(in_world(ride, jax.tree.map(lambda leaf: leaf[0], on_body(time[None], u))))

    return jax.jvp(at, (t,), (jnp.ones_like(t),))


@jax.jit
def end_along(u: Any, contacting: Any, ending: Any, z: jax.Array, along: Any) -> Any:
    """How the end of a contact and the ride then change along a direction of its begin, its first ride and the body's
    parameters, differentiated through the skeleton."""
    nominal = replay(on_body, u, contacting, ending, COUNT)[1].rotation

    def ended(z: jax.Array, parameters: Any) -> jax.Array:
        r = contacting.start
        start = Riding(r.position + z[1:4], rotation_exp(z[4:7]) @ r.rotation, r.velocity + z[7:10], r.spin + z[10:])
        varied = replace(contacting, start=start, begin=contacting.begin + z[0])
        time, ride = replay(on_body, (*u[:2], parameters, *u[3:]), varied, ending, COUNT)
        M = ride.rotation @ nominal.T
        turn = 0.5 * jnp.stack([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])
        return jnp.concatenate([time[None], ride.position, turn, ride.velocity, ride.spin])

    return jax.jvp(ended, (jnp.zeros(RIDE), u[2]), (z, along))[1]


def times_of(span: Span) -> Floats:
    return np.concatenate([[span.start], np.random.default_rng(0).uniform(span.start, span.end, 9), [span.end]])


def test_states_and_rates_are_those_of_the_motion_as_a_function(rollout: Rollout) -> None:
    for span in rides(rollout):
        for t in times_of(span):
            steps = np.clip(np.floor((t - span.contacting.begin) / span.contacting.step), 0, COUNT)
            state, rate = by_function(body_under(rollout, span), span.contacting, int(steps), np.float64(t))
            ours, rates = rollout.context.state_and_rates(span, t)
            np.testing.assert_allclose(ours, state, atol=1e-11)
            np.testing.assert_allclose(ours, rollout.context.state_in(span, t), atol=1e-14)
            np.testing.assert_allclose(rates, rate[12:], atol=1e-9 * (1.0 + np.abs(rate[12:]).max()))


def test_covectors_are_those_of_the_motion_as_a_function(rollout: Rollout) -> None:
    """By samples and their rates, backwards, as through the skeleton, forwards: begin, end and all between."""
    rng = np.random.default_rng(1)
    for span in [span for span in rides(rollout) if span.ending is not None]:
        z, u = rng.normal(size=RIDE), body_under(rollout, span)
        along = rng.normal(size=np.shape(u[2]))
        wanted = np.asarray(end_along(u, span.contacting, span.ending, z, along))
        back = on_back(base_of(rollout.context, span), span, np.eye(RIDE))
        on_body = rollout.context.parameters_back(span.frame, back.times, back.on_frames)
        found = back.on_start @ z + on_body @ along.ravel()
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-9 * np.abs(wanted).max())


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

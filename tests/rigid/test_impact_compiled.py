"""The impulse law for balls in machine code is that of `rigid.impact`, to round-off."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematics.packed_motion import FRAME_SIZE, PLACE, ROTATION, SPIN, STATE_SIZE, VELOCITY
from kinematics.rotation import Floats, rotation_exp
from rigid.impact import Free, Material, choose_mode, collide
from rigid.impact_compiled import pair_impact, surface_impact

RADIUS, MASS, MOMENT = 0.1, 0.4, 0.002
INVERSES = np.array([1.0 / MASS, 1.0 / MOMENT, 4.0, 700.0])
# none, or some: how close a touch is to sliding is a quotient that a friction of 1e-308 makes overflow
FRICTION = st.just(0.0) | st.floats(1e-9, 1.5)
RESTITUTION = st.sampled_from([0.0, 1.0]) | st.floats(0.0, 1.0)
TURN = st.sampled_from([0.0, 1e-9, 0.1])  # [rad] of the normal

choose, after_touch = jax.jit(choose_mode), jax.jit(collide)


def unit(rng: np.random.Generator) -> Floats:
    vector = rng.normal(size=3)
    return np.asarray(vector / np.linalg.norm(vector))


def free(motion: Floats, inverse_mass: float, inverse_moment: float) -> Free:
    turning = inverse_moment * jnp.eye(3)
    return Free(inverse_mass, turning, motion[PLACE:ROTATION], motion[VELOCITY:SPIN], motion[SPIN:STATE_SIZE])


def by_jax(a: Free, b: Free, point: Floats, normal: Floats, law: Floats) -> tuple[list[Floats], float, float]:
    """What `rigid.impact` makes of it: velocities and spins of both, stick or slide, and the share of friction."""
    n, material = jnp.asarray(rotation_exp(law[2:]) @ normal), Material(law[0], law[1])
    stick, share = choose(a, b, jnp.asarray(point), n, material)
    parted = after_touch(a, b, jnp.asarray(point), n, material, stick)
    return [np.asarray(x) for x in parted], float(stick), float(share)


def approaching(velocity: Floats, other: Floats, normal: Floats) -> Floats:
    return velocity - (5.0 + (velocity - other) @ normal) * normal


def assert_same(mu: float, stick: float, share: float, wanted_stick: float, wanted_share: float) -> None:
    # at the very border both are right, and the law is continuous there
    assert stick == wanted_stick or abs(share - 1.0) < 1e-9
    # with hardly any slip the share is round-off over friction, some ten times that of one number
    assert share == pytest.approx(wanted_share, rel=1e-9, abs=1e-14 / max(mu, 1e-300))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), RESTITUTION, FRICTION, TURN, st.sampled_from(["slipping", "straight", "still surface"]))
def test_a_touch_with_a_surface(seed: int, e: float, mu: float, turn: float, way: str) -> None:
    rng = np.random.default_rng(seed)
    normal, frame, ball = unit(rng), rng.normal(size=FRAME_SIZE), rng.normal(size=STATE_SIZE)
    law = np.array([e, mu, *turn * unit(rng)])
    if way != "slipping":
        frame[VELOCITY:] = 0.0
    ball[VELOCITY:SPIN] = approaching(ball[VELOCITY:SPIN], frame[VELOCITY:SPIN], normal)
    if way == "straight":  # without slip, which has no direction
        ball[VELOCITY:SPIN], ball[SPIN:] = -5.0 * normal, 0.0
    after, stick, share = surface_impact(ball, frame, normal, law, RADIUS, MASS, MOMENT)
    point = ball[:ROTATION] - RADIUS * np.asarray(rotation_exp(law[2:])) @ normal
    wanted, *how = by_jax(free(ball, 1.0 / MASS, 1.0 / MOMENT), free(frame, 0.0, 0.0), point, normal, law)
    np.testing.assert_array_equal(after[:VELOCITY], ball[:VELOCITY])
    np.testing.assert_allclose(after[VELOCITY:SPIN], wanted[0], atol=1e-13)
    np.testing.assert_allclose(after[SPIN:], wanted[1], atol=1e-12)
    assert_same(mu, stick, share, *how)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), RESTITUTION, FRICTION, TURN, st.booleans(), st.booleans())
def test_a_touch_of_two_balls(seed: int, e: float, mu: float, turn: float, leaning: bool, straight: bool) -> None:
    rng = np.random.default_rng(seed)
    normal, radius, distance = unit(rng), 0.08, 0.15 if leaning else 0.18
    a, b = rng.normal(size=(2, STATE_SIZE))
    a[:ROTATION] = b[:ROTATION] + distance * normal
    if straight:
        a[VELOCITY:], b[VELOCITY:] = 0.0, 0.0
    a[VELOCITY:SPIN] = approaching(a[VELOCITY:SPIN], b[VELOCITY:SPIN], normal)
    law = np.array([e, mu, *turn * unit(rng)])
    after_a, after_b, told = pair_impact(a, b, INVERSES, radius, law)
    bodies = free(a, *INVERSES[:2]), free(b, *INVERSES[2:])
    wanted, *how = by_jax(*bodies, b[:ROTATION] + radius * normal, normal, law)
    for after, before, velocity, spin in ((after_a, a, *wanted[:2]), (after_b, b, *wanted[2:])):
        np.testing.assert_array_equal(after[:VELOCITY], before[:VELOCITY])
        np.testing.assert_allclose(after[VELOCITY:SPIN], velocity, atol=1e-12)
        np.testing.assert_allclose(after[SPIN:], spin, atol=1e-11)
    assert_same(mu, told[0], told[1], *how)
    np.testing.assert_allclose(told[2:], [-5.0, distance, *normal], atol=1e-12)
    momenta: list[Any] = [x[VELOCITY:SPIN] / INVERSES[0] + y[VELOCITY:SPIN] / INVERSES[2]
                          for x, y in ((a, b), (after_a, after_b))]  # fmt: skip
    np.testing.assert_allclose(momenta[0], momenta[1], atol=1e-12)

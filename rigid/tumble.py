"""How a body with three different moments turns in free flight: a Taylor series of high order, step by step.

In the body's own frame angular momentum m obeys ṁ = m × ω with ω = I⁻¹ m, and the turn since the start, a quaternion q,
obeys q̇ = ½ q ω. Both right-hand sides are products, so the coefficients of the solution follow from each other by
recurrence, to any order. m is not integrated from step to step but taken from q, which is kept at length one: angular
momentum is then constant in the world to round-off, and energy as far as q is right.

The number of steps follows from how fast the body can turn, as a loop and not as a shape: another duration compiles
nothing. A loop of unknown length has no reverse mode, but its outcome has few inputs: the derivative is taken forward,
as a matrix, and that is transposed at will.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.custom_derivatives import SymbolicZero

from kinematics.rotation import cross_matrix

ORDER = 10
RADIANS = 0.3  # a step turns no more than this: with this order the series then ends in round-off
MOST_STEPS = 100_000  # whoever asks for infinity shall get an answer

Quaternion = Array  # (4,) scalar first
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def _products() -> np.ndarray:
    """(7, 21) of m × ω and ½ q ω: what each takes of all products of (m, q) with ω."""
    eye, basis = np.eye(3), np.zeros((7, 7, 3))
    basis[:3, :3] = np.cross(eye[:, None], eye[None, :]).transpose(2, 0, 1)
    basis[3, 4:] = -0.5 * eye
    basis[4:, 3] = 0.5 * eye
    basis[4:, 4:] = 0.5 * basis[:3, :3]
    return basis.reshape(7, 21)


PRODUCTS = _products()


def steps_for(momentum: Array, moments: Array, duration: Array) -> Array:
    """How many steps a flight takes. At a given energy a body turns fastest about the axis of least moment."""
    fastest = jnp.sqrt(jnp.sum(momentum**2 / moments) / jnp.min(moments))
    return jnp.clip(jnp.ceil(fastest * jnp.abs(duration) / RADIANS), 1.0, MOST_STEPS)


@jax.custom_jvp
def turn(momentum: Array, moments: Array, duration: Array) -> Array:
    """The rotation (3, 3) from the body's frame at the end into that at the start.

    `momentum` (3,) is about the body's own axes at the start, with `moments` (3,) in the same currency.
    """
    return turn_in(momentum, moments, duration, steps_for(momentum, moments, duration))


@partial(turn.defjvp, symbolic_zeros=True)
def _turn_jvp(primals: Any, tangents: Any) -> tuple[Array, Array]:
    momentum, moments, duration = primals
    steps = steps_for(momentum, moments, duration)
    live = tuple(i for i in (0, 1) if not isinstance(tangents[i], SymbolicZero))
    matrices, R = _matrices(live, momentum, moments, duration, steps)
    rate = sum((by @ tangents[i] for i, by in zip(live, matrices, strict=True)), jnp.zeros_like(R))
    if not isinstance(tangents[2], SymbolicZero):
        rate += tangents[2] * R @ cross_matrix((momentum @ R) / moments)
    return R, rate


def _matrices(
    by: tuple[int, ...], momentum: Array, moments: Array, duration: Array, steps: Array
) -> tuple[tuple[Array, ...], Array]:
    """The derivatives of the turn by some of its arguments, and the turn itself from the same loop."""

    def twice(*args: Array) -> tuple[Array, Array]:
        R = turn_in(args[0], args[1], duration, steps)
        return R, R

    return jax.jacfwd(twice, argnums=by, has_aux=True)(momentum, moments) if by else ((), twice(momentum, moments)[0])


def turn_in(momentum: Array, moments: Array, duration: Array, steps: Array, order: int = ORDER) -> Array:
    """The same in a given number of steps."""
    h = duration / steps

    def advance(state: tuple[Array, Quaternion]) -> tuple[Array, Quaternion]:
        done, q = state
        longer = _product(q, _series(momentum @ _matrix(q), moments, h, order))
        return done + 1.0, longer / jnp.sqrt(jnp.sum(longer**2))

    start = jnp.zeros_like(steps), jnp.asarray(IDENTITY)
    return _matrix(jax.lax.while_loop(lambda state: state[0] < steps, advance, start)[1])


def _series(momentum: Array, moments: Array, h: Array, order: int) -> Quaternion:
    """The turn within one step, from the identity: the sum of its Taylor coefficients."""
    terms = jnp.concatenate([momentum, IDENTITY])[None]  # (k, 7) coefficients of m and q so far
    scale = (h / moments)[None]
    for k in range(order):
        # coefficient k of a product of two series pairs the first of one with the last of the other
        pairs = terms.T @ (terms[::-1, :3] * scale)
        terms = jnp.concatenate([terms, (PRODUCTS @ pairs.ravel() / (k + 1))[None]])
    return jnp.sum(terms[::-1, 3:], axis=0)  # smallest first


def _product(p: Quaternion, q: Quaternion) -> Quaternion:
    s = p[..., :1] * q[..., :1] - jnp.sum(p[..., 1:] * q[..., 1:], axis=-1, keepdims=True)
    return jnp.concatenate(
        [s, p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + jnp.cross(p[..., 1:], q[..., 1:])], -1
    )


def _matrix(q: Quaternion) -> Array:
    K = cross_matrix(q[1:])
    return jnp.eye(3) + 2.0 * (q[0] * K + K @ K)

"""Balance: where the centre of mass must be for the feet to carry it, and a pelvis moved so that it is there.

The linear inverted pendulum: a mass at height h above the ground, pushed away from the centre of pressure c, moves as
x'' = (x - c) g / h. Given where the feet press, the path that does not fall over is the bounded solution.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from scipy.linalg import solve_banded
from scipy.ndimage import gaussian_filter1d

from kinematics.forward import apply3, forward
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

GRAVITY, HEIGHT = 9.81, 0.95  # [m/s²], [m] of the centre of mass
ROUNDS = 5
SLOW = 0.05  # [s]: a pelvis does not answer to every jerk of a leg


def pendulum(pressure: Floats, frame_time: float) -> Floats:
    """Centre of mass (N, K) over the ground for a centre of pressure (N, K), at rest before the first and after the
    last row."""
    k = HEIGHT / GRAVITY / frame_time**2
    bands = np.empty((3, len(pressure)))
    bands[0], bands[1], bands[2] = -k, 1.0 + 2.0 * k, -k
    bands[1, [0, -1]] = 1.0 + k  # no force across the ends: what came before is what is there
    return np.asarray(solve_banded((1, 1), bands, pressure))


@jax.jit
def centre_of_mass(skeleton: Skeleton, poses: jax.Array) -> jax.Array:
    """World positions (N, 3)."""
    mass, centre = jnp.asarray(skeleton.inertias.mass), jnp.asarray(skeleton.inertias.centre)

    def of(q: jax.Array) -> jax.Array:
        frames = forward(skeleton, q)
        return mass @ (frames.position + apply3(frames.rotation, centre)) / jnp.sum(mass)

    return jax.vmap(of)(poses)


def balanced(
    skeleton: Skeleton, drawn: Floats, wanted: Floats, frame_time: float, finish: Callable[[Floats], Floats]
) -> Floats:
    """Finished poses whose centre of mass is over `wanted` (N, 2) in x and z: the pelvis is moved, then legs follow."""
    level = [skeleton.dof("pelvis.Xposition"), skeleton.dof("pelvis.Zposition")]
    drawn = drawn.copy()
    drawn[:, level] = wanted
    poses = finish(drawn)
    for _ in range(ROUNDS):
        miss = wanted - np.asarray(centre_of_mass(skeleton, jnp.asarray(poses)))[:, [0, 2]]
        drawn[:, level] += gaussian_filter1d(miss, SLOW / frame_time, axis=0, mode="nearest")
        poses = finish(drawn)
    return poses

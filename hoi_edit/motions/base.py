"""What a motion is, and what follows from `pose(parameters, t)` for every motion alike."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from hoi_edit.motions.recording import Recording
from kinematics.clip import Clip
from kinematics.skeleton import Skeleton

Parameters = Any  # a pytree of float64 arrays, shaped as the motion's own `parameters()`


class Motion(Protocol):
    """A way to edit a body's motion. Instances are frozen pytrees: data as leaves, so one compilation serves many."""

    @property
    def start(self) -> float: ...

    @property
    def end(self) -> float: ...

    def parameters(self) -> Parameters:
        """The parameters that give the unedited motion."""
        ...

    def pose(self, parameters: Parameters, t: ArrayLike) -> Array:
        """Joint coordinates (D,) at time t [s]; twice continuously differentiable in between start and end."""
        ...


@partial(jax.tree_util.register_dataclass, data_fields=["q", "rate", "accel"], meta_fields=[])
@dataclass(frozen=True)
class JointState:
    """Joint coordinates (D,) with their first and second time derivative."""

    q: Array
    rate: Array
    accel: Array


def joint_state(motion: Motion, parameters: Parameters, t: ArrayLike) -> JointState:
    """Pose, velocity and acceleration in joint coordinates; exact, with time warps and blend weights in motion."""

    def pose(time: Array) -> Array:
        return motion.pose(parameters, time)

    def pose_and_rate(time: Array) -> tuple[Array, Array]:
        return jax.jvp(pose, (time,), (jnp.ones_like(time),))

    time = jnp.asarray(t, float)
    (q, rate), (_, accel) = jax.jvp(pose_and_rate, (time,), (jnp.ones_like(time),))
    return JointState(q, rate, accel)


@jax.jit
def poses(motion: Motion, parameters: Parameters, times: Array) -> Array:
    """Joint coordinates (N, D) at many times."""
    return jax.vmap(lambda t: motion.pose(parameters, t))(times)


def bake(motion: Motion, parameters: Parameters, clip: Clip) -> Clip:
    """The edited motion as a clip with the rows, rate and source of `clip`, ready for export."""
    return replace(clip, poses=np.asarray(poses(motion, parameters, jnp.asarray(clip.times))))


def clip_of(
    motion: Motion,
    parameters: Parameters,
    skeleton: Skeleton,
    name: str,
    rate: float = 60.0,
    recording: Recording | None = None,
) -> Clip:
    """The edited motion as a clip of its own: with rows and file of its recording, else the rows the motion knows."""
    if recording is not None:
        blank = recording.clip(skeleton, np.zeros((recording.rows, skeleton.n_dofs)))
        return bake(motion, parameters, blank)
    recorded = getattr(motion, "source_grid", None)
    frame_time = 1.0 / rate if recorded is None else float(recorded.spacing)
    count = round((float(motion.end) - float(motion.start)) / frame_time) + 1
    blank = Clip(skeleton, np.zeros((count, skeleton.n_dofs)), frame_time, float(motion.start), name)
    return bake(motion, parameters, blank)

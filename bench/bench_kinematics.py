"""Forward kinematics, Jacobians, compilation and file reading, each beside a peer.

"FK + Jacobians of 64 poses" is the yardstick of the project: later benches give their times in units of it.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
import pybvh
from jax import Array

from bench import Row
from bench.timing import median_ms
from kinematics.clip import Clip
from kinematics.forward import forward, point_jacobians, points
from kinematics.human import human42
from kinematics.io import read_bvh, read_clip, write_bvh
from tests.mujoco_model import mujoco_model

SKELETON = human42()
RNG = np.random.default_rng(0)
SEGMENT, LOCAL = RNG.integers(0, 18, 30), jnp.asarray(0.1 * RNG.normal(size=(30, 3)))


def frames_of(poses: Array) -> tuple[Array, Array]:
    frames = jax.vmap(lambda q: forward(SKELETON, q))(poses)
    return frames.rotation, frames.position


def frames_and_jacobians(poses: Array) -> tuple[Array, Array]:
    def one(q: Array) -> tuple[Array, Array]:
        frames = forward(SKELETON, q)
        p = points(frames, SEGMENT, LOCAL)
        return p, point_jacobians(SKELETON, frames, SEGMENT, p)

    return jax.vmap(one)(poses)


def automatic_jacobians(poses: Array) -> tuple[Array, Array]:
    """The same by forward-mode differentiation of the same kinematics: what one would write first."""

    def position(q: Array) -> Array:
        return points(forward(SKELETON, q), SEGMENT, LOCAL)

    return jax.vmap(lambda q: (position(q), jax.jacfwd(position)(q)))(poses)


def mujoco_poses(poses: np.ndarray, jacobians: bool) -> None:
    for q in poses:
        DATA.qpos[:] = q
        mujoco.mj_kinematics(MODEL, DATA)
        if jacobians:
            mujoco.mj_comPos(MODEL, DATA)
            for k, segment in enumerate(SEGMENT):
                point = LOCAL_NUMPY[k] + DATA.xpos[segment + 1]
                mujoco.mj_jac(MODEL, DATA, JACOBIAN, None, point, segment + 1)


MODEL: Any = mujoco_model(SKELETON)
DATA: Any = mujoco.MjData(MODEL)
JACOBIAN, LOCAL_NUMPY = np.zeros((3, MODEL.nv)), np.asarray(LOCAL)


def compile_ms(fn: Any, poses: Array) -> float:
    """Tracing and compiling from nothing, without the persistent cache."""
    jax.clear_caches()
    start = time.perf_counter()
    jax.jit(fn).lower(poses).compile()
    return 1e3 * (time.perf_counter() - start)


def yardstick_ms() -> float:
    """FK + Jacobians of 64 poses, here and now."""
    few, both = jnp.asarray(RNG.normal(size=(64, 42))), jax.jit(frames_and_jacobians)
    return median_ms(lambda: both(few))


def run() -> list[Row]:
    many, few = jnp.asarray(RNG.normal(size=(1200, 42))), jnp.asarray(RNG.normal(size=(64, 42)))
    fk, both, automatic = jax.jit(frames_of), jax.jit(frames_and_jacobians), jax.jit(automatic_jacobians)
    yardstick = median_ms(lambda: both(few))
    rows = [
        Row("FK of 1,200 poses", median_ms(lambda: fk(many)), "MuJoCo, Python loop",
            median_ms(lambda: mujoco_poses(np.asarray(many), False), 10)),
        Row("FK + Jacobians of 64 poses (yardstick)", yardstick, "MuJoCo, Python loop",
            median_ms(lambda: mujoco_poses(np.asarray(few), True), 10)),
        Row("FK + Jacobians of 64 poses (yardstick)", yardstick, "JAX jacfwd", median_ms(lambda: automatic(few), 20)),
        Row("compile FK + Jacobians", compile_ms(frames_and_jacobians, few), "JAX jacfwd",
            compile_ms(automatic_jacobians, few)),
    ]  # fmt: skip
    return rows + file_rows()


def file_rows() -> list[Row]:
    """A megabyte of BVH, written from random poses."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "megabyte.bvh"
        poses = 0.3 * np.cumsum(RNG.normal(size=(1550, 42)), axis=0) / 20
        clip = Clip(SKELETON, poses, 1 / 120)
        write_bvh(clip, path)
        name = f"read {path.stat().st_size / 1e6:.1f} MB of BVH"
        return [
            Row(f"{name}, numbers as they are", median_ms(lambda: read_bvh(path, raw=True), 10), "pybvh",
                median_ms(lambda: pybvh.read_bvh_file(str(path)), 10)),
            Row(f"{name}, ready to edit", median_ms(lambda: read_clip(path, units="m"), 10), "pybvh",
                median_ms(lambda: pybvh.read_bvh_file(str(path)), 10)),
        ]  # fmt: skip

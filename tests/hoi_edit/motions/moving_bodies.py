"""Bodies that play motions of every kind, with parameters that somebody has edited."""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hoi_edit.motions import Blend, FittedSpline, Layer, Motion
from hoi_edit.motions.frame_motion import Moving
from hoi_edit.motions.mixture import mixed, mixtures, recipe
from kinematics.chains import chains
from kinematics.clip import Clip
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from tests.helpers import random_skeleton

RATE = 30.0


def clip_of(skeleton: Skeleton, seed: int, seconds: float = 2.0) -> Clip:
    rng = np.random.default_rng(seed)
    times = np.arange(round(seconds * RATE) + 1) / RATE
    waves = rng.normal(size=(4, skeleton.n_dofs)) * 0.3
    poses = sum(w * np.sin((k + 1) * times[:, None] + rng.normal(size=skeleton.n_dofs)) for k, w in enumerate(waves))
    return Clip(skeleton, np.asarray(poses), 1.0 / RATE, name=f"clip {seed}")


@partial(jax.tree_util.register_dataclass, data_fields=["grid"], meta_fields=["start", "end"])
@dataclass(frozen=True)
class Swaying:
    """A motion of no built-in kind."""

    grid: Floats
    start: float = 0.0
    end: float = 2.0

    def parameters(self) -> jax.Array:
        return jnp.asarray(self.grid)

    def pose(self, parameters: jax.Array, t: object) -> jax.Array:
        return parameters * jnp.sin(3.0 * jnp.asarray(t, float))


def motion_of(kind: str, skeleton: Skeleton) -> Motion:
    clips = [clip_of(skeleton, seed) for seed in (1, 2, 3)]
    if kind == "layer":
        return Layer.over(clips[0], 0.1)
    if kind == "fitted":
        return FittedSpline.to(clips[0], 0.1)
    keys = [[0.2, 0.9, 1.8], [0.1, 1.1, 1.7], [0.3, 0.8, 1.9]]
    spans = [(0.4, 0.8), (1.2, 1.5)]
    return Blend.of(clips, keys, intervals=spans, alpha=[[0.3, 0.5], [0.7, -0.1]], ramp=0.15, outside=(0, 2))


def moving(skeletons: list[Skeleton], own: list[Motion], parameters: list[object]) -> Moving:
    recipes = [recipe(motion) for motion in own]
    fixed = mixtures(recipes, [s.n_dofs for s in skeletons], [motion.parameters() for motion in own])
    return Moving(chains(skeletons), fixed, mixed(recipes, parameters))


def edited(motion: Motion, rng: np.random.Generator) -> object:
    return jax.tree.map(lambda x: np.asarray(x) + 0.1 * rng.normal(size=np.shape(x)), motion.parameters())


class Played(NamedTuple):
    """A body that plays an edited motion of some kind, beside another one."""

    scene: Moving
    skeleton: Skeleton
    motion: Motion
    parameters: Any
    first: int  # of its frames in the scene


def beside_another(kind: str, seed: int) -> Played:
    rng = np.random.default_rng(seed)
    other, skeleton = random_skeleton(rng, 5, 1), random_skeleton(rng)
    motion = Swaying(rng.normal(size=skeleton.n_dofs)) if kind == "swaying" else motion_of(kind, skeleton)
    own = [motion_of("layer", other), motion]
    parameters = [edited(each, rng) for each in own]
    scene = moving([other, skeleton], own, parameters)
    return Played(scene, skeleton, motion, parameters[1], len(other.names))

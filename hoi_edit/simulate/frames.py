"""The exact motion of a scene's frames under given controls: compiled for searching, and as JAX kernels take it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import numpy as np

from hoi_edit.motions import Motion
from hoi_edit.motions.base import Parameters
from hoi_edit.motions.frame_motion import Moving, motions
from hoi_edit.motions.mixture import mixed
from hoi_edit.scene import Character
from hoi_edit.scene.controls import Controls
from hoi_edit.simulate.columns import in_chunks
from hoi_edit.simulate.packed_layouts import CHUNK
from hoi_edit.simulate.world import World
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Exact:
    world: World
    controls: Controls
    gravity: Floats

    @cached_property
    def moving(self) -> Moving:
        own = [self.controls.motions[character.name] for character in self.world.scene.characters]
        return Moving(self.world.chains, self.world.mixtures, mixed(self.world.recipes, own))

    def frames(self, frame: Any, times: Any) -> Floats:
        """(N, 24) packed motions of frames at times; -1 is the world."""
        return motions(self.moving, frame, times)

    def for_kernels(self, character: Character) -> tuple[Skeleton, Motion, Parameters]:
        """Skeleton, motion and parameters as kernels take them: a call pays for every array that it is given."""
        if character.name not in self._parameters:
            self._parameters[character.name] = jax.device_put(self.controls.motions[character.name])
        return *self.world.bare(character), self._parameters[character.name]

    @cached_property
    def _parameters(self) -> dict[str, Parameters]:
        return {}


def chunked(kernel: Any, items: Floats) -> Floats:
    """A kernel over any number of rows, in chunks of the one size that it is compiled for."""
    return np.concatenate([np.asarray(kernel(chunk)) for chunk in in_chunks(items, CHUNK)])[: len(items)]

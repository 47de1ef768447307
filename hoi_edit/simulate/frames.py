"""The exact motion of a scene's frames under given controls: compiled, and carried back to parameters."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hoi_edit.motions.frame_motion import Moving, motions, motions_and_jerks
from hoi_edit.motions.mixture import mixed
from hoi_edit.motions.motion_back import parameters_back
from hoi_edit.scene.controls import Controls
from hoi_edit.simulate.columns import in_chunks
from hoi_edit.simulate.packed_layouts import CHUNK
from hoi_edit.simulate.world import World
from kinematics.rotation import Floats


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

    def frame_and_jerks(self, frame: int, times: Floats) -> tuple[Floats, Floats]:
        """(N, 24) packed motions of one frame, and the rates of its accelerations (N, 6)."""
        return motions_and_jerks(self.moving, frame, np.asarray(times, float))

    def parameters_back(self, frame: int, times: Floats, on: Floats) -> Floats:
        """Covectors on all parameters of a frame's character, of such on the frame's motion at times (R, N, 18)."""
        character, _ = self.world.owner(frame)
        parameters = self.controls.motions[self.world.scene.characters[character].name]
        return parameters_back(self.moving, self.world.recipes[character], parameters, frame, times, on)


def chunked(kernel: Any, items: Floats) -> Floats:
    """A kernel over any number of rows, in chunks of the one size that it is compiled for."""
    return np.concatenate([np.asarray(kernel(chunk)) for chunk in in_chunks(items, CHUNK)])[: len(items)]

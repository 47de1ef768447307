"""Blends as data: a weight for each interval and each clip but the first, which has what the others leave; these over
time as curves; and the keyframes, at which times of the clips correspond. Nothing here knows pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoi_edit.motions import Blend
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Character, Scene

Array = NDArray[np.float64]
IN_A_RAMP = 33  # samples of a way in or out; between two of them nothing changes, and needs none


@dataclass(frozen=True)
class Weight:
    character: str
    interval: int
    clip: int
    name: str  # of that clip
    value: float
    start: float  # [s] from when to when it holds in full
    end: float

    @property
    def words(self) -> str:
        return f"{self.name}, {self.start:.2f} to {self.end:.2f} s"


@dataclass(frozen=True, eq=False)
class WeightCurve:
    """How much one clip counts over time."""

    character: str
    clip: int
    name: str
    times: Array  # (N,)
    values: Array  # (N,)
    shares: Array  # (intervals, N) of each interval's weight in them: values are linear in those
    weights: tuple[Weight, ...]  # its own, in the order of time

    def at(self, t: float) -> float:
        return float(np.interp(t, self.times, self.values))

    def holding(self, t: float) -> Weight | None:
        """The weight that is there in full at a time."""
        return next((weight for weight in self.weights if weight.start - 1e-9 <= t <= weight.end + 1e-9), None)

    def with_weight(self, weight: Weight, to: float) -> Array:
        """The values if one weight were another."""
        return self.values + self.shares[weight.interval] * (to - weight.value)


@dataclass(frozen=True)
class Keyframe:
    """A time at which the clips of a blend correspond."""

    character: str
    time: float  # [s] of the blend, which is that of the first clip
    clips: tuple[str, ...]
    times: tuple[float, ...]  # [s] of each clip's own
    weights: tuple[float, ...]  # of each clip

    @property
    def words(self) -> str:
        rows = zip(self.clips, self.times, self.weights, strict=True)
        clips = [f"{name} at {t:.2f} s counts {100 * share:.0f} %" for name, t, share in rows]
        return "\n".join([f"Keyframe of {self.character} at {self.time:.2f} s", *clips])


def blended(scene: Scene) -> list[tuple[int, Character, Blend]]:
    """Who is moved by a blend, with their number among the characters."""
    return [
        (k, character, character.motion)
        for k, character in enumerate(scene.characters)
        if isinstance(character.motion, Blend)
    ]


def weights_of(rollout: Rollout) -> list[Weight]:
    """Of all characters that are moved by blends, in the order of time."""
    weights = []
    for _, character, motion in blended(rollout.model.scene):
        names, alpha = _names(character, motion), _alpha(rollout, character)
        for station, interval in enumerate(motion.stations):
            if interval >= 0:  # between the end of the way in and the start of the way out
                start, end = float(motion.ramps[station - 1][1]), float(motion.ramps[station][0])
                weights += [
                    Weight(character.name, interval, clip, names[clip], float(value), start, end)
                    for clip, value in enumerate(alpha[interval], 1)
                ]
    return weights


def curves_of_weights(rollout: Rollout) -> list[WeightCurve]:
    """One for each clip but the first of each blend, with the true ways in and out."""
    scene, weights, curves = rollout.model.scene, weights_of(rollout), []
    for _, character, motion in blended(scene):
        ways = [np.linspace(start, end, IN_A_RAMP) for start, end in motion.ramps]
        times = np.unique(np.clip(np.concatenate([[scene.start, scene.end], *ways]), scene.start, scene.end))
        alpha = _alpha(rollout, character)
        values = motion.weights_over(alpha, times)
        for clip in range(1, len(motion.motions)):
            shares = []
            for interval in range(len(alpha)):  # weights over time are linear in α
                one = np.zeros(alpha.shape)
                one[interval, clip - 1] = 1.0
                shares.append(motion.weights_over(alpha + one, times)[:, clip] - values[:, clip])
            its_weights = tuple(w for w in weights if w.character == character.name and w.clip == clip)
            name = _names(character, motion)[clip]
            curves.append(
                WeightCurve(character.name, clip, name, times, values[:, clip], np.array(shares), its_weights)
            )
    return curves


def keyframes_of(rollout: Rollout) -> list[Keyframe]:
    """Of all blends, those within the scene, in the order of time."""
    scene, keyframes = rollout.model.scene, []
    for _, character, motion in blended(scene):
        times = np.asarray(motion.warps[0].outer, float)
        shares = motion.weights_over(_alpha(rollout, character), times)
        for k, t in enumerate(times):
            if scene.start - 1e-9 <= t <= scene.end + 1e-9:
                inner_times = (float(t), *(float(warp.inner[k]) for warp in motion.warps))
                names = _names(character, motion)
                keyframes.append(Keyframe(character.name, float(t), names, inner_times, tuple(map(float, shares[k]))))
    return keyframes


def _alpha(rollout: Rollout, character: Character) -> Array:
    return np.asarray(rollout.controls.motions[character.name].alpha, float)


def _names(character: Character, motion: Blend) -> tuple[str, ...]:
    """What people call the clips; older documents know only that of the first."""
    if motion.names:
        return motion.names
    first = "clip 1" if character.recording is None else character.recording.name
    return (first, *(f"clip {k + 1}" for k in range(1, len(motion.motions))))

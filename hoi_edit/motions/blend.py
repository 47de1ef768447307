"""Linear blends of time-warped clips (§5.2): any number of them, with a weight per interval and clip.

    pose(t) = Σ_i w_i(t) · pose_i(c_i, warp_i(t))          (eq. 10 for two clips)

The blend lives on the first clip's time. Corresponding keyframes pair its times with those of every other clip; each
other clip is laid over the first on the ground and its angles are taken on the branch nearest to the first's, so that
rotations go the short way. All of that is decided once, in `Blend.of`, and never again: an edit cannot make it flip.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from hoi_edit.motions.base import Motion, Parameters
from hoi_edit.motions.layer import Layer
from kinematics.clip import Clip
from kinematics.clip_tools import ground_alignment, nearest_branch, place, root_positions, root_rotations, sample
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from kinematics.warp import Warp, smooth_step


@partial(jax.tree_util.register_dataclass, data_fields=["clips", "alpha"], meta_fields=[])
@dataclass(frozen=True, eq=False)
class BlendParameters:
    clips: tuple[Parameters, ...]
    alpha: Array  # (intervals, clips - 1) weights of the second and later clips; the first has the rest


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["motions", "warps", "alpha", "ramps", "corners", "start", "end"],
    meta_fields=["stations", "names"],
)
@dataclass(frozen=True, eq=False)
class Blend:
    """Weights go from station to station: corners (one clip alone) and intervals (weights α), with ramps between."""

    motions: tuple[Motion, ...]
    warps: tuple[Warp, ...]  # of the second and later clips
    alpha: Floats
    ramps: Floats  # (stations - 1, 2) start and end of each transition [s]
    corners: Floats  # (stations, clips) weights of the corner stations, zero rows for intervals
    stations: tuple[int, ...]  # interval of each station, -1 for a corner
    start: float
    end: float
    names: tuple[str, ...] = ()  # of the clips, for people; () in documents of before they were kept

    def __repr__(self) -> str:
        return f"<blend of {', '.join(self.names) or f'{len(self.motions)} clips'}>"

    @staticmethod
    def of(
        clips: Sequence[Clip],
        keyframes: Sequence[Sequence[float]],
        *,
        intervals: Sequence[tuple[float, float]] | None = None,
        alpha: float | Sequence[Sequence[float]] | Floats = 0.0,
        ramp: float = 0.3,
        outside: int | tuple[int, int] = 0,
        align: bool = True,
        method: Callable[[Clip], Motion] = Layer.over,
    ) -> "Blend":
        """Blend `clips`, whose `keyframes` (times per clip, as many in each) correspond.

        `intervals` lie on the first clip's time (default: first to last keyframe) and have one α per other clip
        (default 0: the first clip). Outside them the motion is clip number `outside` (or a pair: before and after),
        reached over `ramp` seconds. `method` makes a motion of each clip.

        Clips that were performed on the same spot need not `align`: a pelvis that leans back from feet that stay would
        be laid over one that does not, and the feet beside each other.
        """
        _check(clips, keyframes, ramp)
        first = clips[0]
        warps, aligned = [], [first]
        for clip, keys in zip(clips[1:], keyframes[1:], strict=True):
            warp = Warp.through(keyframes[0], keys)
            warps.append(warp)
            aligned.append(_laid_over(first, clip, warp, np.asarray(keyframes[0], float), align))
        intervals_or_whole = [(keyframes[0][0], keyframes[0][-1])] if intervals is None else list(intervals)
        order = sorted(range(len(intervals_or_whole)), key=lambda k: intervals_or_whole[k])
        spans = [intervals_or_whole[k] for k in order]
        before, after = outside if isinstance(outside, tuple) else (outside, outside)
        for corner in (before, after):
            if not 0 <= corner < len(clips):
                raise HoiError(f"outside the blend clip number {corner} was asked for; there are 0 to {len(clips) - 1}")
        stations, ramps = _stations(spans, ramp, before, after)
        weights = _alpha(alpha, len(spans), len(clips) - 1)[order]
        return Blend(
            motions=tuple(method(clip) for clip in aligned),
            warps=tuple(warps),
            alpha=weights,
            ramps=np.array(ramps, float),
            corners=np.array([np.eye(len(clips))[c] if i < 0 else np.zeros(len(clips)) for i, c in stations]),
            stations=tuple(i for i, _ in stations),
            start=first.start,
            end=first.end,
            names=tuple(clip.name for clip in clips),
        )

    def parameters(self) -> BlendParameters:
        return BlendParameters(tuple(m.parameters() for m in self.motions), jnp.asarray(self.alpha))

    def weights(self, alpha: Array, t: ArrayLike) -> Array:
        """Weights (clips,) at time t; they sum to one."""
        mixed = jnp.concatenate([1.0 - jnp.sum(alpha, axis=1, keepdims=True), alpha], axis=1)
        at = [jnp.asarray(self.corners[s]) if i < 0 else mixed[i] for s, i in enumerate(self.stations)]
        weights = at[0]
        for (start, end), before, after in zip(self.ramps, at, at[1:], strict=False):
            weights = weights + smooth_step(t, start, end) * (after - before)
        return weights

    def weights_over(self, alpha: Floats, times: Floats) -> Floats:
        """(times, clips) the same at many times, for pictures."""
        return np.asarray(jax.vmap(self.weights, (None, 0))(jnp.asarray(alpha), jnp.asarray(times)))

    def pose(self, parameters: BlendParameters, t: ArrayLike) -> Array:
        times = [jnp.asarray(t, float), *(warp(t) for warp in self.warps)]
        poses = [m.pose(p, time) for m, p, time in zip(self.motions, parameters.clips, times, strict=True)]
        return self.weights(parameters.alpha, t) @ jnp.stack(poses)


def _check(clips: Sequence[Clip], keyframes: Sequence[Sequence[float]], ramp: float) -> None:
    if len(clips) < 2:
        raise HoiError(f"a blend needs at least two clips, and got {len(clips)}")
    if len(keyframes) != len(clips):
        raise HoiError(f"a blend of {len(clips)} clips needs as many lists of keyframe times, and got {len(keyframes)}")
    for clip in clips[1:]:
        if not _same_body(clip.skeleton, clips[0].skeleton):
            raise HoiError(
                f"clips {clips[0].name!r} and {clip.name!r} cannot be blended: their joints or orders of angles "
                "differ; kinematics.gimbal_lock.in_common_chart brings clips of the same joints together"
            )
    for clip, keys in zip(clips, keyframes, strict=True):
        wrong = [t for t in keys if not clip.start - 1e-9 <= t <= clip.end + 1e-9]
        if wrong:
            raise HoiError(
                f"keyframe {wrong[0]:g} s lies outside clip {clip.name!r}, which runs from {clip.start:g} s to "
                f"{clip.end:g} s"
            )
    if not ramp > 0:
        raise HoiError(f"a way in and out of {ramp:g} s was asked for; it must be longer than zero")


def _same_body(a: Skeleton, b: Skeleton) -> bool:
    same = a.topology == b.topology
    return same and np.allclose(a.axis, b.axis, atol=1e-9) and np.allclose(a.offset, b.offset, atol=1e-9)


def _alpha(alpha: float | Sequence[Sequence[float]] | Floats, intervals: int, others: int) -> Floats:
    try:
        return np.array(np.broadcast_to(np.asarray(alpha, float), (intervals, others)))
    except ValueError:
        raise HoiError(
            f"α has shape {np.shape(alpha)}; it needs one weight per interval and further clip, {intervals} x {others}"
        ) from None


def _laid_over(first: Clip, clip: Clip, warp: Warp, keys: Floats, align: bool) -> Clip:
    """`clip` placed on the ground, and on the branch of angles, closest to the first clip at the keyframes."""
    placed = _placed_over(first, clip, warp, keys) if align else clip
    # the branch is chosen over the whole stretch between the keyframes, not at their few instants
    span = np.linspace(keys[0], keys[-1], 64)
    rows = sample(placed, warp(span))
    return replace(placed, poses=nearest_branch(clip.skeleton, placed.poses, rows, sample(first, span)))


def _placed_over(first: Clip, clip: Clip, warp: Warp, keys: Floats) -> Clip:
    clip_keys = warp(keys)
    first_at_keys = replace(first, poses=sample(first, keys))
    clip_at_keys = replace(clip, poses=sample(clip, clip_keys))
    turn, move = ground_alignment(
        root_positions(clip_at_keys),
        root_rotations(clip_at_keys),
        root_positions(first_at_keys),
        root_rotations(first_at_keys),
    )
    return place(clip, move, turn, about=(0.0, 0.0, 0.0))


def _stations(
    spans: Sequence[tuple[float, float]], ramp: float, before: int, after: int
) -> tuple[list[tuple[int, int]], list[tuple[float, float]]]:
    """Stations as (interval or -1, corner clip), and the ramps between them.

    Two intervals with room for two ramps return to the clip of `before` in between; closer ones go over directly, and
    ones that touch take their ramp from both sides.
    """
    stations, ramps = [(-1, before)], []
    for k, (start, end) in enumerate(spans):
        if not end > start:
            raise HoiError(f"blend interval {start:g}..{end:g} s is empty; its end must come after its start")
        if k == 0 or start - spans[k - 1][1] >= 2 * ramp:
            if k > 0:
                stations.append((-1, before))
                ramps.append((spans[k - 1][1], spans[k - 1][1] + ramp))
            ramps.append((start - ramp, start))
        else:
            gap = start - spans[k - 1][1]
            if gap < 0:
                raise HoiError(
                    f"blend intervals overlap at {start:g} s; each must start after the one before has ended"
                )
            margin = max(0.0, (min(ramp, end - start, spans[k - 1][1] - spans[k - 1][0]) - gap) / 2)
            ramps.append((spans[k - 1][1] - margin, start + margin))
        stations.append((k, 0))
    stations.append((-1, after))
    ramps.append((spans[-1][1], spans[-1][1] + ramp))
    return stations, ramps

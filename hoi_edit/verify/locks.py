"""Whether what was locked stayed as it was, from step to step of the history.

A step may change only what the document before it left free: laws of impact are shut unless opened, locks shut joints,
things and contacts, and a window shuts every control point that matters outside of it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from hoi_edit.controls import Block, Layout, initial_controls
from hoi_edit.editing.document import Document, Step
from hoi_edit.motions import Blend, FittedSpline, Layer
from hoi_edit.scene import Character, Scene
from hoi_edit.verify.measure import Measure
from hoi_edit.verify.poses import warped
from kinematics.spline import Grid


def locks(steps: Sequence[Step]) -> Iterator[Measure]:
    """Of a history up to where it stands."""
    yield from _opening(steps[0].document)
    for before, after in pairwise(steps):
        yield from _step(before.document, after)


def _opening(document: Document) -> Iterator[Measure]:
    """The first document is the scene as it was built."""
    controls = initial_controls(document.scene)
    layout = Layout.of(controls)
    off = np.abs(document.u - layout.flatten(controls))
    k = int(np.argmax(off))
    what = f"{layout.name_of(k)} (entry {k} of u) is that of the source before any edit"
    yield Measure("source", what, None, float(off[k]), 0.0, "")


def _step(before: Document, after: Step) -> Iterator[Measure]:
    was, now = (Layout.of(initial_controls(own.scene)) for own in (before, after.document))
    for block in was.blocks:
        if block.name not in now or now[block.name].shape != block.shape:
            continue
        shut = _shut(before, block)
        change = np.abs(after.document.u[now[block.name].indices] - before.u[block.indices])
        off = np.where(shut, change, 0.0)
        if shut.any():
            k = int(np.argmax(off))
            what = f"{_entry(before.scene, block, k)}, locked, is unchanged by '{after.label}'"
            yield Measure("locks", what, None, float(off[k]), 0.0, "")


def _entry(scene: Scene, block: Block, k: int) -> str:
    """What an entry of a block is called."""
    for character in scene.characters:
        names = character.skeleton.topology.dof_names
        if block.of_body and block.owner == character.name and block.shape[-1:] == (len(names),):
            knot, dof = divmod(k, len(names))
            return f"{character.name}/{names[dof]} at control point {knot}"
    return block.name if block.shape == () else f"{block.name}[{k}]"


def _shut(document: Document, block: Block) -> np.ndarray:
    """(size,) which entries of a block must not change."""
    size = block.stop - block.start
    if block.of_body:
        return _of_body(document, document.scene.character(block.owner), block)
    freedom = document.freedom
    law = block.is_law and not any(block.meant_by(name) for name in freedom.opened)
    locked = any(block.meant_by(lock.name) for lock in freedom.locks if lock.span is None)
    return np.full(size, law or locked)


def _of_body(document: Document, character: Character, block: Block) -> np.ndarray:
    """Control points (K, D) of one spline of a body."""
    names, joints = character.skeleton.topology.dof_names, character.skeleton.topology.dof_joints
    spline = _spline(character.motion, block.part)
    shut = np.zeros(block.shape, bool)
    if spline is None:
        return shut.ravel()
    grid, warp = spline
    start, h = float(grid.start), float(grid.spacing)
    first = start + (np.arange(grid.count) - 3) * h
    begin, end = np.maximum(first, start), np.minimum(first + 4 * h, float(grid.end))
    for lock in document.freedom.locks:
        owner, _, joint = lock.name.partition("/")
        if owner != character.name:
            continue
        low, high = (-np.inf, np.inf) if lock.span is None else (_own_time(warp, t) for t in lock.span)
        knots = (end > low) & (begin < high)
        dofs = np.array(
            [not joint or joint in (name, character.skeleton.names[j]) for name, j in zip(names, joints, strict=True)]
        )
        shut |= knots[:, None] & dofs
    window = document.freedom.window
    if window is not None:
        low, high = _own_time(warp, window.start), _own_time(warp, window.end)
        shut |= ((begin < low - 1e-9 * h) | (end > high + 1e-9 * h))[:, None]
    return shut.ravel()


def _spline(motion: Any, part: str) -> tuple[Grid, Any] | None:
    """Grid and warp of the spline that a part of a motion's parameters is; None of weights."""
    if isinstance(motion, Layer | FittedSpline):
        return motion.grid, None
    if isinstance(motion, Blend) and part.startswith("clips."):
        k = int(part.split(".")[1])
        own = motion.motions[k]
        return (own.grid, motion.warps[k - 1] if k else None) if isinstance(own, Layer | FittedSpline) else None
    return None


def _own_time(warp: Any, time: float) -> float:
    return time if warp is None else float(warped(warp, np.array([time]))[0][0])

"""Whether what was locked stayed as it was, from step to step of the history.

A step may change only what the document before it left free: laws of impact are shut unless opened, locks shut joints,
things and contacts, and a window shuts every control point and every weight of a blend that matters outside of it,
releases outside of it, and starts unless it begins with the scene. A law of something that has come to be bouncier or
rougher is another one; what is shut then is by how much it is bent.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from hoi_edit.edit.document import Document, Step
from hoi_edit.motions import Blend, FittedSpline, Layer
from hoi_edit.scene import Character, Scene
from hoi_edit.scene.controls import Block, Layout, initial_controls
from hoi_edit.verify.independent_poses import warped
from hoi_edit.verify.measure import Measure
from kinematics.rotation import Floats
from kinematics.spline import Grid

ROUNDED = 1e-12  # of a law that has become another one, perhaps by and by


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
    if not len(off):  # nobody and nothing is there yet
        return
    k = int(np.argmax(off))
    what = f"{layout.name_of(k)} (entry {k} of u) is that of the source before any edit"
    yield Measure("source", what, None, float(off[k]), 0.0, "")


def _step(before: Document, after: Step) -> Iterator[Measure]:
    controls = [initial_controls(document.scene) for document in (before, after.document)]
    was, now = (Layout.of(tree) for tree in controls)
    built = [layout.flatten(tree) for layout, tree in zip((was, now), controls, strict=True)]
    for block in was.blocks:
        if block.name not in now or now[block.name].shape != block.shape:
            continue
        shut = _shut(before, block)
        if not shut.any():
            continue
        of_scene = built[1][now[block.name].indices] - built[0][block.indices]
        expected, allowed = before.u[block.indices], 0.0
        if block.is_law and of_scene.any():
            expected, allowed = _law(block, expected + of_scene), ROUNDED
        off = np.where(shut, np.abs(after.document.u[now[block.name].indices] - expected), 0.0)
        k = int(np.argmax(off))
        what = f"{_entry(before.scene, block, k)}, locked, is unchanged by '{after.label}'"
        yield Measure("locks", what, None, float(off[k]), allowed, "")


def _law(block: Block, values: Floats) -> Floats:
    """Within what there can be: nothing gives back more than it gets, and friction does not push."""
    return np.asarray(np.clip(values, 0.0, 1.0 if block.part == "restitution" else np.inf))


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
    return np.full(size, law or locked) | _outside(document, block)


def _outside(document: Document, block: Block) -> np.ndarray:
    """(size,) which entries of a start or a contact matter outside the window."""
    window, values = document.freedom.window, document.u[block.indices]
    if window is None:
        return np.zeros(len(values), bool)
    if block.is_time:
        return np.asarray((values < window.start) | (values > window.end))
    if block.group == "contacts":
        return np.full(len(values), not window.start <= document.scene.contact(block.owner).time <= window.end)
    return np.full(len(values), window.start > document.scene.start)


def _of_body(document: Document, character: Character, block: Block) -> np.ndarray:
    """Control points (K, D) of one spline of a body."""
    names, joints = character.skeleton.topology.dof_names, character.skeleton.topology.dof_joints
    spline = _spline(character.motion, block.part)
    shut = np.zeros(block.shape, bool)
    if isinstance(character.motion, Blend) and block.part == "alpha":
        shut |= _weights_outside(document, character.motion)[:, None]
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


def _weights_outside(document: Document, motion: Blend) -> np.ndarray:
    """(I,) of each interval of a blend, whether it has a weight of its own outside the window."""
    window, shut = document.freedom.window, np.zeros(len(motion.alpha), bool)
    if window is not None:
        bounds = [motion.start, *(time for ramp in motion.ramps for time in ramp), motion.end]
        for station, interval in enumerate(motion.stations):
            first, last = bounds[max(2 * station - 1, 0)], bounds[min(2 * station + 2, len(bounds) - 1)]
            if interval >= 0 and (first < window.start or last > window.end):
                shut[interval] = True
    return shut


def _spline(motion: Any, part: str) -> tuple[Grid, Any] | None:
    """Grid and warp of the spline that a part of a motion's parameters is; None of weights."""
    if isinstance(motion, Layer | FittedSpline):
        return motion.grid, None
    if isinstance(motion, Blend) and part.startswith("clips."):
        k = int(part.split(".")[1])
        branch = motion.motions[k]
        return (branch.grid, motion.warps[k - 1] if k else None) if isinstance(branch, Layer | FittedSpline) else None
    return None


def _own_time(warp: Any, time: float) -> float:
    return time if warp is None else float(warped(warp, np.array([time]))[0][0])

"""Which order of Euler angles a joint is edited in.

Three hinges in a row lose a degree of freedom where the middle one stands at ±90°. Files do get there: with the usual
order ZYX a root is locked whenever its body faces sideways, and around that place a smooth turn becomes a leap of two
angles between neighbouring rows. Values *at* rows are right all the same, but nothing in between is, and an edit has no
way to turn the body about the lost axis. So a joint that comes near its lock in a clip is edited in another order of
the same three axes that stays clear of it, and written back in the file's own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from kinematics.clip import Clip, continuous_triple, orthogonal_triples
from kinematics.errors import HoiError
from kinematics.rotation import Floats, are_orthogonal, hinge_angles, hinge_chain
from kinematics.skeleton import Skeleton

CLEAR = 0.5  # |cos| of the middle angle: 30° away from the lock and more is fine


def clear_of_gimbal_lock(clip: Clip) -> Clip:
    """The clip with the hinges of each joint that comes near its lock in a better order, and a notice that says so.

    Roots turn about the vertical first wherever that is clear, lock or no lock: a body can then be turned on the ground
    by adding to one angle.
    """
    order = np.arange(clip.skeleton.n_dofs)
    changed = []
    for triple in orthogonal_triples(clip.skeleton):
        axes, angles = clip.skeleton.axis[triple], clip.poses[:, triple]
        joint = clip.skeleton.topology.dof_joints[triple[0]]
        is_root = clip.skeleton.topology.parents[joint] < 0
        if np.abs(np.cos(angles[:, 1])).min() >= CLEAR and not (is_root and abs(axes[0, 1]) < 0.99):
            continue
        best = _best_order(axes, hinge_chain(axes, angles))
        if best != (0, 1, 2):
            order[triple] = [triple[k] for k in best]
            letters = _letters(clip.skeleton, order[triple]), _letters(clip.skeleton, triple)
            changed.append(f"{clip.skeleton.names[joint]} ({letters[0]}, not {letters[1]})")
    if not changed:
        return clip
    notice = (
        f"clear of gimbal lock in another order of angles than the file's, in which they are written again: "
        f"{', '.join(changed)}"
    )
    recharted = in_chart(clip, _reordered(clip.skeleton, order))
    return replace(recharted, notices=(*clip.notices, notice))


def _best_order(axes: Floats, rotations: Floats) -> tuple[int, ...]:
    """The order that stays farthest from its lock; one that turns about the vertical first if that is clear."""
    # the sine of the middle angle of hinges a, b, c is a·R c, up to its sign
    largest_sine = np.abs(axes @ rotations @ axes.T).max(axis=0)

    def clearance(order: tuple[int, ...]) -> float:
        return float(np.sqrt(max(0.0, 1.0 - largest_sine[order[0], order[2]] ** 2)))

    orders = sorted(permutations(range(3)), key=clearance, reverse=True)
    upright = [order for order in orders if abs(axes[order[0], 1]) > 0.99 and clearance(order) >= CLEAR]
    return upright[0] if upright else orders[0]


def _letters(skeleton: Skeleton, dofs: Iterable[int]) -> str:
    """Of angles, the letter of each axis: files call them "Xrotation" or "rx"."""
    names = [skeleton.topology.dof_names[int(d)].rpartition(".")[2] for d in dofs]
    return "".join(name.removeprefix("r")[:1].upper() for name in names)


def _reordered(skeleton: Skeleton, order: np.ndarray) -> Skeleton:
    """The skeleton with its DOFs permuted; limits of angles do not survive a change of order, so they go."""
    names = skeleton.topology.dof_names
    topology = replace(skeleton.topology, dof_names=tuple(names[d] for d in order))
    limits = np.where((order == np.arange(len(order)))[:, None], skeleton.limits, np.array([-np.inf, np.inf]))
    return replace(skeleton, topology=topology, axis=skeleton.axis[order], limits=limits)


def in_chart(clip: Clip, skeleton: Skeleton) -> Clip:
    """The same motion in the DOFs of `skeleton`, which has the same joints with hinges in another order."""
    if not same_joints(clip.skeleton, skeleton):
        raise HoiError(f"clip {clip.name!r} cannot be rewritten for a skeleton with other joints or bones")
    old, new = clip.skeleton.topology.dof_names, skeleton.topology.dof_names
    poses = clip.poses[:, [old.index(name) for name in new]]
    for joint in range(len(skeleton.names)):
        ours, theirs = clip.skeleton.dofs_of(joint, "rotation"), skeleton.dofs_of(joint, "rotation")
        if [old[d] for d in ours] != [new[d] for d in theirs]:
            if not are_orthogonal(skeleton.axis[theirs]):
                raise HoiError(f"joint {skeleton.names[joint]!r} has no other order of angles: its axes are oblique")
            rotations = hinge_chain(clip.skeleton.axis[ours], clip.poses[:, ours])
            poses[:, theirs] = continuous_triple(hinge_angles(skeleton.axis[theirs], rotations))
    return replace(clip, skeleton=skeleton, poses=poses)


def in_common_chart(clips: Sequence[Clip]) -> list[Clip]:
    """Clips of one skeleton, or of bodies that differ in bone lengths only, in one order of angles for all of them.

    They are then clips of the first one's body. Readers choose the order clip by clip; a blend needs the same in each.
    """
    first = clips[0]
    same_body = [replace(c, skeleton=replace(c.skeleton, offset=first.skeleton.offset)) for c in clips]
    together = [in_chart(clip, first.skeleton) for clip in same_body]
    everything = replace(first, poses=np.vstack([clip.poses for clip in together]), source_rows=None)
    return [in_chart(clip, clear_of_gimbal_lock(everything).skeleton) for clip in together]


def same_joints(a: Skeleton, b: Skeleton) -> bool:
    """Whether two skeletons differ in nothing but the order of hinges within their joints."""
    if a.names != b.names or a.topology.parents != b.topology.parents or not np.allclose(a.offset, b.offset, atol=1e-9):
        return False
    if sorted(a.topology.dof_names) != sorted(b.topology.dof_names):
        return False
    place = [a.topology.dof_names.index(name) for name in b.topology.dof_names]
    return bool(np.allclose(a.axis[place], b.axis, atol=1e-9))

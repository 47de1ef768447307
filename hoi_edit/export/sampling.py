"""A rollout at many times, as arrays: where things are and what becomes of them, and where all joints are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from hoi_edit.edit.holds import is_held
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Character, Held, named
from hoi_edit.simulate.packed_layouts import FRAME
from hoi_edit.simulate.trajectory import Event
from kinematics.rotation import Floats


@dataclass(frozen=True, eq=False)
class Track:
    """One thing at T times. At the time of an event it is just after it."""

    name: str
    times: Floats  # (T,)
    position: Floats  # (T, 3) [m]
    quaternion: Floats  # (T, 4) w, x, y, z; without changes of sign from row to row
    velocity: Floats  # (T, 3) [m/s] of the centre
    angular_velocity: Floats  # (T, 3) [rad/s], in the world
    phases: Sequence[str]  # "flight", "held", "contact"
    holders: Sequence[str]  # "juggler/left_palm"; of two hands "a+b"; "" where nobody holds it
    events: Sequence[str]  # kinds of what happened since the row before, as "grasp+release"; "" where nothing did


def track(rollout: Rollout, thing: str, times: Floats) -> Track:
    states = [rollout.state(thing, float(t)) for t in times]
    chain = rollout.trajectories.chains[thing]
    spans = [chain.index_at(float(t)) for t in times]
    return Track(
        thing,
        times,
        np.array([state.position for state in states]).reshape(-1, 3),
        quaternions(np.array([state.rotation for state in states]).reshape(-1, 3, 3)),
        np.array([state.velocity for state in states]).reshape(-1, 3),
        np.array([state.angular_velocity for state in states]).reshape(-1, 3),
        [chain.spans[k].kind for k in spans],
        [holder(rollout, thing, k) for k in spans],
        _between([event for event in chain.events if not event.is_seam], times),
    )


def holder(rollout: Rollout, thing: str, span: int) -> str:
    """Who holds a thing during one of its spans, by the sites that the plan names; nobody holds what lies there."""
    scene, chain = rollout.model.scene, rollout.trajectories.chains[thing]
    if not is_held(chain, span):
        return ""
    begun = next((event for event in reversed(chain.events[:span]) if event.holds), None)
    if begun is None:
        start = scene.thing(thing).start
        return "+".join(named(start.by)) if isinstance(start, Held) else ""
    return "+".join(named(scene.contact(begun.contact).other)) if begun.contact else str(begun.other)


def _between(events: Sequence[Event], times: Floats) -> list[str]:
    rows = np.searchsorted(times, [event.time for event in events], side="left")
    kinds_of_rows: list[list[str]] = [[] for _ in times]
    for row, event in zip(rows, events, strict=True):
        if row < len(times) and (row > 0 or event.time == times[0]):
            kinds_of_rows[row].append(event.kind)
    return ["+".join(kinds) for kinds in kinds_of_rows]


def joint_frames(rollout: Rollout, character: Character, times: Floats) -> tuple[Floats, Floats]:
    """Positions (T, J, 3) and rotations (T, J, 3, 3) of all joints in the world."""
    world, names = rollout.model.world, character.skeleton.names
    frames = world.first_frame[list(world.scene.characters).index(character)] + np.arange(len(names))
    rows = rollout.context.frames(np.tile(frames, len(times)), np.repeat(np.asarray(times, float), len(names)))
    motion = FRAME.unpack(rows)
    shape = (len(times), len(names))
    return motion.position.reshape(*shape, 3), motion.rotation.reshape(*shape, 3, 3)


def quaternions(rotations: Floats) -> Floats:
    """(T, 4) w, x, y, z of rotations (T, 3, 3) in order of time: the first with w >= 0, then the sign nearest the last.

    Both signs are one rotation, but whoever interpolates between two rows of different sign goes the long way round.
    """
    q = Rotation.from_matrix(rotations).as_quat(scalar_first=True)
    turns = np.where(np.sum(q[1:] * q[:-1], axis=1) < 0.0, -1.0, 1.0)
    first = -1.0 if len(q) and q[0, 0] < 0.0 else 1.0
    return np.asarray(q * (first * np.cumprod(np.concatenate([[1.0], turns])))[: len(q), None])

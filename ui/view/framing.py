"""What a camera is to show: points around people and things, at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoi_edit.export.sampling import joint_frames
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Character

Array = NDArray[np.float64]
ROUND_IT = 0.3  # [m] around something that is framed, to each side
CORNERS = np.stack(np.meshgrid(*3 * [[-1.0, 1.0]]), axis=-1).reshape(8, 3)
HEAD = 0.28  # [m] from the highest joint to the top of a person
AROUND = 0.6  # [s] for which the ways of things are framed
LOOKS = 24  # at a motion
NEAR = 4.0  # [m] from the people: a ball that is thrown over a field would make everybody small


def points_of_all(rollout: Rollout, t: float) -> Array:
    """(n, 3) everybody, and the things that are near them about then."""
    scene = rollout.model.scene
    bodies = [points_of_body(character, rollout, t) for character in scene.characters]
    around = np.linspace(max(scene.start, t - AROUND), min(scene.end, t + AROUND), 25)
    things = [rollout.positions(thing.name, around) for thing in scene.things]
    near = np.concatenate(bodies) if bodies else np.zeros((0, 3))
    if len(near):
        middle = near.mean(axis=0)
        things = [path[np.linalg.norm(path - middle, axis=1) < NEAR] for path in things]
    return np.concatenate([near, *things])


def points_of_motion(rollout: Rollout, start: float, end: float) -> Array:
    """(n, 3) everybody, and the things that are near them, from a time to another one."""
    return np.concatenate([points_of_all(rollout, float(t)) for t in np.linspace(start, end, LOOKS)])


def points_of(rollout: Rollout, name: str, point: str, t: float) -> Array:
    """(n, 3) of a person, of a thing, or of a part of a body; `point` is the name of what has a state."""
    scene = rollout.model.scene
    person = next((character for character in scene.characters if character.name == name), None)
    if person is not None:
        return points_of_body(person, rollout, t)
    thing = next((thing for thing in scene.things if thing.name == name), None)
    size = ROUND_IT if thing is None else max(ROUND_IT, 2.0 * thing.body.reach)
    return np.asarray(rollout.state(point, t).position + size * CORNERS)


def points_of_body(person: Character, rollout: Rollout, t: float) -> Any:
    """(n, 3) points that somebody lies between: the joints, and the top of the head."""
    joints = joint_frames(rollout, person, np.array([t]))[0][0]
    return np.concatenate([joints, joints.max(axis=0, keepdims=True) + np.array([[0.0, HEAD, 0.0]])])

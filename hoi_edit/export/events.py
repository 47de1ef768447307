"""Contact events as `.json`: what happened when, where, how fast, and whether it was meant to."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from hoi_edit.export.base import Draft, Take, require
from hoi_edit.reporting.words import count_of
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.packed_layouts import FRAME, STATE
from hoi_edit.simulate.trajectory import Event
from hoi_edit.version import __version__
from kinematics.rotation import Floats
from rigid.convex import Feature, Pose, contact

VERSION = 1


def json_drafts(take: Take, path: Path) -> list[Draft]:
    tree = _tree(take)
    take.tell(1, 1)
    data = (json.dumps(tree, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
    return [Draft(path, data, lambda written: _check(path, tree, take, written))]


def _tree(take: Take) -> dict[str, Any]:
    scene = take.scene
    events = [event for event in take.rollout.events if take.start <= event.time <= take.end]
    return {
        "format": "hoi-edit contact events",
        "version": VERSION,
        "generator": f"hoi-edit {__version__}",
        "scene": scene.name,
        "units": {"length": "m", "time": "s", "velocity": "m/s", "angle": "rad", "mass": "kg"},
        "up": "y",
        "handedness": "right",
        "gravity": [float(x) for x in scene.gravity],
        "start": take.start,
        "end": take.end,
        "duration": take.end - take.start,
        "characters": [character.name for character in scene.characters],
        "objects": [
            {"name": thing.name, "mass": float(thing.body.mass), "reach": thing.body.reach} for thing in scene.things
        ],
        "fixtures": [fixture.name for fixture in scene.fixtures],
        "missed": list(take.rollout.missed) if take.whole else [],
        "events": [_written(take.rollout, event) for event in events],
    }


def _written(rollout: Rollout, event: Event) -> dict[str, Any]:
    touched = bool(np.any(event.normal))
    before = rollout.state(event.object, event.time) if event.before is None else None
    row = np.asarray(event.before) if before is None else None
    centre = before.position if row is None and before is not None else STATE.unpack(row).position
    point = contact_point(rollout, event) if touched and row is not None else np.asarray(centre)
    velocity = relative_velocity(event, row, point) if touched and row is not None else None
    return {
        "kind": event.kind,
        "object": event.object,
        "other": event.other,
        "time": float(event.time),
        "position": point.tolist(),
        "normal": np.asarray(event.normal, float).tolist() if touched else None,
        "relative_velocity": None if velocity is None else velocity.tolist(),
        "intended": event.intended,
        "contact": event.contact,
        "declared": bool(event.declared),
    }


def contact_point(rollout: Rollout, event: Event) -> Floats:
    """Where a thing touches what it meets, in the world."""
    thing, state = rollout.model.scene.thing(event.object), STATE.unpack(np.asarray(event.before))
    body = thing.body
    if thing.shape.by_centre:
        return np.asarray(state.position - float(body.radius) * event.normal)
    if not isinstance(event.feature, Feature):
        return np.asarray(state.position)
    pose = Pose(state.rotation.reshape(3, 3), state.position)
    if event.twin is not None:
        other = STATE.unpack(np.asarray(event.twin))
        other_pose = Pose(other.rotation.reshape(3, 3), other.position)
        radius = float(rollout.model.scene.thing(str(event.other)).body.radius)
    else:
        assert event.frame is not None and event.patch is not None
        frame = FRAME.unpack(np.asarray(event.frame))
        R = frame.rotation.reshape(3, 3)
        other_pose = Pose(R @ event.patch.turned, frame.position + R @ event.patch.place)
        radius = float(event.patch.radius)
    return np.asarray(contact(event.feature, pose, other_pose, float(body.radius), radius)[2])


def relative_velocity(event: Event, before: Floats, point: Floats) -> Floats:
    """Of the thing just before, seen from what it touches, at the point of touch [m/s]."""
    state = STATE.unpack(before)
    velocity = state.velocity + np.cross(state.spin, point - state.position)
    if event.twin is not None:
        other = STATE.unpack(np.asarray(event.twin))
    elif event.frame is not None:
        other = FRAME.unpack(np.asarray(event.frame))
    else:
        return np.asarray(velocity)
    return np.asarray(velocity - other.velocity - np.cross(other.spin, point - other.position))


def _check(path: Path, tree: dict[str, Any], take: Take, written: Path) -> str:
    read = json.loads(written.read_text(encoding="utf-8"))
    require(read == tree, path, "events differ")
    times = [event.time for event in take.rollout.events if take.start <= event.time <= take.end]
    require([event["time"] for event in read["events"]] == times, path, "times of events differ")
    return count_of(len(times), "event")

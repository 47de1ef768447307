"""A bad throw that is saved: the leaning clip gets feet that stand, and a ball is dragged away from the juggler."""

import numpy as np

from hoi_edit.constraints import FootPlant, JointLimits
from hoi_edit.constraints.foot_plant import standing
from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Scene
from hoi_edit.scenes.juggle3 import SECONDS, juggling_clip
from hoi_edit.scenes.save import AFTER, BEFORE, LEANING, RAMP, SAVED, leaning_clip, scene
from hoi_edit.scenes.stage import solved
from hoi_edit.session import EditSession
from hoi_edit.simulation import Rollout
from kinematics.rotation import Floats

AHEAD = np.array([0.0, 0.0, 0.30])  # [m] by which the throw goes too far
LATE = 0.8  # of its flight: where it is dragged
EACH = 0.1  # [s] between the times at which feet are told where to stand
EDGE = 0.15  # [s] beyond the blend that may change


def save() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/save.npz`."""
    leaning = _with_feet_that_stand()
    session = EditSession(scene("save:start", {LEANING: leaning}))
    events = session.rollout.events
    (catch,) = (event for event in events if event.contact == f"catch{SAVED}" and event.kind == "grasp")
    thrown = max(event.time for event in events if event.object == catch.object and event.time < catch.time)
    time = thrown + LATE * (catch.time - thrown)
    session.add(JointLimits.of(session.rollout, "juggler"))
    plants = _plants(session.rollout, catch.time)
    print(session.drag(catch.object, time, session.state(catch.object, time).position + AHEAD))
    print("α", session.u[session.layout["juggler.alpha"].indices])
    session.lock("juggler.alpha")
    for plant in plants:  # a blend of two poses that stand does not quite (§5.2): that is put right afterwards
        print(plant.label, session.add(plant))
    print(session.compare().largest(4))
    blocks = [own for own in session.layout.blocks if own.name.startswith("juggler") or own.name.endswith(".release")]
    return {LEANING: leaning} | {own.name: session.u[own.indices].reshape(own.shape) for own in blocks}


def _plants(seen: Rollout, catch: float) -> list[FootPlant]:
    """Feet as they stand around the catch."""
    start, end = catch - BEFORE - RAMP - EDGE, catch + AFTER + RAMP + EDGE
    times = np.arange(start, end, EACH)
    points = {plant.point for plant in standing(seen, start, end)}
    return [FootPlant("juggler", own, times, seen.positions(f"juggler/{own}", times)) for own in sorted(points)]


def _with_feet_that_stand() -> Floats:
    """Control points of the leaning clip: adding angles of one pair of clips to a third does not keep its feet."""
    clip, plan = juggling_clip(), solved("juggle3")
    catch = float(plan["grasp.time"][SAVED - 1])
    routine, leaning = (
        EditSession(
            Scene(
                characters=[Character.of("juggler", own, Layer.over(own, opening=plan["juggler"]))],
                end=SECONDS,
                name=own.name,
            )
        )
        for own in (clip, leaning_clip(clip, catch))
    )
    leaning.window(catch - BEFORE - RAMP - 2 * EDGE, catch + AFTER + RAMP + 2 * EDGE, fade=0.0)
    for plant in _plants(routine.rollout, catch):
        print(leaning.add(plant))
    return leaning.u.reshape(np.shape(plan["juggler"]))

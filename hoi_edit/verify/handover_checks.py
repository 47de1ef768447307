"""Whether a thing that changes its carrier goes on as it was, with a hand on it, and lies flat where it is put down."""

from collections.abc import Iterator

import numpy as np
from scipy.spatial import ConvexHull

from hoi_edit.scene import Contact, named
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.verify.independent_frames import MeasuredMotion, angle_between
from hoi_edit.verify.independent_solids import FrameSolid
from hoi_edit.verify.measure import Measure
from hoi_edit.verify.performance import PerformanceRecord
from kinematics.rotation import Floats
from rigid.body import Body

LEAP = 1e-9  # [m], [rad]
ON_TIME = 1e-9  # [s]
AT_HAND = 0.01  # [m] that the middle of a palm is off what it takes, at most
FLAT = 1e-6  # [m] by which a corner is off what it lies on
STILL = 2e-6  # [m/s]
LOWEST = 1e-3  # [m] corners that are no higher than this are what a thing lies on


def handed_over(record: PerformanceRecord, name: str, span: Span, event: Event, then: Span) -> Iterator[Measure]:
    contact, at = record.stage.scene.contact(str(event.contact)), np.array([event.time])
    before, after = record.motion(name, span, at), record.motion(name, then, at)
    leap = float(np.linalg.norm(before.position - after.position))
    yield Measure("continuity", f"{name} does not leap at {contact.id}", event.time, leap, LEAP)
    turn = angle_between(before.rotation[0], after.rotation[0])
    yield Measure("continuity", f"{name} does not turn at {contact.id}", event.time, turn, LEAP, "rad")
    late = abs(event.time - contact.time)
    yield Measure("contacts", f"{contact.id} is when it is planned", event.time, late, ON_TIME, "s")
    checks = _lies(record, name, contact, before, after) if event.kind == "rest" else _at_hand(record, contact, before)
    yield from checks


def _at_hand(record: PerformanceRecord, contact: Contact, thing: MeasuredMotion) -> Iterator[Measure]:
    body = record.stage.scene.thing(contact.object).body
    for site in named(contact.other):
        place = record.stage.point(site, np.array([contact.time])).position
        off = _off_surface(body, thing.local(place))
        what = f"{site} is on {contact.object} ({contact.id})"
        if contact.declared:
            what = f"{site} is on {contact.object} ({contact.id} is declared, not solved)"
        yield Measure("declared" if contact.declared else "at hand", what, contact.time, off, AT_HAND)


def _off_surface(body: Body, place: Floats) -> float:
    """How far a place (1, 3) is off a body's surface, inside or outside; of a mesh off the planes of its hull."""
    solid = FrameSolid.of_body(body)
    if solid is not None:
        return float(abs(solid.distance(place)[0][0]))
    hull = ConvexHull(np.asarray(body.vertices, float))
    return float(abs((hull.equations[:, :3] @ place[0] + hull.equations[:, 3]).max() - float(body.radius)))


def _lies(
    record: PerformanceRecord, name: str, contact: Contact, before: MeasuredMotion, after: MeasuredMotion
) -> Iterator[Measure]:
    scene = record.stage.scene
    body, fixture = scene.thing(name).body, next(one for one in scene.fixtures if one.name == contact.carrier)
    corners = after.position[0] + np.asarray(body.vertices, float) @ after.rotation[0].T
    up = -np.asarray(record.stage.gravity) / np.linalg.norm(record.stage.gravity)
    solid = FrameSolid.of_fixture(fixture)
    top = float(solid.place @ up + np.abs(solid.rotation.T @ up) @ solid.half) + solid.radius
    heights = corners @ up - float(np.asarray(body.radius)) - top
    low = heights[heights <= heights.min() + LOWEST]
    off = float(np.abs(low).max())
    yield Measure("put down", f"{name} lies on {fixture.name}", contact.time, off, FLAT)
    short = float(max(min(len(corners), 3) - len(low), 0))
    yield Measure("put down", f"{name} lies flat on {fixture.name}", contact.time, short, 0.0, "corners")
    speed = float(np.linalg.norm(before.velocity)) + body.reach * float(np.linalg.norm(before.spin))
    yield Measure("put down", f"{name} is put down gently", contact.time, speed, STILL, "m/s")

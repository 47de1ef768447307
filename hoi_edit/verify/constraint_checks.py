"""Whether what the document promises holds: intended contacts, and each constraint by its own definition.

Constraints are read as records; what they mean is computed here.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hoi_edit.constraints import (
    FootPlant,
    HandAcceleration,
    JointLimits,
    KeepClear,
    KeepContact,
    OpenHands,
    Pin,
    SoftCatch,
)
from hoi_edit.motions import Blend
from hoi_edit.simulate.trajectory import Span
from hoi_edit.verify.independent_flight import ThingState
from hoi_edit.verify.independent_frames import MeasuredMotion, angle_between
from hoi_edit.verify.measure import Measure
from hoi_edit.verify.performance import PerformanceRecord
from hoi_edit.verify.physics_checks import nearest
from kinematics.errors import HoiError

HOLDS = 2e-6  # [m], [m/s], [rad]
LIMIT = 1e-3  # [rad]: limits are kept at sixty looks a second, and checked at five hundred
CLEAR = 1e-3  # [m]: the closest approach is kept at 240 looks a second, and checked at a thousand
AROUND = 0.25  # [s] to either side of its time that two are kept clear
MOMENT = 0.01  # [s] before the contact that ends its flight a thing need no longer be clear
LATE = 0.3  # [s] by which an intended contact may stray from its plan
FRAME = 1.0 / 60.0  # [s]: accelerations are those of a clip at 60 Hz
# how long after a ball was let go, and before it is caught [s], it is at least so far off the palm's plane [m]
LET_GO = ((0.02, 0.0005), (0.04, 0.003), (0.07, 0.012))
AWAITED = ((-0.02, 0.012), (-0.05, 0.035), (-0.09, 0.06))
QUICKER = 0.05  # of the limit that accelerations may exceed between two looks


def promises(record: PerformanceRecord, constraints: Sequence[Any], loose: Sequence[str]) -> Iterator[Measure]:
    yield from _contacts(record, loose)
    yield from _blends(record)
    for constraint in constraints:
        if type(constraint) not in _CHECKS:
            raise HoiError(f"a constraint of type {type(constraint).__name__} cannot be verified")
        yield from _CHECKS[type(constraint)](record, constraint)


def _contacts(record: PerformanceRecord, loose: Sequence[str]) -> Iterator[Measure]:
    """Each intended contact that must be kept happens, with what it was meant for."""
    stage = record.stage
    for contact in stage.scene.contacts:
        if contact.id in loose:
            continue
        event = record.event(contact.id)
        what = f"{contact.id} of {contact.object} with {contact.carrier} happens"
        if event is None:
            yield Measure("contacts", what, contact.time, np.inf, LATE, "s")
            continue
        yield Measure("contacts", what, event.time, abs(event.time - contact.time), LATE + 1e-9, "s")
        meant = stage.frame_name(stage.frame(contact.carrier)) if "/" in contact.carrier else contact.carrier
        as_meant = event.object == contact.object and event.other == meant and event.kind == contact.kind
        what = (
            f"{contact.id} is a {contact.kind} of {contact.object} with {meant}, not a {event.kind} with {event.other}"
        )
        yield Measure("contacts", what, event.time, 0.0 if as_meant else 1.0, 0.0, "")


def _blends(record: PerformanceRecord) -> Iterator[Measure]:
    """A blend stays between its clips: no share of any is negative, but for what it was made with."""
    for character in record.stage.scene.characters:
        if isinstance(character.motion, Blend):
            made_with, alpha = (
                np.asarray(character.motion.alpha),
                np.asarray(record.stage.controls.motions[character.name].alpha),
            )
            shares, first = (np.column_stack([1.0 - weights.sum(axis=1), weights]) for weights in (alpha, made_with))
            off = float((np.minimum(first, 0.0) - shares).max(initial=0.0))
            yield Measure("blends", f"{character.name} is a blend between its clips", None, off, HOLDS, "")


def _pin(record: PerformanceRecord, pin: Pin) -> Iterator[Measure]:
    now = record.place(pin.name, pin.t, pin.after)
    for what, value, is_, unit in (
        ("", pin.position, now.position[0], "m"),
        ("'s velocity", pin.velocity, now.velocity[0], "m/s"),
    ):
        if value is not None:
            miss = (np.asarray(value, float) - is_)[np.isfinite(np.asarray(value, float))]
            off = float(np.linalg.norm(miss))
            yield Measure("pins", f"{pin.name}{what} is where it is pinned", pin.t, off, HOLDS, unit)
    if pin.rotation is not None:
        off = angle_between(np.asarray(pin.rotation), now.rotation[0])
        yield Measure("pins", f"{pin.name} is turned as it is pinned", pin.t, off, HOLDS, "rad")


def _keep_contact(record: PerformanceRecord, kept: KeepContact) -> Iterator[Measure]:
    event = record.event(kept.contact)
    if event is None:
        yield Measure("contacts", f"{kept.contact} is kept", kept.time, np.inf, HOLDS)
        return
    frame = _partner(record, record.stage.scene.contact(kept.contact).carrier, event.time)
    place = frame.local(record.before(event.object, event.time).position)[0]
    off = float(np.linalg.norm(place - np.asarray(kept.place)))
    yield Measure("contacts", f"{kept.contact} is at its place", event.time, off, HOLDS)
    if kept.fixed_time:
        late = abs(event.time - kept.time)
        yield Measure("contacts", f"{kept.contact} is at {kept.time:.4f} s", event.time, late, HOLDS, "s")


def _partner(record: PerformanceRecord, name: str, time: float) -> MeasuredMotion:
    if record.stage.is_thing(name):
        return record.before(name, time)
    return record.stage.motion(record.stage.frame(name), np.array([time]))


def _keep_clear(record: PerformanceRecord, kept: KeepClear) -> Iterator[Measure]:
    scene = record.stage.scene
    low, high = max(kept.time - AROUND, scene.start), min(kept.time + AROUND, scene.end)
    if not record.stage.is_thing(kept.other):
        low = max(low, record.bound(kept.thing, kept.time, kept.after).start)
    end = None if kept.ends is None else record.event(kept.ends)
    high = high if end is None else min(high, end.time - MOMENT)
    times = np.arange(low, high, 1e-3)
    gaps = [_gap(record, kept, float(t)) for t in times]
    if gaps:
        k = int(np.argmin(gaps))
        off = max(kept.distance - gaps[k], 0.0)
        what = f"{kept.thing} stays {1e3 * kept.distance:.3g} mm clear of {kept.other}"
        yield Measure("clear", what, float(times[k]), off, CLEAR)


def _gap(record: PerformanceRecord, kept: KeepClear, time: float) -> float:
    after = None if record.stage.is_thing(kept.other) else kept.after
    state = ThingState.from_motion(record.place(kept.thing, time, after))
    _, met = nearest(record, kept.thing, state, kept.other, time)
    return np.inf if met is None else met.gap


def _joint_limits(record: PerformanceRecord, limits: JointLimits) -> Iterator[Measure]:
    character = record.stage.scene.character(limits.character)
    times = np.arange(record.stage.scene.start, record.stage.scene.end, 2e-3)
    q = record.stage.poses(character, times)[0]
    if np.shape(limits.low) != q.shape[1:]:
        raise HoiError(
            f"the limits of {limits.character!r} are of {np.size(limits.low)} joint angles, not {q.shape[1]}"
        )
    over = np.maximum(q - np.asarray(limits.high), np.asarray(limits.low) - q)
    for dof, name in enumerate(character.skeleton.topology.dof_names):
        k = int(np.argmax(over[:, dof]))
        off = max(float(over[k, dof]), 0.0)
        yield Measure("limits", f"{limits.character}/{name} is within its limits", float(times[k]), off, LIMIT, "rad")


def _foot_plant(record: PerformanceRecord, plant: FootPlant) -> Iterator[Measure]:
    name, times = f"{plant.character}/{plant.point}", np.asarray(plant.times, float)
    away = np.linalg.norm(record.stage.point(name, times).position - np.asarray(plant.places), axis=1)
    k = int(np.argmax(away))
    yield Measure("feet", f"{name} stands still", float(times[k]), float(away[k]), HOLDS)


def _hand_acceleration(record: PerformanceRecord, limit: HandAcceleration) -> Iterator[Measure]:
    scene = record.stage.scene
    times = np.arange(scene.start, scene.end, FRAME)
    places = record.stage.point(limit.name, times).position
    size = np.linalg.norm(places[2:] - 2.0 * places[1:-1] + places[:-2], axis=1) / FRAME**2
    size = np.where((times[1:-1] >= limit.start) & (times[1:-1] <= limit.end), size, 0.0)
    k = int(np.argmax(size))
    off = max(float(size[k]) - limit.most, 0.0)
    what = f"{limit.name} accelerates by no more than {limit.most:.3g} m/s²"
    yield Measure("acceleration", what, float(times[k + 1]), off, QUICKER * limit.most, "m/s²")


def _soft_catch(record: PerformanceRecord, soft: SoftCatch) -> Iterator[Measure]:
    event = record.event(soft.contact)
    if event is None:
        return
    ball = record.before(event.object, event.time)
    hand = _partner(record, record.stage.scene.contact(soft.contact).carrier, event.time)
    speed = float(np.linalg.norm(ball.velocity - hand.velocity_at(ball.position)))
    what = f"{soft.contact} meets at no more than {soft.fastest:.3g} m/s"
    yield Measure("soft catches", what, event.time, max(speed - soft.fastest, 0.0), HOLDS, "m/s")


def _open_hands(record: PerformanceRecord, hands: OpenHands) -> Iterator[Measure]:
    scene = record.stage.scene
    starts = {thing.name: thing.start for thing in scene.things}
    for hold in hands.holds:
        thing = hold if hold in starts else scene.contact(hold).object
        carrier = starts[hold].carrier if hold in starts else scene.contact(hold).carrier  # type: ignore[union-attr]
        chain = record.chains[thing]
        for k, event in enumerate(chain.events):
            released = event.kind == "release"
            span = chain.spans[k + 1 if released else k]
            if event.contact != hold or span.kind != "flight":
                continue
            ends = (event.time, chain.events[k + 1].time if k + 1 < len(chain.events) else scene.end)
            low, high = ends if released else (span.start, event.time)
            for wait, out in LET_GO if released else AWAITED:
                time = event.time + wait
                if low < time < high:
                    off = max(out - _off_the_palm(record, thing, span, carrier, time), 0.0)
                    yield Measure("open hands", f"{carrier} is out of the way of {thing}", time, off, HOLDS)


def _off_the_palm(record: PerformanceRecord, thing: str, span: Span, site: str, time: float) -> float:
    """How far a ball is from the plane of a site."""
    who, _, name = site.partition("/")
    palm = record.stage.scene.character(who).skeleton.site(name)
    frame = record.stage.motion(record.stage.frame(site), np.array([time]))
    place = frame.local(record.motion(thing, span, np.array([time])).position)[0]
    radius = float(record.stage.scene.thing(thing).body.radius)
    return float(np.asarray(palm.rotation)[:, 2] @ (place - np.asarray(palm.position))) - radius


Check = Callable[[PerformanceRecord, Any], Iterator[Measure]]
_CHECKS: dict[type, Check] = {
    Pin: _pin,
    KeepContact: _keep_contact,
    KeepClear: _keep_clear,
    JointLimits: _joint_limits,
    FootPlant: _foot_plant,
    HandAcceleration: _hand_acceleration,
    SoftCatch: _soft_catch,
    OpenHands: _open_hands,
}

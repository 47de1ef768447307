"""Whether things fly, are held, leave, bounce and are caught by the laws, each span and event on its own."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hoi_edit.scene.controls import initial_controls
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.verify.handover_checks import handed_over
from hoi_edit.verify.independent_contact import MeasuredTouch, Struck, law_breaks, touch
from hoi_edit.verify.independent_flight import ThingState, flown
from hoi_edit.verify.independent_frames import MeasuredMotion, angle_between, segments
from hoi_edit.verify.independent_solids import FrameSolid
from hoi_edit.verify.measure import Measure
from hoi_edit.verify.performance import SAME, PerformanceRecord, apart

# an edit is done when nothing is off by more than 1e-6, and states are carried on from there
ALLOWED = {"m": 2e-6, "m/s": 2e-6, "rad": 2e-6, "rad/s": 2e-5}
IN_AIR = 20.0  # times that: the program's own integrator is allowed a micrometre
GAP = 1e-8  # [m] at a touch
BODY = 1e-9  # [m] of a segment's place
AT_SITE = 0.02  # [m] by which a ball that is passed on may be off the point that takes it
IN_HAND = 1e-3  # [m] by which what starts in a hand may come out of it, or sink in
LOOKS = 6  # at each span, on its way


def physics(record: PerformanceRecord) -> Iterator[Measure]:
    yield from _bodies(record)
    for name, chain in record.chains.items():
        yield from _start(record, name, chain.spans[0])
        for k, span in enumerate(chain.spans):
            yield from _along(record, name, span)
            if k < len(chain.events):
                yield from _event(record, name, span, chain.events[k], chain.spans[k + 1])


def _bodies(record: PerformanceRecord) -> Iterator[Measure]:
    """Every segment is where forward kinematics puts it."""
    scene = record.stage.scene
    times = np.linspace(scene.start, scene.end, 41)
    for character in scene.characters:
        moves = segments(character.skeleton, *record.stage.poses(character, times))
        for called in character.skeleton.names:
            name = f"{character.name}/{called}"
            _, segment, local = scene.place(name)  # a site may have the name of a segment
            places = moves[segment].carried(local, np.eye(3)).position
            away = np.linalg.norm(places - record.said.positions(name, times), axis=1)
            at = int(np.argmax(away))
            yield Measure("bodies", f"{name} is where its pose puts it", float(times[at]), float(away[at]), BODY)


def _start(record: PerformanceRecord, name: str, span: Span) -> Iterator[Measure]:
    """The first span begins as the controls say."""
    begin = record.stage.start(record.stage.scene.thing(name))
    if span.kind == "held":
        yield from _in_hand(record, name, span, begin)
        said = ThingState(np.asarray(span.position), np.asarray(span.rotation), np.zeros(3), np.zeros(3))
    elif span.kind == "flight":
        said = ThingState.of(np.asarray(span.state))
    else:
        return
    yield from _same(f"{name} starts as its controls say", span.start, begin, said)


def _in_hand(record: PerformanceRecord, name: str, span: Span, begin: ThingState) -> Iterator[Measure]:
    """Where a thing lies in the hand at first is a control: it may slide there, but neither sink in nor float."""
    stage = record.stage
    thing = stage.scene.thing(name)
    built = np.asarray(initial_controls(stage.scene).starts[name].position, float)
    gaps = [
        [
            met.gap
            for met in (touch(thing.body, state, MeasuredMotion.still(1), solid) for solid in stage.solids(span.frame))
            if met
        ]
        for state in (begin, replace(begin, position=built, rotation=np.asarray(thing.start.rotation, float)))
    ]
    if all(gaps):
        off = abs(min(gaps[0]) - min(gaps[1]))
        what = f"{name} lies as close to {stage.frame_name(span.frame)} as it was put there"
        yield Measure("in hand", what, span.start, off, IN_HAND)


def _same(
    what: str, time: float, a: ThingState, b: ThingState, kind: str = "continuity", slack: float = 1.0
) -> Iterator[Measure]:
    for unit, off in apart(a, b).items():
        yield Measure(kind, what, time, off, slack * ALLOWED[unit], unit)


def _slack(record: PerformanceRecord, name: str) -> float:
    return IN_AIR if record.stage.air(record.stage.scene.thing(name)) is not None else 1.0


def _along(record: PerformanceRecord, name: str, span: Span) -> Iterator[Measure]:
    """What the session shows in between is what its beginning leads to."""
    if span.kind == "contact" or span.end - span.start < 1e-6:
        return
    kind = "flight" if span.kind == "flight" else "hold"
    times = span.start + (span.end - span.start) * (np.arange(LOOKS) + 0.5) / LOOKS
    chain = record.chains[name]
    k = next(k for k, other in enumerate(chain.spans) if other is span)
    if k < len(chain.events) and chain.events[k].settling is not None:
        times = times[times < chain.events[k].settling[1]]
    begun = -np.inf if k == 0 else chain.events[k - 1].time
    times = times[times > begun]
    if not len(times):
        return
    computed, reported = record.motion(name, span, times).position, record.said.positions(name, times)
    away = np.linalg.norm(computed - reported, axis=1)
    worst = int(np.argmax(away))
    law = "flies as gravity and air say" if kind == "flight" else "stays as it lies in the hand"
    allowed = ALLOWED["m"] * _slack(record, name)
    yield Measure(kind, f"{name} {law}", float(times[worst]), float(away[worst]), allowed)


def _event(record: PerformanceRecord, name: str, span: Span, event: Event, then: Span) -> Iterator[Measure]:
    if event.kind in ("grasp", "rest") and span.kind == "held" and event.contact is not None:
        yield from handed_over(record, name, span, event, then)
    elif event.kind in ("impact", "grasp", "rest"):
        yield from _touched(record, name, span, event, then)
    elif event.kind == "release":
        yield from _released(record, name, span, event, then)
    elif event.kind == "pass":
        yield from _passed(record, name, span, event, then)
    elif event.kind == "jump":
        before = record.motion(name, span, np.array([event.time])).position[0]
        after = record.motion(name, then, np.array([event.time])).position[0]
        leap = max(float(np.linalg.norm(before - after)), np.nextafter(ALLOWED["m"], 1.0))
        yield Measure("continuity", f"{name} goes on without a leap", event.time, leap, ALLOWED["m"])


def _released(record: PerformanceRecord, name: str, span: Span, event: Event, then: Span) -> Iterator[Measure]:
    held = ThingState.from_motion(record.motion(name, span, np.array([event.time])))
    yield from _same(
        f"{name} leaves {event.other} with its velocity", event.time, held, ThingState.of(np.asarray(event.after))
    )
    yield from _goes_on(record, name, held, event, then)
    asked = record.stage.controls.contacts[str(event.contact)].release
    late = abs(event.time - max(float(asked), span.start))
    yield Measure("release", f"{name} leaves {event.other} when its controls say", event.time, late, 1e-9, "s")


def _goes_on(record: PerformanceRecord, name: str, after: ThingState, event: Event, then: Span) -> Iterator[Measure]:
    """The next flight goes on from an event; its state may be that of another time of the same flight."""
    if then.kind != "flight":
        return
    thing, stage = record.stage.scene.thing(name), record.stage
    arrived = flown(after, thing.body, stage.air(thing), stage.gravity, then.start - event.time)
    called = event.contact or f"{event.kind} with {event.other}"
    what = f"{name} goes on after {called} as it left"
    yield from _same(what, event.time, arrived, ThingState.of(np.asarray(then.state)), slack=_slack(record, name))


def _touched(record: PerformanceRecord, name: str, span: Span, event: Event, then: Span) -> Iterator[Measure]:
    time = event.time if event.settling is None else float(event.settling[1])
    before = ThingState.from_motion(record.motion(name, span, np.array([time])))
    if span.kind == "flight":
        what = f"{name} arrives at {event.other} as its flight says"
        said = ThingState.of(np.asarray(event.before))
        yield from _same(what, time, before, said, "flight", _slack(record, name))
    frame, met = nearest(record, name, before, str(event.other), time)
    if met is not None:
        if event.declared:
            what = f"{name} meets {event.other} ({event.contact} is declared, not solved)"
            yield Measure("declared", what, time, abs(met.gap), GAP)
            return
        yield Measure("gap", f"{name} touches {event.other}", time, abs(met.gap), GAP)
    if event.kind == "grasp" and then.kind == "held":
        yield from _caught(record, name, before, event, then)
    elif event.kind == "impact" and span.kind == "flight" and event.after is not None:
        if met is not None:
            yield from _bounced(record, name, before, frame, met, event)
        yield from _goes_on(record, name, ThingState.of(np.asarray(event.after)), event, then)


def _caught(record: PerformanceRecord, name: str, before: ThingState, event: Event, then: Span) -> Iterator[Measure]:
    """It lies in the hand where it came to it."""
    yield from _lies(record, name, before, event, then, f"as {event.contact} caught it")


def _lies(
    record: PerformanceRecord, name: str, before: ThingState, event: Event, then: Span, how: str
) -> Iterator[Measure]:
    hand = record.stage.motion(then.frame, np.array([event.time]))
    place = hand.local(before.position[None])[0]
    off = float(np.linalg.norm(place - np.asarray(then.position)))
    yield Measure("continuity", f"{name} lies {how}: its place", event.time, off, ALLOWED["m"])
    turn = angle_between(hand.rotation[0].T @ before.rotation, np.asarray(then.rotation))
    yield Measure("continuity", f"{name} lies {how}: its turn", event.time, turn, ALLOWED["rad"], "rad")


def _passed(record: PerformanceRecord, name: str, span: Span, event: Event, then: Span) -> Iterator[Measure]:
    """It goes over where it is, when its controls say; and who takes it is there, unless that is only declared."""
    before = ThingState.from_motion(record.motion(name, span, np.array([event.time])))
    yield from _lies(record, name, before, event, then, f"as {event.contact} took it over")
    asked = max(float(record.stage.controls.contacts[str(event.contact)].passed), span.start)
    what = f"{name} is passed to {event.other} when its controls say"
    yield Measure("release", what, event.time, abs(event.time - asked), 1e-9, "s")
    contact = record.stage.scene.contact(str(event.contact))
    thing = record.stage.scene.thing(name)
    if len(thing.body.vertices) == 1:
        site = record.stage.point(contact.carrier, np.array([event.time])).position[0]
        off = abs(float(np.linalg.norm(before.position - site)) - float(thing.body.radius))
        if event.declared:
            what = f"{name} is at {contact.carrier} ({contact.id} is declared, not solved)"
            yield Measure("declared", what, event.time, off, GAP)
        else:
            yield Measure("in hand", f"{name} is at {contact.carrier}", event.time, off, AT_SITE)


def _bounced(
    record: PerformanceRecord, name: str, before: ThingState, frame: MeasuredMotion, met: MeasuredTouch, event: Event
) -> Iterator[Measure]:
    stage, other = record.stage, str(event.other)
    thing = Struck(stage.scene.thing(name).body, before, ThingState.of(np.asarray(event.after)))
    partner = Struck(None, ThingState.from_motion(frame), ThingState.from_motion(frame))
    contact = event.contact
    if stage.is_thing(other):
        twin = next(
            (e for e in record.chains[other].events if abs(e.time - event.time) <= SAME and e.other == name), None
        )
        if twin is not None and twin.after is not None:
            then = ThingState.of(np.asarray(twin.after))
            partner = Struck(stage.scene.thing(other).body, ThingState.from_motion(frame), then)
            contact = contact or twin.contact
    law = stage.law(event, contact)
    kinds = {"it bounces": "restitution", "friction": "friction", "sliding": "friction", "its spin": "friction"}
    for claim, off, unit in law_breaks(thing, partner, met, law):
        kind = next((kind for start, kind in kinds.items() if claim.startswith(start)), "momentum")
        called = f" ({contact})" if contact else ""
        yield Measure(
            kind, f"{name} on {other}{called}: {claim}", event.time, off, ALLOWED[unit] * _slack(record, name), unit
        )


def nearest(
    record: PerformanceRecord, name: str, state: ThingState, other: str, time: float
) -> tuple[MeasuredMotion, MeasuredTouch | None]:
    """The frame of what is touched, and the touch with the nearest of its shapes; None where shapes have corners."""
    stage, body = record.stage, record.stage.scene.thing(name).body
    fixture = stage.fixture(other)
    if stage.is_thing(other):
        frame, solid = record.before(other, time), FrameSolid.of_body(stage.scene.thing(other).body)
        solids = [] if solid is None else [solid]
    elif fixture is not None:
        frame, solids = MeasuredMotion.still(1), [FrameSolid.of_fixture(fixture)]
    else:
        number = stage.frame(other)
        frame, solids = stage.motion(number, np.array([time])), stage.solids(number)
    touches = [met for met in (touch(body, state, frame, solid) for solid in solids) if met is not None]
    return frame, min(touches, key=lambda met: met.gap, default=None)

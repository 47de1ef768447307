"""A ball that lies on something while something else, that moves against it, pushes it.

- *A push.* Where the ball would not get away from what pushes it, because that comes after it, or because what it lies
  on throws it back, both answer at once and without friction (`rigid.push`): it stays on what it lies on and leaves the
  other with what is left of the speed of the touch, or with `HOP` if that is less: so contact that lasts is a sequence
  of small pushes.
- *A jam.* Where it is pressed straight into what it lies on, or touches without end, there is no way out. It stays
  where it is, on whatever of the two stands still, until what presses it has left; meanwhile that goes through it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from hoi_edit.simulate.contact_laws import Law
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.packed_states import all_carried, relative
from hoi_edit.simulate.search import STRUCK, flights, solids, touch_at, touches_at
from hoi_edit.simulate.search.layouts import GAP, RATE, TOUCHING, UNTIL_OFF, Solids
from hoi_edit.simulate.search.rolling_contact import LEANING
from hoi_edit.simulate.search.rolling_pairs import HOP
from hoi_edit.simulate.spans.rolling_motion import SETTLE, begin_contact
from hoi_edit.simulate.trajectory import Event, Jam, Patch, Span
from kinematics.rotation import Floats
from kinematics.rotation_compiled import turned
from rigid.push import push

CROWD, INSTANT = 20, 1e-3  # so many touches of one ball within so many seconds, and it stays where it is
COMING = 1e-3  # [m/s] a surface that comes along its normal more slowly than this stands still
NARROW = 0.25  # sine of the angle of a wedge: in a narrower one there is no way out, as it would leave so much faster
LOOK, AT_ONCE = 1e-3, 512  # [s] between looks at a ball that is jammed, and how many are taken together
LEFT = 1e-6  # [m] what jams a ball is this far off when it has left


class Partner(NamedTuple):
    """What pushes: one of some surfaces."""

    solids: Solids
    surface: int
    jam: Jam  # how it is called, and its shape, if it jams the ball


def seen(
    simulation: Any, cursor: Cursor, surface: int, state: Floats, t: float, accel: Floats, among: Solids | None = None
) -> Floats:
    """All about a ball in some state and a surface of the world, or one among others (STRUCK)."""
    times = np.array([t])
    flight = flights(times, state[None], np.array([float(cursor.thing.body.radius)]), times, times)[0]
    return touch_at(simulation.exact.moving, among or simulation.world.solids, surface, accel, flight, t)


def is_crowded(cursor: Cursor, time: float) -> bool:
    """Whether a ball has touched surfaces, and nothing else, all too often."""
    last = _lately(cursor, time)
    return len(last) >= CROWD and all(event.twin is None for event in last[-CROWD:])


def _lately(cursor: Cursor, time: float) -> list[Event]:
    """What happened to a thing just before a time; its chain may be about to be cut there."""
    events, end = cursor.events, len(cursor.events)
    while end > 0 and events[end - 1].time > time:
        end -= 1
    begin = end
    while begin > 0 and time - events[begin - 1].time < INSTANT:
        begin -= 1
    return events[begin:end]


def is_kept_on(simulation: Any, cursor: Cursor, surface: int, event: Event) -> bool:
    """Whether a ball touches what it lay on when it was struck, and has not left at all; at a node it may have."""
    if abs(event.rate) > TOUCHING or event.time != cursor.time:
        return False
    if not cursor.spans:
        return bool(cursor.began > simulation.scene.start)
    return cursor.spans[-1].kind == "contact" and cursor.spans[-1].surface == surface


# -- a push ------------------------------------------------------------------------------------------------------------


def answered(
    simulation: Any, cursor: Cursor, span: Span, partner: Partner, struck: Any, law: Law, meant: bool, at_once: bool
) -> dict[str, Any]:
    """What a touch of a ball in contact does, into `struck`, and what its event says of that beside."""
    time, pull = float(struck.time), float(struck.pull)
    struck = simulation.bounced(cursor.thing, struck, law)
    base = STRUCK.unpack(seen(simulation, cursor, span.surface, np.array(struck.before), time, simulation.gravity))
    lasts = (
        at_once
        or pull < -LEANING
        or _speed(struck, cursor, struck.normal) - _speed(base, cursor, base.normal, struck.normal) > COMING
    )
    slow = not meant and lasts and law[0] * -float(struck.rate) < HOP
    squeezed = _thrown_back(simulation, cursor, span, partner, struck)
    if not (slow or squeezed):
        return {"jam": partner.jam} if not meant and is_crowded(cursor, time) else {}
    normal = np.empty(3)
    turned(np.asarray(struck.normal), np.array(law[2:5]), normal)
    along = float(normal @ base.normal)
    if is_crowded(cursor, time) or (along < 0.0 and 1.0 - along**2 < NARROW**2):
        return {"jam": partner.jam}
    rate = float(normal @ struck.before[12:15]) - _speed(struck, cursor, normal)
    apart = -law[0] * rate if meant or not slow else HOP
    pressed, after = float(along < 0.0), np.array(struck.before)
    after[12:15] = push(after[12:15], normal, rate, base.normal, float(base.rate), apart, pressed)
    struck.after, struck.stick, struck.ratio = after, 0.0, 0.0
    return {"push": (apart if slow else -1.0, pressed), "hop": slow}


def _speed(struck: Any, cursor: Cursor, normal: Floats, along: Floats | None = None) -> float:
    """[m/s] of a surface where it touches a ball by its normal: along that, or along something else."""
    frame = np.asarray(struck.frame)
    arm = np.asarray(struck.before)[:3] - float(cursor.thing.body.radius) * normal - frame[:3]
    return float((normal if along is None else along) @ (frame[12:15] + np.cross(frame[15:18], arm)))


def _thrown_back(simulation: Any, cursor: Cursor, span: Span, partner: Partner, struck: Any) -> bool:
    """Whether what a ball lies on, by its answer to a touch, throws it back at what it has touched."""
    time, gravity = float(struck.time), simulation.gravity
    base = STRUCK.unpack(seen(simulation, cursor, span.surface, np.array(struck.after), time, gravity))
    if base.rate >= -TOUCHING:
        return False
    law = simulation.laws.of_touch(cursor.thing, [], simulation.world.surfaces, span.surface, time)
    after = simulation.bounced(cursor.thing, base, law).after
    return bool(seen(simulation, cursor, partner.surface, after, time, gravity, partner.solids)[RATE] < HOP)


# -- a jam -------------------------------------------------------------------------------------------------------------


def jam(simulation: Any, cursor: Cursor, span: Span, event: Event, surface: int | None) -> None:
    """It stays where it is, on what it lay on, or on the surface that it touches if only that stands still."""
    others = [patch for _, patch in _others(cursor, event, span.frame)]
    carrier = span.surface
    if surface is not None and span.frame >= 0 and simulation.world.surfaces.frame[surface] < 0:
        s, carrier = simulation.world.surfaces, surface
        event = event._replace(jam=Jam(s.name[span.surface], s.patch(span.surface)))
        others = [s.patch(span.surface)]
    simulation.append(cursor, span, event._replace(kind="rest", after=event.before, stick=1.0, ratio=0.0, push=None))
    if not cursor.done:
        stay(simulation, cursor, carrier, np.asarray(event.before), others)


def crowded(simulation: Any, cursor: Cursor, span: Span, event: Event, surface: int, friction: float) -> bool:
    """Whether a flight between surfaces that come together ends in this touch: at rest on what stands still, or in a
    jam."""
    frame = int(simulation.world.surfaces.frame[surface])
    others = _others(cursor, event, frame)
    if frame >= 0 and any(patch.frame < 0 for _, patch in others):
        return False  # it ends where it next touches that
    law = (0.0, *simulation.laws.of_event(event)[1:])
    spent = event._replace(restitution=0.0)
    struck = STRUCK.unpack(seen(simulation, cursor, surface, np.array(event.before), event.time, simulation.gravity))
    spent = spent._replace(after=simulation.bounced(cursor.thing, struck, law).after)
    if others and simulation.settled(cursor, span, spent, surface, 0.0, friction):
        return True
    pressed = Jam(*others[-1]) if others else None
    simulation.append(cursor, span, event._replace(kind="rest", after=event.before, stick=1.0, ratio=0.0, jam=pressed))
    if others:
        stay(simulation, cursor, surface, np.asarray(event.before), [patch for _, patch in others])
    else:
        simulation.hold(cursor, frame, *relative(np.asarray(event.frame), np.asarray(event.before)), None, "")
    return True


def _others(cursor: Cursor, event: Event, frame: int) -> list[tuple[str, Patch]]:
    """What a ball has touched lately and now, beside what stays with a frame."""
    touched = [(str(own.other), own.patch) for own in (*_lately(cursor, event.time), event) if own.patch is not None]
    return [(name, patch) for name, patch in touched if patch.frame != frame]


def stay(simulation: Any, cursor: Cursor, surface: int, state: Floats, others: Sequence[Patch]) -> None:
    """Jammed on a surface until all others have left."""
    frame = int(simulation.world.surfaces.frame[surface])
    place = relative(simulation.exact.frames([frame], [cursor.time])[0], state)
    simulation.hold(cursor, frame, *place, None, "")
    assert cursor.hold is not None
    cursor.release, cursor.jam = _left(simulation, cursor, cursor.hold, others), surface


def _left(simulation: Any, cursor: Cursor, hold: Span, others: Sequence[Patch]) -> float:
    """When all of some surfaces have left a ball that stays; inf if they do not."""

    def apart(times: Floats) -> Floats:
        gaps = [gaps_of_held(simulation, cursor.thing, hold, patch, times) for patch in others]
        return np.asarray(np.min(gaps, axis=0) - LEFT)

    begin = cursor.time
    while begin < cursor.limit:
        times = begin + LOOK * np.arange(1.0, AT_ONCE + 1.0)
        off = np.flatnonzero(apart(times) > 0.0)
        if len(off):
            low, high = float(times[off[0]] - LOOK), float(times[off[0]])
            while off[0] > 0 and high - low > 1e-9:
                middle = 0.5 * (low + high)
                low, high = (low, middle) if apart(np.array([middle]))[0] > 0.0 else (middle, high)
            return high
        begin = float(times[-1])
    return np.inf


def gaps_of_held(simulation: Any, thing: Any, hold: Span, patch: Patch, times: Floats) -> Floats:
    """(N,) of a ball that is carried along, from a surface, at times."""
    frames = simulation.exact.frames(np.full(len(times), hold.frame), times)
    states = all_carried([hold] * len(times), frames)
    packed = flights(times, states, np.full(len(times), float(thing.body.radius)), times, times)
    one = solids(np.array([patch.frame]), patch.place[None], patch.turned[None], patch.core[None], patch.radius)
    zeros = np.zeros(len(times), np.int64)
    return np.asarray(touches_at(simulation.exact.moving, one, zeros, simulation.gravity, packed, times)[:, GAP])


def go_on_after_jam(simulation: Any, cursor: Cursor, hold: Span, frame: Floats, state: Floats) -> None:
    """What jammed a ball has left: it lies on what carried it, or falls off that."""
    s, k, body = simulation.world.surfaces, cursor.jam, cursor.thing.body
    simulation.append(
        cursor, hold, Event("goes on", cursor.thing.name, cursor.release, s.name[k], frame=frame, after=state)
    )
    law = simulation.laws.of_touch(cursor.thing, [], s, k, cursor.time)
    row = SETTLE.pack(
        1, frame=frame, after=state, place=s.place[k], turned=s.turned[k].ravel(), core=s.core[k], radius=s.radius[k],
        ball_radius=body.radius, moment=body.moments[0] / (body.mass * body.radius**2), restitution=0.0,
        friction=law[1],
    )[0]  # fmt: skip
    settles, _, contact, ride, _ = jax.device_get(begin_contact(simulation.gravity, row))
    if settles:
        simulation.in_contact(cursor, k, contact, ride)
    else:
        simulation.take_off(cursor, state)
        cursor.blind = {k: UNTIL_OFF}

"""Covectors carried back through touches of things that did not fly before: by the state at the nominal time.

Where a contact, or a place in a hand, ended in a touch, the link is by the state just before it (`links.states`), and
that state is carried back through the span like any target.
"""

from typing import Any

import numpy as np

from hoi_edit.adjoint.accumulator import Gathering
from hoi_edit.adjoint.along import ride_back, settled_back, state_back
from hoi_edit.adjoint.event_rows import surface_row
from hoi_edit.adjoint.rows import time_name
from hoi_edit.simulate.events.hull_pair import pair_columns
from hoi_edit.simulate.events.local_jacobians import TOUCH
from hoi_edit.simulate.events.state_jacobians import (
    AFTER,
    ONTO,
    PAIRED,
    STRIKE,
    paired_links,
    strike_links,
    to_flight,
    to_hold,
    to_ride,
)
from hoi_edit.simulate.frames import chunked
from hoi_edit.simulate.packed_layouts import FRAME, STATE
from hoi_edit.simulate.search.rolling_pairs import state_of_span
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats
from rigid.body import Body
from rigid.convex import Feature
from rigid.hull_features import VERTEX_VERTEX

SLOW = 1e-6  # [m/s] a touch that comes more slowly changes nothing by when it is


def struck_through(gathering: Gathering, name: str, k: int, rows: Ints, on: Floats, shown: float | None = None) -> None:
    """From covectors on what follows a touch that ended a contact, to that contact and to all else that has a say; or,
    with a time `shown`, from the state at that time, while the ball settles."""
    chain, simulation = gathering.chains[name], gathering.simulation
    event, span = chain.events[k], chain.spans[k]
    _, rates = simulation.ridden_and_rates(span, event.touched)
    if event.settling is not None:
        row = surface_row(gathering.local, Span("flight", name, event.touched, event.time, event.before), event)
        row[TOUCH.slices["declared"]] = float(-event.rate < SLOW)
        on_state = settled_back(gathering, chain, k, row, rates, rows, on, shown=shown)
    else:
        row = _strike_row(gathering, event, span, rates)
        on_state = through_touch(gathering, name, k, row, rows, on)
        if event.declared and not gathering.scene.contact(str(event.contact)).declared:
            by_time = after_back(gathering, name, k, rows, on) @ _decreed_later(row)
            gathering.add(time_name(str(event.contact)), rows, by_time[:, None])
    ride_back(gathering, name, k, event.touched, rows, on_state)


def _decreed_later(row: Floats) -> Floats:
    """(13,) the state just after a touch and its delay, by the time at which it is decreed: until then the ball goes on
    as it did, and so does what it touches."""
    item, link = STRIKE.unpack(row), chunked(strike_links, row[None])[0]
    ball, frame = STATE.unpack(item.state), FRAME.unpack(item.frame)
    goes_on = np.concatenate([ball.velocity, ball.spin, item.rates])
    moves = np.concatenate([frame.velocity, frame.spin, frame.accel, frame.spin_accel])
    return np.append((link[:, :12] @ goes_on + link[:, 12:24] @ moves)[:12], 1.0)


def pair_through(gathering: Gathering, name: str, k: int, rows: Ints, on: Floats) -> None:
    """From covectors on what follows a meeting, to both things before it."""
    event = gathering.chains[name].events[k]
    other, j = gathering.local.twin(event)
    row = paired_row(gathering, (name, k), (other, j))
    back = after_back(gathering, name, k, rows, on) @ chunked(paired_links, row[None])[0]
    state_back(gathering, name, k, event.time, rows, back[:, :12])
    state_back(gathering, other, j, event.time, rows, back[:, 12:24])
    gathering.on_law(event.contact or gathering.chains[other].events[j].contact, rows, back[:, 24:29])


def paired_row(gathering: Gathering, one: tuple[str, int], other: tuple[str, int]) -> Floats:
    """PAIRED row of two things by the events at which they met."""
    columns: dict[str, Any] = {}
    events = [gathering.chains[name].events[k] for name, k in (one, other)]
    feature = events[0].feature or Feature(VERTEX_VERTEX, np.zeros((3, 3)), np.zeros((3, 3)))
    for which, (name, k), corners in (("a", one, feature.a), ("b", other, feature.b)):
        body, span = gathering.scene.thing(name).body, gathering.chains[name].spans[k]
        columns |= pair_columns(which, body, *state_of_span(gathering.simulation, span, events[0].time), corners)
    e, mu, *normal = gathering.simulation.laws.of_met(*events)
    return PAIRED.pack(
        1, **columns, kind=feature.kind, restitution=e, friction=mu, normal_turn=normal, stick=events[0].stick
    )[0]


def through_touch(gathering: Gathering, name: str, k: int, row: Floats, rows: Ints, on: Floats) -> Floats:
    """Covectors on the state before a touch with a surface, of covectors on what follows; the others are noted."""
    back = after_back(gathering, name, k, rows, on) @ chunked(strike_links, row[None])[0]
    event, span = gathering.chains[name].events[k], gathering.chains[name].spans[k]
    gathering.note_touch(event, rows, back)
    if event.push is not None and span.frame >= 0:  # what it lay on has answered
        gathering.on_frames.append((span.frame, event.time, rows, back[:, 35:47]))
    return np.asarray(back[:, :12])


def after_back(gathering: Gathering, name: str, k: int, rows: Ints, on: Floats) -> Floats:
    """Covectors (R, 13) on the state just after a touch and its delay, of covectors on the span that follows."""
    chain, body = gathering.chains[name], gathering.scene.thing(name).body
    event, after = chain.events[k], chain.spans[k + 1]
    if after.kind == "flight" and name in gathering.airs:  # named by its state and time just after
        return on
    if after.kind == "flight":
        gravity = gathering.simulation.gravity
        return np.asarray(on @ to_flight(np.asarray(event.after), gravity, np.asarray(body.moments)))
    frame = gathering.simulation.exact.frames([after.frame], [event.time])[0]
    onto = _onto_row(gathering, body, np.asarray(event.after), frame, after)
    link = on @ chunked(to_ride if after.kind == "contact" else to_hold, onto[None])[0]
    if after.frame >= 0:
        gathering.on_frames.append((after.frame, event.time, rows, link[:, AFTER:]))
    return np.asarray(link[:, :AFTER])


def _onto_row(gathering: Gathering, body: Body, state: Floats, frame: Floats, span: Span) -> Floats:
    s, k = gathering.world.surfaces, max(span.surface, 0)
    contact = span.contacting.contact if span.kind == "contact" else None
    moment = float(body.moments[0]) / (body.mass * max(float(body.radius), 1e-300) ** 2)
    return ONTO.pack(
        1, after=state, frame=frame, place=s.place[k], turned=s.turned[k].ravel(), core=s.core[k], radius=s.radius[k],
        feature=np.ones(3) if contact is None else contact.feature, ball_radius=body.radius, moment=moment,
        rolls=0.0 if contact is None else float(contact.rolls),
    )[0]  # fmt: skip


def _strike_row(gathering: Gathering, event: Event, span: Span, rates: Floats) -> Floats:
    """STRIKE row of a ball that did not fly, by the contact that it was in."""
    body, patch = gathering.scene.thing(event.object).body, event.patch
    assert patch is not None
    e, mu, *normal = gathering.simulation.laws.of_event(event)
    (apart, pressed), s, base = event.push or (0.0, 0.0), gathering.world.surfaces, span.surface
    return STRIKE.pack(
        1, state=event.before, rates=rates, frame=event.frame, place=patch.place, turned=np.ravel(patch.turned),
        core=patch.core, radius=patch.radius, feature=event.feature, ball_radius=body.radius,
        inverse_mass=1.0 / body.mass, inverse_moment=1.0 / body.moments[0], restitution=e, friction=mu,
        normal_turn=normal, stick=event.stick, declared=float(event.declared or -event.rate < SLOW),
        caught=float(event.kind != "impact"), pushed=float(event.push is not None), apart=apart, pressed=pressed,
        base_frame=gathering.simulation.exact.frames([span.frame], [event.touched])[0], base_place=s.place[base],
        base_turned=s.turned[base].ravel(), base_core=s.core[base], base_radius=s.radius[base],
        base_feature=span.contacting.contact.feature,
    )[0]  # fmt: skip

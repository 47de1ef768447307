"""The numbers that an event's local Jacobian is made of, as one row for a kernel; and which kernel that is.

Events of sustained contact have no such row: they are carried back one by one.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from hoi_edit.adjoint.linked_events import Local
from hoi_edit.simulate.events.ball_pair import pair_row
from hoi_edit.simulate.events.hull_impact import bulky_row
from hoi_edit.simulate.events.local_jacobians import CARRY, TOUCH
from hoi_edit.simulate.trajectory import Event, Span
from kinematics.rotation import Floats
from rigid.body import is_ball


def batched(local: Local, name: str, k: int, event: Event) -> str | None:
    """Which of the batched links an event is, unless something did not fly before: such events are carried back one by
    one (`struck`)."""
    kind = _link_kind(event)
    if forgets(local, event):
        return None
    flew = local.both_flew(name, k) if kind == "meeting" else local.chains[name].spans[k].kind != "contact"
    return kind if kind is not None and flew else None


def _link_kind(event: Event) -> str | None:
    """By what happened; events of sustained contact are carried back one by one."""
    if event.kind == "release":
        return "release"
    if event.twin is not None:
        return "meeting"
    if event.kind == "rest" and event.settling is None:
        return "grasp"  # a thing that is not a ball lies still: what carries it holds it
    return event.kind if event.kind in ("impact", "grasp") else None


def forgets(local: Local, event: Event) -> bool:
    """Whether what is held does not depend on how it came: a ball that is caught by decree lies on the site."""
    return event.kind == "grasp" and event.declared and is_ball(local.scene.thing(event.object).body)


def link_row(local: Local, name: str, k: int, event: Event, kind: str, ball: bool) -> Floats:
    span = local.chains[name].spans[k]
    if kind == "release":
        return carry_row(span, event.frame, local.scene.thing(name).body.moments)
    if kind == "meeting":
        return meeting_row(local, name, k, event)
    return touch_row(local, span, event) if ball else _hull_row(local, span, event)


def touch_row(local: Local, span: Span, event: Event) -> Floats:
    body, patch = local.scene.thing(event.object).body, event.patch
    assert patch is not None
    e, mu, *normal = local.simulation.laws.of_event(event)
    state, duration = span.state, event.touched - span.start
    if event.object in local.airs:  # by how it is just before
        state, duration = event.before, 0.0
    return TOUCH.pack(
        1, state=state, duration=duration, frame=event.frame, place=patch.place,
        turned=np.ravel(patch.turned), core=patch.core, radius=patch.radius, feature=event.feature,
        ball_radius=body.radius, inverse_mass=1.0 / body.mass, inverse_moment=1.0 / body.moments[0],
        restitution=e, friction=mu, normal_turn=normal, stick=event.stick, declared=float(event.declared),
    )[0]  # fmt: skip


def surface_row(local: Local, span: Span, event: Event) -> Floats:
    """A TOUCH row whose frame is the surface's own."""
    row = touch_row(local, span, event)
    row[TOUCH.slices["place"]], row[TOUCH.slices["turned"]] = 0.0, np.eye(3).ravel()
    return row


def _hull_row(local: Local, span: Span, event: Event) -> Floats:
    body = local.scene.thing(event.object).body
    body = body if event.moments is None else replace(body, moments=event.moments)
    return bulky_row(
        body, np.asarray(event.before), np.asarray(event.frame), event.patch, event.feature,
        local.simulation.laws.of_event(event), event.stick, float(event.declared),
    )  # fmt: skip


def meeting_row(local: Local, name: str, k: int, event: Event) -> Floats:
    other, j = local.twin(event)
    a, b = local.scene.thing(name), local.scene.thing(other)
    flights = [
        (np.asarray(span.state), span.start) for span in (local.chains[name].spans[k], local.chains[other].spans[j])
    ]
    if local.feels_air(event):  # by how they are just before
        flights = [(np.asarray(state), event.time) for state in (event.before, event.twin)]
    law = local.simulation.laws.of_met(event, local.chains[other].events[j])
    return pair_row(a, flights[0], b, flights[1], event.time, law, event.stick)


def carry_row(span: Span, frame: Any, moments: Any = 1.0) -> Floats:
    return CARRY.pack(
        1, frame=frame, position=span.position, rotation=np.ravel(np.asarray(span.rotation)), moments=moments
    )[0]  # fmt: skip

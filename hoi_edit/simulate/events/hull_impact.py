"""A thing that is not a ball (a capsule, a box, a convex mesh) touches a surface in flight.

The contact is between two hulls and has a feature on both sides (`rigid.convex`), found by `events.hull_contact`. What
follows is an impulse on both, a grasp, or rest on what it stands on (`hull_settling`).
"""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.dynamics.flight_in_air import START_TIME, at_fixed_time
from hoi_edit.simulate.dynamics.flight_laws import flight_jacobians
from hoi_edit.simulate.dynamics.tumbling import spin_rate
from hoi_edit.simulate.events.base import EventKind, Which
from hoi_edit.simulate.events.body_pair import (
    GOES_ON,
    MOMENT,
    ON_LAW,
    OTHER,
    pair_columns,
)
from hoi_edit.simulate.events.body_pair_compiled import paired_jacobians, parted
from hoi_edit.simulate.events.grasp import passing_by
from hoi_edit.simulate.events.touch import BEFORE, flight_by_time, note_touch
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import FRAME, PAIRED, PARTED, STATE
from hoi_edit.simulate.trajectory import Event
from hoi_edit.simulate.variations import PLACE, TURN, VELOCITY
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, cross, cross_matrix
from rigid.body import Body
from rigid.convex import Feature

HOP = 0.05  # [m/s] no corner leaves more slowly, unless it came so: contact that lasts is hops of a tenth of a mm


def hull_touch_row(
    body: Body, state: Floats, frame: Floats, patch: Any, feature: Feature, law: tuple[float, ...],
    stick: float = 0.0, declared: float = 0.0, gravity: Any = 0.0,
) -> Floats:  # fmt: skip
    """PAIRED row of a thing that touches a patch; `state` is just before. The frame of the patch is a body that no
    impulse moves."""
    e, mu, *normal = law
    moments, surface = np.asarray(body.moments, float), np.asarray(feature.b) @ np.asarray(patch.turned).T + patch.place
    columns = pair_columns("a", body, state, np.append(gravity + np.zeros(3), spin_rate(state, moments)), feature.a)
    columns |= {
        "state_b": frame[: STATE.width], "rates_b": frame[STATE.width :], "radius_b": patch.radius,
        "inverse_mass_b": 0.0, "moments_b": np.inf, "corners_b": surface.ravel(),
    }  # fmt: skip
    return PAIRED.pack(
        1, **columns, kind=feature.kind, restitution=e, friction=mu, normal_turn=normal, stick=stick, hop=HOP,
        declared=declared,
    )[0]  # fmt: skip


def collision(gravity: Floats, row: Floats, frame: Floats) -> SimpleNamespace:
    """What a touch does, of a `hull_touch_row`: PARTED, with the state before and the pull away from the surface."""
    told, f = PARTED.unpack(parted(row)), FRAME.unpack(frame)
    arm = told.point - f.position
    pull = float(told.normal @ (gravity - f.accel - cross(f.spin_accel, arm)))
    return SimpleNamespace(**vars(told), before=PAIRED.unpack(row).state_a, after=told.after_a, pull=pull)


def point_of(body: Body, event: Any) -> Floats:
    """(3,) where a thing that is not a ball touched a part, or was closest to it."""
    row = hull_touch_row(
        body, np.asarray(event.before), np.asarray(event.frame), event.patch, event.feature, (0.0,) * 5
    )
    return np.asarray(PARTED.unpack(parted(row)).point)


class HullImpact(EventKind):
    """A thing that is not a ball bounces off a surface, or hops on what it stands on."""

    has_law = True

    def local_jacobians(self, jacobians: LocalJacobians, asked: Sequence[Which]) -> dict[Which, Floats]:
        """By (flight before, frame, surface in it, law)."""
        rows = np.stack([_row_of(jacobians, name, k) for name, k in asked])
        flights = flight_jacobians(
            jacobians.context,
            [(jacobians.chains[name].spans[k], jacobians.chains[name].spans[k].end) for name, k in asked],
        )
        links = {}
        for which, row, link, flight in zip(asked, rows, paired_jacobians(rows), flights, strict=True):
            surface = _surface_in_frame(jacobians.event(*which))
            by_touch = np.concatenate([link[:, :MOMENT], link[:, OTHER] @ surface, link[:, ON_LAW]], axis=1)
            outcome = self.outcome(PAIRED.unpack(row), by_touch, link[:12, GOES_ON])
            links[which] = np.concatenate([outcome[:, BEFORE] @ flight, outcome[:, 12:]], axis=1)
        return links

    def outcome(self, item: SimpleNamespace, by_touch: Floats, goes_on: Floats) -> Floats:
        """(12, 35) the flight after, of the state just after and the delay (13, 35)."""
        turning = STATE.pack(1, position=0.0, rotation=item.state_a[3:12], velocity=0.0, spin=goes_on[TURN])[0]
        accelerations = np.concatenate([item.rates_a[:3], spin_rate(turning, item.moments_a)])
        return at_fixed_time(by_touch, np.concatenate([goes_on[:6], accelerations]))

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        back = on @ accumulator.jacobians.of[name, k]
        note_touch(accumulator, accumulator.chain(name).events[k], rows, back, self.has_law)
        accumulator.leave_at(name, k, rows, back[:, BEFORE])

    def outcome_by_time(self, jacobians: LocalJacobians, name: str, k: int) -> Floats:
        return flight_by_time(jacobians, name, k)


class HullGrasp(HullImpact):
    """It is held from now on as it was when it touched."""

    has_law = False
    grows = False

    def outcome(self, item: SimpleNamespace, by_touch: Floats, goes_on: Floats) -> Floats:
        """(6, 35) place and turn in the frame."""
        thing, f = STATE.unpack(item.state_a), STATE.unpack(item.state_b)
        into, arm = f.rotation.reshape(3, 3).T, cross_matrix(thing.position - f.position)
        held = np.zeros((6, MOMENT))
        held[PLACE, PLACE], held[TURN, TURN] = into, into
        held[PLACE, 12:15], held[PLACE, 15:18], held[TURN, 15:18] = -into, into @ arm, -into
        nothing = np.zeros(6)
        passing = held @ np.concatenate([thing.velocity, thing.spin, nothing, f.velocity, f.spin, nothing])
        link = np.outer(passing, by_touch[START_TIME])
        link[:, :MOMENT] += held
        return link

    def outcome_by_time(self, jacobians: LocalJacobians, name: str, k: int) -> Floats:
        return passing_by(jacobians, name, k)


class HullRest(HullGrasp):
    """It lies still: what it lies on holds it."""

    grows = True


def _surface_in_frame(event: Event) -> Floats:
    """(12, 6) how the frame, as a body, would have to vary for what place and turn of the surface in it do: its field
    of velocities stays, and the surface turns about its own place."""
    f, variations = FRAME.unpack(np.asarray(event.frame)), np.zeros((12, 6))
    assert event.patch is not None
    R = f.rotation.reshape(3, 3)
    variations[PLACE] = np.column_stack([R, cross_matrix(R @ event.patch.place) @ R])
    variations[TURN, 3:] = R
    variations[VELOCITY] = cross_matrix(f.spin) @ variations[PLACE]
    return variations


def _row_of(jacobians: LocalJacobians, name: str, k: int) -> Floats:
    event, body, context = jacobians.event(name, k), jacobians.context.scene.thing(name).body, jacobians.context
    body = body if event.moments is None else replace(body, moments=event.moments)
    return hull_touch_row(
        body, np.asarray(event.before), np.asarray(event.frame), event.patch, event.feature,
        context.laws.of_event(event), event.stick, float(event.declared), context.gravity,
    )  # fmt: skip

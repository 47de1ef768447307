"""The kinds of flight: in free fall, through air, tumbling. A flight is named by its state when it starts."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from hoi_edit.simulate.context import Context
from hoi_edit.simulate.dynamics.ballistic import Ballistic
from hoi_edit.simulate.dynamics.flight_in_air import START_TIME, FlightInAir
from hoi_edit.simulate.dynamics.tumbling import Tumbling
from hoi_edit.simulate.trajectory import Span
from kinematics.packed_motion import VELOCITY
from kinematics.rotation import Floats


class FlightLaw(Protocol):
    size: int  # of what names a flight: twelve numbers, or thirteen with when it starts

    def state(self, context: Context, span: Span, t: float) -> Floats: ...
    def states(self, context: Context, span: Span, times: Floats) -> Floats: ...
    def positions(self, context: Context, span: Span, times: Floats) -> Floats: ...
    def rates(self, context: Context, span: Span, state: Floats) -> Floats: ...
    def jacobians(self, context: Context, asked: Sequence[tuple[Span, float]]) -> Floats: ...


BALLISTIC, IN_AIR, TUMBLING = Ballistic(), FlightInAir(), Tumbling()


def flight_law(context: Context, name: str) -> FlightLaw:
    """By which law a thing flies."""
    if name in context.world.airs:
        return IN_AIR
    return TUMBLING if context.scene.thing(name).shape.turn_matters else BALLISTIC


def flight_jacobians(context: Context, asked: Sequence[tuple[Span, float]]) -> list[Floats]:
    """(12, 12), in air (12, 13), each: the state of a flight at a time, by what names the flight."""
    by_flight: list[Floats] = [np.empty(0)] * len(asked)
    groups: dict[FlightLaw, list[int]] = {}
    for k, (span, _) in enumerate(asked):
        groups.setdefault(flight_law(context, span.object), []).append(k)
    for law, numbers in groups.items():
        for k, jacobian in zip(numbers, law.jacobians(context, [asked[k] for k in numbers]), strict=True):
            by_flight[k] = jacobian
    return by_flight


def arrivals(context: Context, asked: Sequence[tuple[Span, float]]) -> list[Floats]:
    """(12, 13) each: the same by the state at the start and when that is, whether or not a ball feels the air."""
    by_flight = flight_jacobians(context, asked)
    for k, (span, time) in enumerate(asked):
        if by_flight[k].shape[1] == START_TIME:
            law = flight_law(context, span.object)
            state = law.state(context, span, time)
            by_flight[k] = np.column_stack([by_flight[k], -rate_of(state, law.rates(context, span, state))])
    return by_flight


def rate_of(state: Floats, rates: Floats) -> Floats:
    """(12,) of place, turn, velocity and spin, by the accelerations (6,)."""
    return np.concatenate([state[VELOCITY:], rates])

"""The families of a simulation: what things do between events, what can happen to them, and how two of them meet.

A new member is a module of its own and a line here; nobody else asks what kind a span or an event is.
"""

from collections.abc import Mapping, Sequence

from hoi_edit.simulate.events.ball_pair import BallPair
from hoi_edit.simulate.events.ball_settling import BallSettling, SettlingFromContact
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.events.body_pair import BodyPair
from hoi_edit.simulate.events.grasp import Grasp, PrescribedGrasp, RestInCrowd
from hoi_edit.simulate.events.handover import Handover
from hoi_edit.simulate.events.hull_impact import HullGrasp, HullImpact, HullRest
from hoi_edit.simulate.events.jam import EndOfJam
from hoi_edit.simulate.events.jump import Jump
from hoi_edit.simulate.events.lift_off import LiftOff
from hoi_edit.simulate.events.release import Release
from hoi_edit.simulate.events.rolling_impact import RollingGrasp, RollingImpact, RollingRest
from hoi_edit.simulate.events.rolling_transition import NextChunk, RollingTransition
from hoi_edit.simulate.events.surface_impact import SurfaceImpact
from hoi_edit.simulate.families import Families, MeetingSearch
from hoi_edit.simulate.kind_words import CONTACT, FLIGHT, HELD
from hoi_edit.simulate.meetings.balls import first_of_balls
from hoi_edit.simulate.meetings.balls_on_held import first_on_held
from hoi_edit.simulate.meetings.hulls import first_of_hulls
from hoi_edit.simulate.spans.base import SpanKind
from hoi_edit.simulate.spans.flight_span import FlightSpan
from hoi_edit.simulate.spans.held_span import HeldSpan
from hoi_edit.simulate.spans.rolling_span import RollingSpan

# by `Span.kind`, in the order in which a round advances them
SPANS: Mapping[str, SpanKind] = {HELD: HeldSpan(), FLIGHT: FlightSpan(), CONTACT: RollingSpan()}

# by `Event.mechanism`; of timed ones that are due at once, the first happens
EVENTS: Mapping[str, EventKind] = {
    "impact": SurfaceImpact(),
    "grasp": Grasp(),
    "prescribed_grasp": PrescribedGrasp(),
    "rest_in_crowd": RestInCrowd(),
    "handover": Handover(),  # before a release at the same instant
    "release": Release(),
    "settling": BallSettling(),
    "settling_from_contact": SettlingFromContact(),
    "rolling_impact": RollingImpact(),
    "rolling_rest": RollingRest(),
    "rolling_grasp": RollingGrasp(),
    "rolling_transition": RollingTransition(),
    "next_chunk": NextChunk(),
    "lift_off": LiftOff(),
    "end_of_jam": EndOfJam(),
    "ball_pair": BallPair(),
    "body_pair": BodyPair(),
    "hull_impact": HullImpact(),
    "hull_grasp": HullGrasp(),
    "hull_rest": HullRest(),
    "jump": Jump(),
}

# each finds the earliest meeting of two things before a time that has not been dealt with
MEETINGS: Sequence[MeetingSearch] = (first_of_balls, first_on_held, first_of_hulls)

BUILT_IN = Families(SPANS, EVENTS, MEETINGS)

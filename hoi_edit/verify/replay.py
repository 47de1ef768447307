"""One thing's life from the start of the scene, with the recorded order of events and everything else found anew.

Times of touches are roots of the gap, states after them follow from the laws; so it is a function of the controls whose
difference quotients owe nothing to anybody's derivative.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hoi_edit.scene import Held, Thing
from hoi_edit.scene.controls import Controls
from hoi_edit.simulate.trajectory import Event
from hoi_edit.verify.independent_contact import touch
from hoi_edit.verify.independent_flight import ThingState, flown
from hoi_edit.verify.independent_frames import MeasuredMotion, turn_by
from hoi_edit.verify.independent_scene import Law, MeasuredScene
from hoi_edit.verify.independent_solids import FrameSolid
from hoi_edit.verify.performance import PerformanceRecord
from hoi_edit.verify.physics_checks import nearest
from kinematics.rotation import Floats


@dataclass(frozen=True, eq=False)
class Carried:
    """What is touched: a solid on a frame, perhaps by way of a thing that this frame has held since the start."""

    frame: int
    solid: FrameSolid
    held: Thing | None = None

    def motion(self, stage: MeasuredScene, time: float) -> MeasuredMotion:
        frame = stage.motion(self.frame, np.array([time]))
        if self.held is None:
            return frame
        pose = stage.start(self.held)
        return frame.carried(pose.position, pose.rotation)


@dataclass(frozen=True, eq=False)
class Replay:
    """The first events of one thing, each with what it touches."""

    record: PerformanceRecord
    thing: Thing
    events: tuple[Event, ...]
    touched: tuple[Carried | None, ...]

    @staticmethod
    def of(record: PerformanceRecord, name: str, most: int) -> "Replay":
        """As many events as can be replayed, up to `most`."""
        events: list[Event] = []
        touched: list[Carried | None] = []
        thing = record.stage.scene.thing(name)
        for event in record.chains[name].events[:most]:
            touches = event.kind in ("impact", "grasp")
            partner = _partner(record, name, event) if touches else None
            if (
                (event.kind not in ("release", "pass") and partner is None)
                or event.doubt is not None
                or event.declared
                or len(thing.body.vertices) > 1
            ):
                break
            events.append(event)
            touched.append(partner)
        return Replay(record, thing, tuple(events), tuple(touched))

    def state(self, controls: Controls, time: float) -> Floats:
        """(6,) position and velocity under other controls, in the span after the last event."""
        stage = MeasuredScene(self.record.stage.scene, controls)
        now, since = stage.start(self.thing), stage.scene.start
        frame = stage.frame(self.thing.start.carrier) if isinstance(self.thing.start, Held) else None
        for event, touched in zip(self.events, self.touched, strict=True):
            if event.kind == "release":
                assert frame is not None
                since = float(controls.contacts[str(event.contact)].release)
                now, frame = self._held(stage, frame, now, since), None
            elif event.kind == "pass":
                assert frame is not None
                contact = stage.scene.contact(str(event.contact))
                since = float(controls.contacts[contact.id].passed)
                now, frame = self._held(stage, frame, now, since), stage.frame(contact.carrier)
                now = _lying(stage.motion(frame, np.array([since])), now)
            else:
                assert touched is not None
                at = self._meeting(stage, now, since, touched, event.time)
                now, since = self._flown(stage, now, at - since), at
                if event.kind == "grasp":
                    frame = touched.frame
                    now = _lying(stage.motion(frame, np.array([at])), now)
                else:
                    now = self._bounced(now, touched.motion(stage, at), touched, stage.law(event, event.contact))
        end = self._flown(stage, now, time - since) if frame is None else self._held(stage, frame, now, time)
        return np.concatenate([end.position, end.velocity])

    def _held(self, stage: MeasuredScene, frame: int, pose: ThingState, time: float) -> ThingState:
        carried = stage.motion(frame, np.array([time])).carried(pose.position, pose.rotation)
        return ThingState.from_motion(carried)

    def _flown(self, stage: MeasuredScene, state: ThingState, duration: float) -> ThingState:
        return flown(state, self.thing.body, stage.air(self.thing), stage.gravity, duration)

    def _meeting(self, stage: MeasuredScene, state: ThingState, since: float, touched: Carried, guess: float) -> float:
        def gap(time: float) -> float:
            met = touch(
                self.thing.body, self._flown(stage, state, time - since), touched.motion(stage, time), touched.solid
            )
            assert met is not None
            return met.gap

        return root(gap, guess)

    def _bounced(self, state: ThingState, frame: MeasuredMotion, touched: Carried, law: Law) -> ThingState:
        """The textbook's bounce of a ball: the impulse that sticks, cut to the cone if friction cannot give it."""
        body = self.thing.body
        met = touch(body, state, frame, touched.solid)
        assert met is not None
        n = turn_by(law.tilt) @ met.normal
        arm = -float(np.asarray(body.radius)) * n
        mass, moment = float(body.mass), float(np.asarray(body.moments)[0])
        u = state.motion().velocity_at(state.position + arm)[0] - frame.velocity_at(state.position + arm)[0]
        u_n = float(n @ u)
        slip = u - u_n * n
        J_n = -(1.0 + law.restitution) * mass * u_n
        J_t = -slip / (1.0 / mass + float(arm @ arm) / moment)
        most, size = law.friction * J_n, float(np.linalg.norm(J_t))
        J = J_n * n + (J_t if size <= most else J_t * (most / size))
        return ThingState(
            state.position, state.rotation, state.velocity + J / mass, state.spin + np.cross(arm, J) / moment
        )


def root(gap: Callable[[float], float], guess: float) -> float:
    """Where a gap near its guess is zero, by secants, as exactly as the gap can be told.

    Near the root two gaps may be equal to the last digit though their times are not: there is nothing left to improve.
    """
    before, now = guess, guess + 1e-5
    gap_before, gap_now = gap(before), gap(now)
    for _ in range(60):
        if gap_now == gap_before or abs(now - before) <= 1e-15:
            break
        before, now, gap_before = now, now - gap_now * (now - before) / (gap_now - gap_before), gap_now
        gap_now = gap(now)
    return now if abs(gap_now) <= abs(gap_before) else before


def _lying(hand: MeasuredMotion, state: ThingState) -> ThingState:
    place, turn = hand.local(state.position[None])[0], hand.rotation[0].T @ state.rotation
    return ThingState(place, turn, np.zeros(3), np.zeros(3))


def _partner(record: PerformanceRecord, name: str, event: Event) -> Carried | None:
    """What an event touched, if a frame, the world or a thing held from the start on carries it."""
    stage, other = record.stage, str(event.other)
    held = None
    if stage.is_thing(other):
        first = record.chains[other].spans[0]
        held = stage.scene.thing(other)
        solid = FrameSolid.of_body(held.body)
        if first.kind != "held" or first.end < event.time or solid is None or event.kind != "impact":
            return None
        return Carried(first.frame, solid, held)
    state = ThingState.of(np.asarray(event.before))
    fixture = stage.fixture(other)
    frame = stage.frame(other)
    solids = stage.solids(frame) if fixture is None else [FrameSolid.of_fixture(fixture)]
    motion = nearest(record, name, state, other, event.time)[0]
    gaps = [
        abs(met.gap)
        for met in (touch(stage.scene.thing(name).body, state, motion, candidate) for candidate in solids)
        if met
    ]
    return Carried(frame, solids[int(np.argmin(gaps))]) if gaps else None

"""What a session says happened, span by span, as this package would compute it from each span's own beginning."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hoi_edit.rollout import Rollout
from hoi_edit.simulate.trajectory import Chain, Event, Span
from hoi_edit.verify.independent_flight import ThingState, flight
from hoi_edit.verify.independent_frames import MeasuredMotion, angle_between
from hoi_edit.verify.independent_scene import MeasuredScene
from kinematics.rotation import Floats

SAME = 1e-9  # [s]: events of two things at one instant


@dataclass(frozen=True, eq=False)
class PerformanceRecord:
    stage: MeasuredScene
    said: Rollout

    @staticmethod
    def of(said: Rollout) -> "PerformanceRecord":
        return PerformanceRecord(MeasuredScene(said.model.scene, said.controls), said)

    @property
    def chains(self) -> Mapping[str, Chain]:
        return self.said.trajectories.chains

    def motion(self, name: str, span: Span, times: Floats) -> MeasuredMotion:
        """Of a thing in one of its spans, extended to any times."""
        if span.kind == "held":
            frame = self.stage.motion(span.frame, times)
            return frame.carried(np.asarray(span.position), np.asarray(span.rotation))
        if span.kind == "flight":
            thing = self.stage.scene.thing(name)
            start = ThingState.of(np.asarray(span.state))
            return flight(start, thing.body, self.stage.air(thing), self.stage.gravity, times - span.start)
        states = [self.said.state(name, float(t)) for t in times]  # rolling is testimony only
        return MeasuredMotion(
            np.array([s.position for s in states]).reshape(-1, 3),
            np.array([s.rotation for s in states]).reshape(-1, 3, 3),
            np.array([s.velocity for s in states]).reshape(-1, 3),
            np.array([s.angular_velocity for s in states]).reshape(-1, 3),
        )

    def before(self, name: str, time: float) -> MeasuredMotion:
        """Of a thing just before a time at which something may happen to it."""
        chain = self.chains[name]
        k = sum(event.time < time - SAME for event in chain.events)
        return self.motion(name, chain.spans[k], np.array([time]))

    def bound(self, name: str, time: float, after: str | None) -> Span:
        """The span that a pin is bound to: that which "contact:kind" begins ("": the first), else that of its time."""
        chain = self.chains[name]
        if after == "":
            return chain.spans[0]
        for k, event in enumerate(chain.events):
            if after is not None and event.contact is not None and f"{event.contact}:{event.kind}" == after:
                return chain.spans[k + 1]
        return chain.spans[sum(event.time <= time for event in chain.events)]

    def place(self, name: str, time: float, after: str | None = None) -> MeasuredMotion:
        """Of a thing, or a point of a body, at a time."""
        times = np.array([time])
        return self.stage.point(name, times) if "/" in name else self.motion(name, self.bound(name, time, after), times)

    def event(self, contact: str) -> Event | None:
        """The touch that an intended contact is, if it happened."""
        for chain in self.chains.values():
            for event in chain.events:
                if event.contact == contact and event.kind in ("impact", "grasp", "pass", "rest"):
                    return event
        return None


def apart(a: ThingState, b: ThingState) -> dict[str, float]:
    """How far two states are apart, by unit."""
    return {
        "m": float(np.linalg.norm(a.position - b.position)),
        "m/s": float(np.linalg.norm(a.velocity - b.velocity)),
        "rad/s": float(np.linalg.norm(a.spin - b.spin)),
        "rad": angle_between(a.rotation, b.rotation),
    }

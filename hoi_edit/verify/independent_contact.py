"""A touch measured: the gap, the normal and the point, and whether the impulse obeys the laws of impact."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hoi_edit.verify.independent_flight import ThingState
from hoi_edit.verify.independent_frames import MeasuredMotion, turn_by
from hoi_edit.verify.independent_scene import Law
from hoi_edit.verify.independent_solids import FrameSolid
from kinematics.rotation import Floats
from rigid.body import Body

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


@dataclass(frozen=True, eq=False)
class MeasuredTouch:
    gap: float
    normal: Floats  # (3,) out of what is touched, in the world
    point: Floats  # (3,) on the thing's surface


def touch(body: Body, state: ThingState, frame: MeasuredMotion, solid: FrameSolid) -> MeasuredTouch | None:
    """Of a ball or a capsule with a solid on a frame; None for things with faces and edges."""
    corners = state.position + np.asarray(body.vertices, float) @ state.rotation.T
    if len(corners) > 2:
        return None
    core = corners[0] if len(corners) == 1 else _closest_on_line(corners, frame, solid)
    gap, normal = solid.distance(frame.local(core[None]))
    radius = float(np.asarray(body.radius))
    n = frame.rotation[0] @ normal[0]
    return MeasuredTouch(float(gap[0]) - radius, n, core - radius * n)


def _closest_on_line(ends: Floats, frame: MeasuredMotion, solid: FrameSolid) -> Floats:
    """The distance from a convex solid is convex along a line: cut the line in the golden ratio."""

    def at(s: float) -> Floats:
        return np.asarray((1.0 - s) * ends[0] + s * ends[1])

    def gap(s: float) -> float:
        return float(solid.distance(frame.local(at(s)[None]))[0][0])

    low, high = 0.0, 1.0
    for _ in range(80):
        a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, b) if gap(a) < gap(b) else (a, high)
    return at(0.5 * (low + high))


@dataclass(frozen=True, eq=False)
class Struck:
    """One side of an impact; a part of a body, a fixture or a thing in a hand takes any impulse and stays as it is."""

    body: Body | None
    before: ThingState
    after: ThingState

    @property
    def impulse(self) -> Floats:
        """[N s], from what it did to the velocity."""
        return (
            np.zeros(3) if self.body is None else float(self.body.mass) * (self.after.velocity - self.before.velocity)
        )

    @property
    def twist(self) -> Floats:
        """[N m s], from what it did to the spin."""
        if self.body is None:
            return np.zeros(3)
        R, moments = self.before.rotation, np.asarray(self.body.moments, float)
        return np.asarray(R @ (moments * (R.T @ (self.after.spin - self.before.spin))))


def law_breaks(thing: Struck, other: Struck, met: MeasuredTouch, law: Law) -> Iterator[tuple[str, float, str]]:
    """What an impact should be, and by how much it is not: (claim, off, unit); impulses as changes of speed."""
    assert thing.body is not None
    mass, ball = float(thing.body.mass), len(thing.body.vertices) == 1
    n = turn_by(law.tilt) @ met.normal
    point = met.point if not np.any(law.tilt) else thing.before.position - float(np.asarray(thing.body.radius)) * n
    J = thing.impulse
    if other.body is not None:
        yield "momentum is kept", float(np.linalg.norm(J + other.impulse)) / mass, "m/s"
    lever = float(np.linalg.norm(point - thing.before.position))
    twisted = thing.twist - np.cross(point - thing.before.position, J)
    yield "its spin changes by the impulse's moment", float(np.linalg.norm(twisted)) / (mass * max(lever, 1e-3)), "m/s"

    u, after = (
        a.motion().velocity_at(point)[0] - b.motion().velocity_at(point)[0]
        for a, b in ((thing.before, other.before), (thing.after, other.after))
    )
    bounced, wanted = float(n @ after), -law.restitution * float(n @ u)
    # a thing with corners may keep less than Newton's share, where friction would create energy otherwise
    off = abs(bounced - wanted) if ball else max(bounced - wanted, -bounced, 0.0)
    yield f"it bounces by its restitution of {law.restitution:.3g}", off, "m/s"
    J_n = float(n @ J)
    J_t = J - J_n * n
    friction = float(np.linalg.norm(J_t))
    yield "friction stays inside its cone", max(friction - law.friction * J_n, -J_n, 0.0) / mass, "m/s"
    slip = after - bounced * n
    if float(np.linalg.norm(slip)) > 1e-6 * max(1.0, float(np.linalg.norm(u))):  # it slides: friction is all there is
        yield "sliding friction is full", abs(friction - law.friction * J_n) / mass, "m/s"
        if ball:
            yield "friction opposes the slip", max(float(J_t @ slip), 0.0) / (mass * float(np.linalg.norm(slip))), "m/s"

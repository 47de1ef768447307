"""Things that are not balls in contact that lasts: what they stand on, whether they stay, and how they go on if not.

A thing comes to rest where friction can hold what pulls it along, and where the pull through its centre meets what it
stands on. Otherwise it slides or rolls. That is made of hops as high as a tenth of a millimetre, but of the *whole*
thing: corners that rattle one after the other would never be done. While a face stands on a flat surface the impulse
turns it about nothing; while an edge or a round side does, about that alone. The sum of such impulses is the force that
friction and the normal give over the same time, so it slides and rolls as far as it should.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from hoi_edit.simulate.packed_layouts import FRAME, STATE
from kinematics.rotation import Floats, cross
from rigid.body import Body

LOW = 1e-3  # [m] energy that would lift a thing by less than this is spent
NEAR = 2.0 * LOW  # [m] above the lowest corner: what a thing stands on
SLIPS = 0.1  # [m/s] slower than this is what a hop makes of it
HELD = 1e9  # times a thing's own moments: about such an axis no impulse turns it
ALONG = 1e-6  # how far an edge may be off a thing's own axis, and the pull off an edge (as a share of its size)


class Standing(NamedTuple):
    """A thing on a surface at the instant after a touch, as seen from that surface."""

    low: Floats  # (K, 3) the corners that it stands on, from its centre
    normal: Floats  # (3,)
    pull: Floats  # (3,) [m/s²]
    velocity: Floats  # (3,) of the centre
    spin: Floats  # (3,) about its own axes
    axis: int | None  # of its own, about which it may turn on an edge or a round side
    flat: bool  # the surface is
    rotation: Floats  # (3, 3) its own


def standing(body: Body, after: Floats, frame: Floats, normal: Floats, gravity: Floats, solid: Any) -> Standing:
    s, f = STATE.unpack(after), FRAME.unpack(frame)
    R, arm = s.rotation.reshape(3, 3), s.position - f.position
    corners = np.asarray(body.vertices) @ R.T
    height = corners @ normal
    low = corners[height <= height.min() + NEAR]
    pull = gravity - f.accel - cross(f.spin_accel, arm)
    velocity = s.velocity - f.velocity - cross(f.spin, arm)
    flat = bool(np.abs(normal @ f.rotation.reshape(3, 3) @ solid.turned).max() > 1.0 - 1e-9)
    return Standing(low, normal, pull, velocity, R.T @ (s.spin - f.spin), _axis(low, R), flat, R)


def _axis(low: Floats, R: Floats) -> int | None:
    """The body's own axis that an edge is along."""
    if len(low) != 2:
        return None
    along = np.abs(R.T @ (low[1] - low[0]) / np.linalg.norm(low[1] - low[0]))
    return int(np.argmax(along)) if along.max() > 1.0 - ALONG else None


def stays(stance: Standing, body: Body, friction: float) -> bool:
    """Whether it lies where it is: hardly any energy is left, and nothing that pulls can set it going again."""
    down = -float(stance.pull @ stance.normal)
    along = float(np.linalg.norm(stance.pull + down * stance.normal))
    energy = 0.5 * stance.velocity @ stance.velocity + _turning(stance, body, np.ones(3))
    held = along <= friction * down + ALONG * down
    return bool(down > 0.0 and energy < down * LOW and held and (not stance.flat or stands(stance, body, stance.pull)))


def stands(stance: Standing, body: Body, force: Floats) -> bool:
    """Whether a line through the centre along a force (3,) meets what it stands on."""
    return _is_in(*_in_plane(stance, body, force), ALONG * body.reach)


def _in_plane(stance: Standing, body: Body, force: Floats) -> tuple[Floats, Floats]:
    """What it stands on (K, 2), and where a line through the centre along a force gets there (2,)."""
    depth = float(body.radius) - float((stance.low @ stance.normal).min())
    across = _across(stance.normal)
    return stance.low @ across, depth / max(-float(force @ stance.normal), 1e-12) * force @ across


def _is_in(points: Floats, foot: Floats, slack: float) -> bool:
    """Whether a point (2,) is in the hull of others (K, 2)."""
    spread = points - points.mean(axis=0)
    sizes, axes = np.linalg.svd(spread)[1:]
    if len(points) > 2 and sizes[1] > slack:
        return bool((ConvexHull(points).equations @ np.append(foot, 1.0) <= slack).all())
    along, aside = axes @ (foot - points.mean(axis=0))
    return bool(abs(aside) <= slack and abs(along) <= np.abs(spread @ axes[0]).max() + slack)


def _across(normal: Floats) -> Floats:
    """(3, 2) two directions across a normal."""
    first = cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first = first / np.linalg.norm(first)
    return np.stack([first, cross(normal, first)], axis=1)


def _turning(stance: Standing, body: Body, which: Floats) -> float:
    """Energy of turns about some of its axes, by mass [J/kg]."""
    return float(0.5 * which @ (np.asarray(body.moments) * stance.spin**2) / body.mass)


def as_a_whole(stance: Standing, body: Body, friction: float, crowded: bool) -> Floats | None:
    """(3,) the moments that an impulse on a thing that stands finds, if it is to be one on the whole of it.

    Those who rattle too long are `crowded`, and lose what is left of other motions however much that is.
    """
    down = -float(stance.pull @ stance.normal)
    if not stance.flat or down <= 0.0 or len(stance.low) < 2:
        return None
    held = np.ones(3)
    if len(stance.low) == 2 or not stands(stance, body, _borne(stance, friction)):
        axis = stance.axis if len(stance.low) == 2 else _edge(stance, body, _borne(stance, friction))
        if axis is None:
            return None
        held[axis] = 0.0
    # a thing that tips over an edge has a centre that rises and falls
    rattles = 0.5 * float(stance.velocity @ stance.normal) ** 2 * held.min() + _turning(stance, body, held)
    if rattles > down * LOW and not crowded:
        return None
    return np.where(held > 0.0, HELD * body.mass * body.reach**2, np.asarray(body.moments))


def _borne(stance: Standing, friction: float) -> Floats:
    """What the support has to bear: the normal force, and friction against the way it slides or would slide."""
    slip, down = (
        stance.velocity - (stance.velocity @ stance.normal) * stance.normal,
        -float(stance.pull @ stance.normal),
    )
    speed = float(np.linalg.norm(slip))
    if speed > SLIPS:
        return np.asarray(-stance.normal + friction * slip / speed)
    along = stance.pull / down + stance.normal
    return np.asarray(-stance.normal + along * min(1.0, friction / max(float(np.linalg.norm(along)), 1e-12)))


def _edge(stance: Standing, body: Body, force: Floats) -> int | None:
    """The axis of its own that is along the edge over which a thing tips."""
    points, foot = _in_plane(stance, body, force)
    if np.linalg.svd(points - points.mean(axis=0))[1][1] <= ALONG * body.reach:
        return None
    hull = ConvexHull(points)
    return _axis(stance.low[hull.simplices[int(np.argmax(hull.equations @ np.append(foot, 1.0)))]], stance.rotation)


def without(moments: Floats, state: Floats, frame: Floats) -> Floats:
    """A state (18,) whose turns about axes that are held are those of what it stands on."""
    s, f = STATE.unpack(np.array(state)), FRAME.unpack(frame)
    R, free = s.rotation.reshape(3, 3), (moments < moments.max()).astype(float)
    row = np.array(state)
    row[STATE.slices["spin"]] = f.spin + R @ (free * (R.T @ (s.spin - f.spin)))
    return row

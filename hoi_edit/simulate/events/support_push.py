"""A ball that lies on something while something else, that moves against it, pushes it.

Where the ball would not get away from what pushes it, because that comes after it, or because what it lies on throws it
back, both answer at once and without friction (`rigid.push`): it stays on what it lies on and leaves the other with
what is left of the speed of the touch, or with `HOP` if that is less: so contact that lasts is a sequence of small
pushes. Where it is pressed straight into what it lies on, or touches without end, it is jammed (`jam`).
"""

from typing import Any, NamedTuple

import numpy as np

from hoi_edit.simulate.contact_laws import Law
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.ball_at_surface import ball_at_surface
from hoi_edit.simulate.events.jam import is_crowded
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search import STRUCK
from hoi_edit.simulate.search.layouts import RATE, TOUCHING, Solids
from hoi_edit.simulate.search.rolling_contact import LEANING
from hoi_edit.simulate.search.rolling_pairs import HOP
from hoi_edit.simulate.trajectory import Jam, Span
from hoi_edit.simulate.variations import ON_NORMAL
from kinematics.packed_motion import ACCEL, ROTATION, SPIN, VELOCITY
from kinematics.rotation import Floats
from kinematics.rotation_compiled import turned
from rigid.push import push

COMING = 1e-3  # [m/s] a surface that comes along its normal more slowly than this stands still
NARROW = 0.25  # sine of the angle of a wedge: in a narrower one there is no way out, as it would leave so much faster


class Pusher(NamedTuple):
    """What pushes: one of some surfaces."""

    solids: Solids
    surface: int
    jam: Jam  # how it is called, and its shape, if it jams the ball


def answered(
    run: Run, cursor: Cursor, span: Span, pusher: Pusher, struck: Any, law: Law, meant: bool, at_once: bool
) -> dict[str, Any]:
    """What a touch of a ball in contact does, into `struck`, and what its event says of that beside."""
    time, pull = float(struck.time), float(struck.pull)
    struck = run.bounced(cursor.thing, struck, law)
    base = STRUCK.unpack(ball_at_surface(run.context, cursor.thing, span.surface, np.array(struck.before), time))
    lasts = (
        at_once
        or pull < -LEANING
        or _speed(struck, cursor, struck.normal) - _speed(base, cursor, base.normal, struck.normal) > COMING
    )
    slow = not meant and lasts and law[0] * -float(struck.rate) < HOP
    squeezed = _thrown_back(run, cursor, span, pusher, struck)
    if not (slow or squeezed):
        return {"jam": pusher.jam} if not meant and is_crowded(cursor, time) else {}
    normal = np.empty(3)
    turned(np.asarray(struck.normal), np.array(law[ON_NORMAL]), normal)
    along = float(normal @ base.normal)
    if is_crowded(cursor, time) or (along < 0.0 and 1.0 - along**2 < NARROW**2):
        return {"jam": pusher.jam}
    rate = float(normal @ struck.before[VELOCITY:SPIN]) - _speed(struck, cursor, normal)
    apart = -law[0] * rate if meant or not slow else HOP
    pressed, after = float(along < 0.0), np.array(struck.before)
    after[VELOCITY:SPIN] = push(after[VELOCITY:SPIN], normal, rate, base.normal, float(base.rate), apart, pressed)
    struck.after, struck.stick, struck.ratio = after, 0.0, 0.0
    return {"push": (apart if slow else -1.0, pressed), "hop": slow}


def _speed(struck: Any, cursor: Cursor, normal: Floats, along: Floats | None = None) -> float:
    """[m/s] of a surface where it touches a ball by its normal: along that, or along something else."""
    frame = np.asarray(struck.frame)
    arm = np.asarray(struck.before)[:ROTATION] - float(cursor.thing.body.radius) * normal - frame[:ROTATION]
    return float((normal if along is None else along) @ (frame[VELOCITY:SPIN] + np.cross(frame[SPIN:ACCEL], arm)))


def _thrown_back(run: Run, cursor: Cursor, span: Span, pusher: Pusher, struck: Any) -> bool:
    """Whether what a ball lies on, by its answer to a touch, throws it back at what it has touched."""
    time = float(struck.time)
    base = STRUCK.unpack(ball_at_surface(run.context, cursor.thing, span.surface, np.array(struck.after), time))
    if base.rate >= -TOUCHING:
        return False
    law = run.context.laws.of_touch(cursor.thing, [], run.context.world.surfaces, span.surface, time)
    after = run.bounced(cursor.thing, base, law).after
    again = ball_at_surface(run.context, cursor.thing, pusher.surface, after, time, among=pusher.solids)
    return bool(again[RATE] < HOP)

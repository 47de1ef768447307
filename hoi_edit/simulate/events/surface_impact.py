"""A ball that flies strikes a surface and bounces off it."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from hoi_edit.scene import Contact, Thing
from hoi_edit.simulate.contact_laws import Law
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.ball_settling import settle
from hoi_edit.simulate.events.base import Which
from hoi_edit.simulate.events.jam import is_crowded, is_kept_on, rest_in_a_crowd
from hoi_edit.simulate.events.touch import FlightTouch, ball_impacts, flight_by_time, touch_jacobians
from hoi_edit.simulate.kind_words import IMPACT
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search.layouts import BOUNCED
from kinematics.rotation import Floats
from rigid.air_compiled import acceleration_in_air


class SurfaceImpact(FlightTouch):
    def local_jacobians(self, jacobians: LocalJacobians, asked: Sequence[Which]) -> dict[Which, Floats]:
        return touch_jacobians(jacobians, asked, partial(ball_impacts, jacobians.context.gravity), grasp=False)

    def outcome_by_time(self, jacobians: LocalJacobians, name: str, k: int) -> Floats:
        return flight_by_time(jacobians, name, k)


def bounce_off(run: Run, cursor: Cursor, contact: Contact | None, surface: int, struck: Any, law: Law) -> None:
    """A touch of a ball in flight that nothing holds: it bounces, settles, or is jammed."""
    event = run.make_event(IMPACT, "impact", cursor, contact, run.context.world.surfaces, surface, struck)
    span, (e, mu, *_) = cursor.span, law
    away, pull = -e * float(struck.rate), -_pull(run, cursor.thing, struck)
    back = 2.0 * away / pull if pull > 0 else np.inf  # until the pair meets again, if nothing else happens
    if contact is None and is_crowded(cursor, event.time) and rest_in_a_crowd(run, cursor, span, event, surface, mu):
        return
    if contact is None and is_kept_on(run, cursor, surface, event):
        event = event._replace(rate=0.0, speed=0.0, tied=None)
    if back < 0.1 and contact is None and settle(run, cursor, span, event, surface, e, mu):
        return
    run.append(cursor, span, event)
    run.take_off(cursor, np.array(struck.after))
    cursor.blind = {surface: BOUNCED}
    if 0.0 < back < 3 * run.table.step:  # what does not spring back at all may slip off an edge
        cursor.expected = (surface, event.time + 0.5 * back, event.time + 1.6 * back, event.time + back)


def _pull(run: Run, thing: Thing, struck: Any) -> float:
    """What pulls a ball along the normal after its bounce; in air that goes by how it moves."""
    airs, gravity = run.context.world.airs, run.context.gravity
    if thing.name not in airs:
        return float(struck.pull)
    before, after = (
        acceleration_in_air(np.asarray(s), gravity, airs[thing.name]) for s in (struck.before, struck.after)
    )
    return float(struck.pull + struck.normal @ (after - before))

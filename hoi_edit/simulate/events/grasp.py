"""A thing is caught: from now on it lies where it touched, in the frame of the hand."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from hoi_edit.scene import Contact
from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.base import EventKind, Which
from hoi_edit.simulate.events.touch import FlightTouch, ball_grasps, touch_jacobians
from hoi_edit.simulate.kind_words import GRASP
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import FRAME, STATE
from hoi_edit.simulate.packed_states import relative
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.trajectory import Span
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, cross


class Grasp(FlightTouch):
    has_law = False
    grows = False

    def local_jacobians(self, jacobians: LocalJacobians, asked: Sequence[Which]) -> dict[Which, Floats]:
        return touch_jacobians(jacobians, asked, partial(ball_grasps, jacobians.context.gravity), grasp=True)

    def outcome_by_time(self, jacobians: LocalJacobians, name: str, k: int) -> Floats:
        return passing_by(jacobians, name, k)


class RestInCrowd(Grasp):
    """A ball between surfaces that come together stays where it is."""

    grows = True


class PrescribedGrasp(EventKind):
    """A ball that is caught by decree lies on the site, however it came: nothing before it counts."""

    grows = False

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        pass

    def outcome_by_time(self, jacobians: LocalJacobians, name: str, k: int) -> Floats:
        return passing_by(jacobians, name, k)


def passing_by(jacobians: LocalJacobians, name: str, k: int) -> Floats:
    """(6,) of a prescribed grasp: how fast what is caught moves and turns in the frame of the hand."""
    event = jacobians.event(name, k)
    f, s = FRAME.unpack(np.asarray(event.frame)), STATE.unpack(np.asarray(event.before))
    R = f.rotation.reshape(3, 3)
    velocity = s.velocity - f.velocity - cross(f.spin, s.position - f.position)
    return np.concatenate([R.T @ velocity, R.T @ (s.spin - f.spin)])


def take_hold(
    run: Run, cursor: Cursor, span: Span, mechanism: str, contact: Contact, surface: int, struck: Any
) -> None:
    """A span ends in the grasp that was intended."""
    surfaces = run.context.world.surfaces
    run.append(cursor, span, run.make_event(GRASP, mechanism, cursor, contact, surfaces, surface, struck))
    release = run.context.controls.contacts[contact.id].release
    run.hold(cursor, int(surfaces.frame[surface]), *relative(struck.frame, struck.before), release, contact.id)

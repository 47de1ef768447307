"""Rows that keep a thing which is not a ball out of a part of a body, hull against hull, at given times."""

from collections.abc import Iterator

import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.constraints.base import Rowset
from hoi_edit.constraints.partner import moving_with
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.events.hull_contact import contacts_of_hull
from kinematics.rotation import Floats, cross

NEAR = 0.02  # [m] within which there is a row


def hulls_apart(
    seen: Rollout, owner: Finding, flight: tuple[str, int], other: str, times: Floats, apart: Floats,
    only: int | None = None,
) -> Iterator[Rowset]:  # fmt: skip
    """Of a thing on one of its flights, extended, and a part or a fixture, or but one surface of it; by so much at each
    of the times."""
    name, span = flight
    if not len(times):
        return
    flown = seen.trajectories.chains[name].spans[span]
    frame = seen.model.world.frame(other) if "/" in other else -1
    surfaces = seen.model.world.surfaces_of(other) if only is None else np.array([only])
    states, frames, contacts = contacts_of_hull(seen.context, flown, frame, surfaces, times, NEAR)
    if not len(contacts):
        return
    contacts = contacts[np.argsort(contacts[:, 0], kind="stable")]
    which = contacts[:, 0].astype(int)
    normals, points = contacts[:, 2:5], contacts[:, 5:]
    # the closest points of both: how these are found does not change the distance, to first order
    ours, theirs = _along(normals, points - states[which, :3]), -_along(normals, points - frames[which, :3])
    for rows in np.split(np.arange(len(which)), np.flatnonzero(np.diff(which)) + 1):
        k = int(which[rows[0]])
        target, part = Target(name, float(times[k]), span), moving_with(frame, frames[k])
        functional = part.functional(target, ours[rows], theirs[rows])
        yield Rowset(owner, functional, apart[k] - contacts[rows, 1], np.full(len(rows), np.inf))


def _along(normals: Floats, arms: Floats) -> Floats:
    """(K, 12): how far points of a body go along normals, by the body's place and turn."""
    return np.concatenate([normals, cross(arms, normals), np.zeros((len(arms), 6))], axis=1)

"""Rows that keep a thing which is not a ball out of a part of a body, hull against hull, at given times."""

from collections.abc import Iterator

import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.constraints.base import Rowset
from hoi_edit.constraints.partner import along, partner
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.events.hull_contact import hulls_of
from kinematics.rotation import Floats
from rigid.hull_contact_time import LOOKED_AT

NEAR = 0.02  # [m] within which there is a row


def hulls_apart(
    seen: Rollout, owner: Finding, flight: tuple[str, int], other: str, times: Floats, apart: Floats,
    only: int | None = None,
) -> Iterator[Rowset]:  # fmt: skip
    """Of a thing on one of its flights, extended, and a part or a fixture, or but one surface of it, at no more than
    `LOOKED_AT` times; by so much at each."""
    name, span = flight
    flown = seen.trajectories.chains[name].spans[span]
    if not len(times):
        return
    looked = np.concatenate([times, np.full(LOOKED_AT - len(times), times[-1])])
    for surface in seen.model.world.surfaces_of(other) if only is None else [only]:
        hulls = hulls_of(seen.context, flown, int(surface))
        near = np.flatnonzero(hulls.gaps(looked)[: len(times)] < NEAR)
        for k, gap, normal, point in hulls.contacts(looked, near):
            part, target = partner(seen, other, float(times[k])), Target(name, float(times[k]), span)
            state = seen.state_in(name, float(times[k]), span)
            # the closest points of both: how these are found does not change the distance, to first order
            ours, theirs = along(normal, point - state.position), along(normal, point - part.position)
            functional = part.functional(target, ours, -theirs)
            yield Rowset(owner, functional, np.array([apart[k] - gap]), np.array([np.inf]))

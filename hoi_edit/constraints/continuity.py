"""Flights and holds that are variables of their own, nodes, go on where the contact before them has led."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional, node_name, time_name
from hoi_edit.constraints.base import ANGLE, METRE, SPEED, SPIN, Named, Rowset
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout

# How a ball is turned does not matter to what it does: its turn is taken over, not solved for
UNITS = np.repeat([METRE, ANGLE, SPEED, SPIN], 3)
OF_BALL = {12: np.eye(12)[[0, 1, 2, 6, 7, 8, 9, 10, 11]], 6: np.eye(6)[:3]}


@dataclass(frozen=True, eq=False)
class Continuity(Named):
    """Of one node."""

    contact: str

    @property
    def about(self) -> Finding:
        return Finding("follows", self.contact)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        if self.contact not in seen.happened:
            return []
        thing, k = seen.happened[self.contact]
        mismatch = seen.continuity[self.contact]
        whole = np.eye(len(mismatch))
        select = whole if seen.model.scene.thing(thing).shape.turn_matters else OF_BALL[len(mismatch)]
        columns = [(node_name(self.contact), -select)]
        if seen.trajectories.chains[thing].events[k].declared:  # then its time is a variable too
            by_time = seen.linearisation.outcome_by_time(thing, k)
            columns.append((time_name(self.contact), (select @ by_time)[:, None]))
        functional = Functional(len(select), outcomes=[(thing, k, select)], columns=columns)
        return [Rowset.equal(self.about, functional, -select @ mismatch, select @ UNITS[: len(mismatch)])]

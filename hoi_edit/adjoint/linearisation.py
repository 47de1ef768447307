"""Rows of any functionals of one simulation: begun at what is asked, carried back, gathered."""

from collections.abc import Container, Iterator, Sequence
from heapq import merge
from typing import Any

import numpy as np

from hoi_edit.adjoint.accumulator import Gathering
from hoi_edit.adjoint.begin import begin
from hoi_edit.adjoint.conditioning import Growth
from hoi_edit.adjoint.local_links import linked
from hoi_edit.adjoint.rows import Functional, Rows, Target, node_name
from hoi_edit.adjoint.through import reached_start, through
from hoi_edit.scene.controls import Layout
from hoi_edit.simulate.packed_layouts import FRAME, STATE
from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.spans.flight_in_air import rate_of
from hoi_edit.simulate.trajectory import Chain
from kinematics.rotation import Floats, cross


class Linearisation:
    """Local Jacobians of one simulation, computed once, and rows asked of it."""

    def __init__(self, simulation: Discovery, chains: dict[str, Chain], layout: Layout) -> None:
        self.simulation, self.chains, self.layout = simulation, chains, layout
        self.local = linked(simulation, chains)
        self.links, self.airs = self.local.links, self.local.airs

    def rows(self, targets: Sequence[Target], select: Floats | None = None) -> Rows:
        """Rows of all targets, stacked. `select` (k, 12) picks combinations of each target's twelve numbers."""
        select = np.eye(12) if select is None else select
        return self.of([Functional(len(select), things=[(target, select)]) for target in targets])

    def of(self, functionals: Sequence[Functional], nodes: Container[str] = ()) -> Rows:
        """Rows of functionals, stacked. What reaches the outcome of a contact in `nodes` ends there, in columns that
        are named after it ("catch3.node"); everything else goes on to where things started."""
        gathering, growth = Gathering(self.local, sum(own.count for own in functionals)), Growth(functionals)
        begin(gathering, functionals)
        while self._is_on_its_way(gathering):  # more than once only where meetings tie in time
            for _, name, k in self._back_from_the_last(gathering):
                if (name, k + 1) not in gathering.pending:
                    continue
                rows, on = gathering.arrived(name, k + 1)
                gathering.doubt(growth.doubt(rows, on))
                event = self.chains[name].events[k]
                contact = event.contact
                if contact in nodes and event.kind != "release":
                    gathering.add(node_name(str(contact)), rows, on[:, :12])  # a node's time is fixed
                else:
                    growth.through(event, rows)
                    through(gathering, name, k, rows, on)
                if not self._is_on_its_way(gathering):
                    break
        for name in self.chains:
            if (name, 0) in gathering.pending:
                rows, on = gathering.arrived(name, 0)
                gathering.doubt(growth.doubt(rows, on))
                reached_start(gathering, name, self.chains[name].spans[0], rows, on)
        return gathering.rows()

    def _is_on_its_way(self, gathering: Gathering) -> bool:
        """Whether covectors have still to go back through an event."""
        return any(k > 0 for _, k in gathering.pending)

    def _back_from_the_last(self, gathering: Gathering) -> Iterator[tuple[float, str, int]]:
        """Events backwards in time, (time, thing, number), from the last that covectors have to go back through.

        Of all things at once: where two met, covectors of one pass over to the other. In a long clip most events are
        later, or earlier than where the covectors end, so none is looked at before its turn.
        """
        last = max(self.chains[name].events[k - 1].time for name, k in gathering.pending if k > 0)
        return merge(*(self._back(name, last) for name in self.chains), reverse=True)

    def _back(self, name: str, last: float) -> Iterator[tuple[float, str, int]]:
        chain = self.chains[name]
        return ((chain.events[k].time, name, k) for k in range(chain.index_at(last) - 1, -1, -1))

    def outcome_by_time(self, name: str, k: int) -> Floats:
        """(12,) how the flight after a decreed impact of a ball, at the fixed time that names it, changes with the time
        of the decree: the flight before goes on, the part moves on, and what follows is so much later. (6,) of a
        decreed grasp, how what is caught passes by in the frame of the hand."""
        chain, gravity = self.chains[name], self.simulation.gravity
        event, after = chain.events[k], chain.spans[k + 1]
        assert event.declared and name not in self.airs
        if event.kind == "grasp":
            return _passes(FRAME.unpack(np.asarray(event.frame)), STATE.unpack(np.asarray(event.before)))
        f, link = FRAME.unpack(np.asarray(event.frame)), self.links[name, k]
        before = rate_of(np.asarray(chain.spans[k].state), gravity)
        part = np.concatenate([f.velocity, f.spin, f.accel, f.spin_accel])
        given = self.simulation.flown(after._replace(state=event.after, start=event.time), after.start)
        return np.asarray(link[:, :12] @ before + link[:, 12:24] @ part - rate_of(given, gravity))


def _passes(frame: Any, before: Any) -> Floats:
    """(6,) how fast a thing moves and turns in a frame, and as seen from there."""
    R = frame.rotation.reshape(3, 3)
    arm = before.position - frame.position
    velocity = before.velocity - frame.velocity - cross(frame.spin, arm)
    return np.concatenate([R.T @ velocity, R.T @ (before.spin - frame.spin)])

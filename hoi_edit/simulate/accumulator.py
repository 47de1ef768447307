"""What rows leave behind on their way back through a scene: covectors, by what they are on.

Kinds of spans and events carry covectors back and leave them here; `hoi_edit.adjoint` turns what is left into rows.
"""

from typing import NamedTuple

import numpy as np

from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.trajectory import Chain, Event, Span
from hoi_edit.simulate.variations import ON_FRICTION, ON_NORMAL, ON_RESTITUTION
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats


class StateCovectors(NamedTuple):
    """Covectors (R, 12) on the state of a thing at a time of one of its spans."""

    name: str
    k: int  # which span
    time: float
    rows: Ints  # (R,)
    on: Floats


class Accumulator:
    """Of one call, whatever the thread."""

    def __init__(self, jacobians: LocalJacobians, total: int) -> None:
        self.jacobians, self.total = jacobians, total
        self.context, self.chains = jacobians.context, jacobians.chains
        self.world, self.scene = jacobians.context.world, jacobians.context.scene
        self.on_frames: list[tuple[int, float, Ints, Floats]] = []  # frame, time, rows, covectors on its motion
        self.whole: list[tuple[str, Ints, Floats]] = []  # character, rows, covectors on all its parameters
        self.columns: dict[str, Floats] = {}
        self.doubts: list[Event] = []
        self.spans: set[tuple[str, int]] = set()  # that covectors have come back along
        self.pending: dict[tuple[str, int], list[tuple[Ints, Floats]]] = {}  # thing, span: covectors at its start

    def chain(self, name: str) -> Chain:
        return self.chains[name]

    def span(self, name: str, k: int) -> Span:
        return self.chains[name].spans[k]

    def leave_at(self, name: str, k: int, rows: Ints, on: Floats) -> None:
        """Covectors on what names a span: its state when it starts, its place in a hand, …"""
        self.pending.setdefault((name, k), []).append((rows, on))

    def arrived(self, name: str, k: int) -> tuple[Ints, Floats]:
        """What was left at the start of a span, each row once: one that came by several ways is their sum."""
        parts = self.pending.pop((name, k))
        self.spans.add((name, k))
        if len(parts) == 1:
            return parts[0]
        return summed_by_row(np.concatenate([rows for rows, _ in parts]), np.concatenate([on for _, on in parts]))

    def on_frame(self, frame: int, time: float, rows: Ints, on: Floats) -> None:
        """Covectors (R, 12) on how a frame moves at a time; the world does not."""
        if frame >= 0:
            self.on_frames.append((frame, time, rows, on))

    def state_back(self, name: str, k: int, time: float, rows: Ints, on: Floats) -> None:
        """Covectors (R, 12) on the state of a thing at a time of a span, to that span's beginning."""
        kind = self.context.spans[self.span(name, k).kind]
        kind.back(self, [StateCovectors(name, k, time, rows, on)])

    def after_back(self, name: str, k: int, rows: Ints, on: Floats) -> Floats:
        """Covectors (R, 13) on the state just after event k and its delay, of covectors on the span that follows."""
        return self.context.spans[self.span(name, k + 1).kind].onto(self, name, k, rows, on)

    def doubt(self, event: Event | None) -> None:
        if event is not None:
            self.doubts.append(event)

    def add(self, block: str, rows: np.ndarray, values: Floats) -> None:
        if block not in self.columns:
            self.columns[block] = np.zeros((self.total, values.shape[1]))
        np.add.at(self.columns[block], rows, values)

    def on_law(self, contact: str | None, rows: Ints, on: Floats) -> None:
        """Covectors (R, 5) on the law of an intended contact."""
        if contact is not None:
            for part, columns in (("restitution", ON_RESTITUTION), ("friction", ON_FRICTION), ("normal", ON_NORMAL)):
                self.add(f"{contact}.{part}", rows, on[:, columns])


def summed_by_row(rows: Ints, on: Floats) -> tuple[Ints, Floats]:
    """Covectors of the same row added up."""
    if len(set(rows.tolist())) == len(rows):  # as nearly always; `unique` takes ten times as long
        return rows, on
    once, which = np.unique(rows, return_inverse=True)
    total = np.zeros((len(once), on.shape[1]))
    np.add.at(total, which, on)
    return once, total


def node_name(contact: str) -> str:
    """The variables of a node, where they are variables."""
    return f"{contact}.node"


def time_name(contact: str) -> str:
    """The variable that is a contact's time, where that is one."""
    return f"{contact}.time"

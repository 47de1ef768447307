"""What rows leave behind on their way back through a scene: covectors, by what they are on."""

import numpy as np

from hoi_edit.adjoint.linked_events import Local
from hoi_edit.adjoint.rows import PoseBlock, Rows
from hoi_edit.motions.frame_motion import jacobians
from hoi_edit.simulate.trajectory import Event
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats


class Gathering:
    """Of one call, whatever the thread."""

    def __init__(self, local: Local, total: int) -> None:
        self.local, self.total = local, total
        self.simulation, self.chains, self.airs = local.simulation, local.chains, local.airs
        self.world, self.scene = local.world, local.scene
        self.on_frames: list[tuple[int, float, Ints, Floats]] = []  # frame, time, rows, covectors on its motion
        self.poses: list[PoseBlock] = []
        self.whole: list[tuple[str, Ints, Floats]] = []  # character, rows, covectors on all its parameters
        self.columns: dict[str, Floats] = {}
        self.doubts: list[Event] = []
        self.spans: set[tuple[str, int]] = set()  # that covectors have come back along
        self.pending: dict[tuple[str, int], list[tuple[Ints, Floats]]] = {}  # thing, span: covectors at its start

    def leave_at(self, name: str, k: int, rows: Ints, on: Floats) -> None:
        self.pending.setdefault((name, k), []).append((rows, on))

    def arrived(self, name: str, k: int) -> tuple[Ints, Floats]:
        """What was left at the start of a span, each row once: one that came by several ways is their sum."""
        parts = self.pending.pop((name, k))
        self.spans.add((name, k))
        if len(parts) == 1:
            return parts[0]
        return summed_by_row(np.concatenate([rows for rows, _ in parts]), np.concatenate([on for _, on in parts]))

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
            for part, columns in (("restitution", on[:, :1]), ("friction", on[:, 1:2]), ("normal", on[:, 2:])):
                self.add(f"{contact}.{part}", rows, columns)

    def note_touch(self, event: Event, rows: Ints, back: Floats) -> None:
        """Of covectors on all that a touch depends on, those that are not on what touched."""
        assert event.patch is not None
        if event.patch.frame >= 0:
            self.on_frames.append((event.patch.frame, event.time, rows, back[:, 12:24]))
        if event.other in self.chains:  # a thing in a hand: where it lies in that hand matters too
            chain = self.chains[str(event.other)]
            k = chain.index_at(event.time)
            if chain.spans[k].kind == "held":
                self.leave_at(str(event.other), k, rows, back[:, 24:30])
            else:  # it was struck in a hand that, by what came of it, has not caught it yet
                self.doubts.append(event)
        if event.kind == "impact":
            self.on_law(event.contact, rows, back[:, 30:35])

    def rows(self) -> Rows:
        return Rows(self.total, self.poses + self._on_poses(), self.whole, self.columns, tuple(self.doubts), self.spans)

    def _on_poses(self) -> list[PoseBlock]:
        """Covectors on frames become covectors on q and q̇ of their characters."""
        found: list[PoseBlock] = []
        for c, character in enumerate(self.scene.characters):
            first, last = self.world.first_frame[c : c + 2]
            own = [entry for entry in self.on_frames if first <= entry[0] < last]
            if not own:
                continue
            place = {key: k for k, key in enumerate(dict.fromkeys((frame, time) for frame, time, _, _ in own))}
            frames, times = (np.array(column) for column in zip(*place, strict=True))
            J = jacobians(self.simulation.exact.moving, frames, times, character.skeleton.n_dofs)
            for frame, time, rows, on in own:
                jac = J[place[frame, time]]
                found.append(PoseBlock(character.name, time, rows, on @ jac[:, 0], on @ jac[:, 1]))
        return found


def summed_by_row(rows: Ints, on: Floats) -> tuple[Ints, Floats]:
    """Covectors of the same row added up."""
    if len(set(rows.tolist())) == len(rows):  # as nearly always; `unique` takes ten times as long
        return rows, on
    once, which = np.unique(rows, return_inverse=True)
    total = np.zeros((len(once), on.shape[1]))
    np.add.at(total, which, on)
    return once, total

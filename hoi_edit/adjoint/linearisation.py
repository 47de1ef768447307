"""Rows of any functionals of one simulation: begun at what is asked, carried back, gathered."""

from collections.abc import Container, Iterator, Sequence
from heapq import merge

import numpy as np

from hoi_edit.adjoint.conditioning import Growth
from hoi_edit.adjoint.rows import Functional, PoseBlock, Rows, Target
from hoi_edit.motions.frame_motion import jacobians
from hoi_edit.simulate.accumulator import Accumulator, StateCovectors, node_name
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import FRAME
from hoi_edit.simulate.trajectory import Chain
from hoi_edit.simulate.variations import PLACE, SPIN, TURN, VELOCITY
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, cross


class Linearisation:
    """Local Jacobians of one simulation, computed once, and rows asked of it.

    Of a run that has taken over all but a stretch of time from an earlier one, those of other events are made when
    asked for.
    """

    def __init__(self, context: Context, chains: dict[str, Chain], stretch: tuple[float, float] | None = None) -> None:
        self.context, self.chains = context, chains
        self.jacobians = LocalJacobians(context, chains)
        self.jacobians.link(*(stretch or ()))

    def rows(self, targets: Sequence[Target], select: Floats | None = None) -> Rows:
        """Rows of all targets, stacked. `select` (k, 12) picks combinations of each target's twelve numbers."""
        select = np.eye(12) if select is None else select
        return self.of([Functional(len(select), things=[(target, select)]) for target in targets])

    def of(self, functionals: Sequence[Functional], nodes: Container[str] = ()) -> Rows:
        """Rows of functionals, stacked. What reaches the outcome of a contact in `nodes` ends there, in columns that
        are named after it ("catch3.node"); everything else goes on to where things started."""
        accumulator = Accumulator(self.jacobians, sum(functional.count for functional in functionals))
        growth, poses = Growth(functionals), self._begin(accumulator, functionals)
        while _is_on_its_way(accumulator):  # more than once only where meetings tie in time
            for _, name, k in self._back_from_the_last(accumulator):
                if (name, k + 1) not in accumulator.pending:
                    continue
                rows, on = accumulator.arrived(name, k + 1)
                accumulator.doubt(growth.doubt(rows, on))
                event = self.chains[name].events[k]
                if event.contact in nodes and not event.lets_go:
                    accumulator.add(node_name(str(event.contact)), rows, on[:, :12])  # a node's time is fixed
                else:
                    growth.through(event, self.context.events[event.mechanism], rows)
                    self._through(accumulator, name, k, rows, on)
                if not _is_on_its_way(accumulator):
                    break
        for name, chain in self.chains.items():
            if (name, 0) in accumulator.pending:
                rows, on = accumulator.arrived(name, 0)
                accumulator.doubt(growth.doubt(rows, on))
                self.context.spans[chain.spans[0].kind].start_back(accumulator, name, rows, on)
        blocks = poses + _on_poses(accumulator)
        doubts, spans = tuple(accumulator.doubts), accumulator.spans
        return Rows(accumulator.total, blocks, accumulator.whole, accumulator.columns, doubts, spans)

    def outcome_by_time(self, name: str, k: int) -> Floats:
        """How what a prescribed contact gives changes with the time at which it is prescribed."""
        return self.context.events[self.chains[name].events[k].mechanism].outcome_by_time(self.jacobians, name, k)

    # -- where rows begin ----------------------------------------------------------------------------------------------

    def _begin(self, accumulator: Accumulator, functionals: Sequence[Functional]) -> list[PoseBlock]:
        """Everything that is asked for becomes covectors at the start of the span that it lies in; those on poses have
        arrived."""
        targets: list[tuple[Target, Ints, Floats]] = []
        poses: list[PoseBlock] = []
        first = 0
        for functional in functionals:
            rows = np.arange(first, first + functional.count)
            first += functional.count
            targets.extend((target, rows, on) for target, on in functional.things)
            poses.extend(PoseBlock(who, time, rows, q, rate) for who, time, q, rate in functional.poses)
            for frame, time, on in functional.frames:
                accumulator.on_frame(frame, time, rows, on)
            for block, values in functional.columns:
                accumulator.add(block, rows, values)
            for name, k, on in functional.outcomes:
                chain = self.chains[name]
                after = chain.spans[k + 1]
                on_span = self.context.spans[after.kind].outcome_back(self.context, chain.events[k], after, on)
                self._through(accumulator, name, k, rows, on_span)
        self._begin_points(accumulator, [entry for entry in targets if "/" in entry[0].name])
        self._begin_things(accumulator, [entry for entry in targets if "/" not in entry[0].name])
        return poses

    def _begin_things(self, accumulator: Accumulator, asked: Sequence[tuple[Target, Ints, Floats]]) -> None:
        by_kind: dict[str, list[StateCovectors]] = {}
        for target, rows, on in asked:
            name, time = self.context.scene.thing(target.name).name, target.time
            chain = self.chains[name]
            k = chain.index_at(time) if target.span is None else target.span
            if target.span is None and chain.settles_at(k, time):
                event = chain.events[k]
                accumulator.doubt(event if event.doubt else None)
                self.context.events[event.mechanism].back_from_before(accumulator, name, k, time, rows, on)
            else:
                by_kind.setdefault(chain.spans[k].kind, []).append(StateCovectors(name, k, time, rows, on))
        for kind, covectors in by_kind.items():
            self.context.spans[kind].back(accumulator, covectors)

    def _begin_points(self, accumulator: Accumulator, asked: Sequence[tuple[Target, Ints, Floats]]) -> None:
        """Points of bodies: a covector on a point is one on its frame."""
        if not asked:
            return
        frames = [self.context.world.frame(target.name) for target, _, _ in asked]
        motions = self.context.frames(frames, [target.time for target, _, _ in asked])
        for (target, rows, on), frame, motion in zip(asked, frames, motions, strict=True):
            f = FRAME.unpack(motion)
            arm = f.rotation.reshape(3, 3) @ self.context.scene.place(target.name)[2]
            accumulator.on_frame(frame, target.time, rows, point_covectors(on, arm, f.spin))

    # -- the way back --------------------------------------------------------------------------------------------------

    def _through(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        """From covectors on the span after event k to covectors on the span before it, and on what else it needs."""
        event = self.chains[name].events[k]
        accumulator.doubt(event if event.doubt else None)
        self.context.events[event.mechanism].back(accumulator, name, k, rows, on)

    def _back_from_the_last(self, accumulator: Accumulator) -> Iterator[tuple[float, str, int]]:
        """Events backwards in time, (time, thing, number), from the last that covectors have to go back through.

        Of all things at once: where two met, covectors of one pass over to the other. In a long clip most events are
        later, or earlier than where the covectors end, so none is looked at before its turn.
        """
        last = max(self.chains[name].events[k - 1].time for name, k in accumulator.pending if k > 0)
        return merge(*(self._back(name, last) for name in self.chains), reverse=True)

    def _back(self, name: str, last: float) -> Iterator[tuple[float, str, int]]:
        chain = self.chains[name]
        return ((chain.events[k].time, name, k) for k in range(chain.index_at(last) - 1, -1, -1))


def _is_on_its_way(accumulator: Accumulator) -> bool:
    """Whether covectors have still to go back through an event."""
    return any(k > 0 for _, k in accumulator.pending)


def _on_poses(accumulator: Accumulator) -> list[PoseBlock]:
    """Covectors on frames become covectors on q and q̇ of their characters."""
    blocks: list[PoseBlock] = []
    for c, character in enumerate(accumulator.scene.characters):
        first, last = accumulator.world.first_frame[c : c + 2]
        on_body = [entry for entry in accumulator.on_frames if first <= entry[0] < last]
        if not on_body:
            continue
        place = {key: k for k, key in enumerate(dict.fromkeys((frame, time) for frame, time, _, _ in on_body))}
        frames, times = (np.array(column) for column in zip(*place, strict=True))
        J = jacobians(accumulator.context.moving, frames, times, character.skeleton.n_dofs)
        for frame, time, rows, on in on_body:
            jac = J[place[frame, time]]
            blocks.append(PoseBlock(character.name, time, rows, on @ jac[:, 0], on @ jac[:, 1]))
    return blocks


def point_covectors(on: Floats, arm: Floats, spin: Floats) -> Floats:
    """Covectors (k, 12) on the motion of a point as such on its frame's, which is `arm` away and turns with `spin`."""
    place, turn, velocity, turning = on[:, PLACE], on[:, TURN], on[:, VELOCITY], on[:, SPIN]
    turned = turn + cross(arm, place) + cross(arm, cross(velocity, spin))
    return np.concatenate([place, turned, velocity, turning + cross(arm, velocity)], axis=1)

"""Drags become updates: linearise, solve the QP, simulate what it gives, and go on until everything holds.

    min ½ (u+δ-u₀)' D (u+δ-u₀)   s.t.  rows of all constraints                                      (eqs. 6-8)

Right-hand sides are the true misses of the simulated scene, so nothing drifts. Flights after impacts are variables
beside u (nodes) with continuity rows: a step is never judged by a run from the start of the scene, in which convex
touches amplify everything. On the way, balls are led to the contacts that are kept, at times that are variables too;
so no contact is ever lost, and nothing jumps. What really happens is simulated beside it: whatever is run into is put
on a watch list and kept clear of.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hoi_edit.adjoint import Rows, node_name, time_name
from hoi_edit.compiling.runtime import one_thread
from hoi_edit.constraints.base import Constraint, Rowset
from hoi_edit.constraints.held_clear import carried_through, depth_in_all
from hoi_edit.constraints.joint_limits import JointLimits, LimitsMeanwhile
from hoi_edit.constraints.keep_clear import Watched, unwanted
from hoi_edit.constraints.keep_contact import KeepContact, KeptContacts, slide_name
from hoi_edit.constraints.pin import Pin
from hoi_edit.edit.body_violations import Bounds, bent_out_of_shape, overdone
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.line_search import backtracked, may_be_missed, merit, outside, residual_of
from hoi_edit.edit.problem import EditProblem, surface_of
from hoi_edit.edit.progress import Listener, Progress, tell
from hoi_edit.qp import QuadraticProgram, Solution, solve
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.checks.prescribed_collisions import Stray, cut_short, really_hit, strays
from hoi_edit.simulate.run import Overwhelmed
from hoi_edit.simulate.variations import TURN
from kinematics.packed_motion import ROTATION, VELOCITY
from kinematics.rotation import Floats

FEASIBLE = 1e-7  # in units of each row: 5e-9 m
NEARLY = 1e-3  # from here on what counts is the way back to where an edit began
ELASTIC = 10.0  # times what a body resists at first, and a drag gives way: as arms and legs are nearly straight
LIVELY = 40.0  # the same while it follows easily
STIFF = 1e3  # the same where it has come to rest, and might get nearer
EASY, HARD_PUT = 0.05, 0.5  # so little is amiss after a step that more may be asked of a body, or so much that less is
SETTLED = 0.02  # where all that is kept nearly holds, what gives way comes no nearer than this in a step: a millimetre
STILL = 1e-6  # a step that moves no entry by more than this is none
UNSEEN = 1e-3  # nobody sees a way back of this size: it is gone only where it is soon done
SEEN = {"stands": 2e-3, "joint limit": 0.01}  # [m], [rad] by which a foot or a joint may be off in a picture
SAME = 1e-5  # [s] by which what really happens may differ from what was led to
JOINED = 1e-5  # [m], [m/s], ... by which a flight may differ from what the contact before it gave
WEAK = 1.0 / 16.0  # the weakest pull to where an edit began, before there is none
CLOSE = 0.5  # so little is amiss that what is run into tells something
FAR = 1.0  # so much is amiss that nothing is near yet: 5 cm
CLEARING = 15  # steps that are made to keep what is carried clear of what it goes through
SLOW, LOOK_BACK = 0.8, 5  # what is amiss is hardly less than this share of what it was so many steps before


@dataclass(frozen=True, eq=False)
class _Attempt:
    """A step that is tried."""

    solution: Solution
    trial: Iterate | None  # where it leads
    share: float  # of the step
    given: tuple[Floats, ...]  # what soft rows are to be off by after it
    size: float  # what is amiss before it, but for that
    good: bool = False


@dataclass(frozen=True, eq=False)
class _Resort:
    """Where all held but that things are carried through something."""

    iterate: Iterate
    minded: tuple[Constraint, ...]
    iterations: int  # that had led there
    arrived: bool  # also at what is asked for; else as near as it comes


@dataclass(eq=False)
class Solver:
    """One edit, step by step: a mouse takes a few steps a frame, a script runs to the end."""

    kept: EditProblem
    constraints: tuple[Constraint, ...]
    iterate: Iterate
    watched: tuple[Watched, ...] = ()
    minded: tuple[Constraint, ...] = ()  # what bodies overdid, and do not any more
    iterations: int = 0
    solution: Solution | None = None
    converged: bool = False
    stuck: bool = False
    pull: float = 1.0  # the share of the way back to the origin that a step aims at
    way: float = np.inf  # how far that still was, once everything held
    known: dict[int, tuple[Iterate, dict[int, tuple[object, list[Rowset]]]]] = field(default_factory=dict)
    looked: Iterate | None = None  # the last iterate at which it was looked out
    touching: tuple[Iterate, KeptContacts] | None = None  # the last look at the contacts that go on
    linear: tuple[list[Rowset], Rows] | None = None  # the last rows, linearised
    solved: tuple[list[Rowset], float, Solution] | None = None  # the last QP: rows, pull, and what it gave
    seen: tuple[Iterate, Iterate] | None = None  # an iterate that balls are led in, and what really happens there
    elsewhere: frozenset[str] = frozenset()  # contacts that are led to another surface than at first
    given: tuple[Floats, ...] = ()  # what soft rows were to be off by after the last step
    settled: bool = False  # everything holds, but perhaps for what has come as near as it can
    soft_price: float = np.nan  # of missing what gives way; not a number: as the edit has it
    resting: bool = False  # what gives way has come as near as it can, and stays there
    hasty: bool = False  # where everything nearly holds, the rest of the way back to the origin is left out
    trail: list[tuple[float, int]] = field(default_factory=list)  # after each step: what is amiss, and what is watched
    resort: "_Resort | None" = None
    gives_way: bool = False  # what is carried goes through something that it cannot be kept clear of
    what: str = "edit"  # its name for those who listen
    listener: Listener | None = None

    def __post_init__(self) -> None:
        if np.isnan(self.soft_price):
            self.soft_price = ELASTIC if self.kept.elastic else np.inf
        if self.iterate is self.kept.origin:
            self.iterate = self.kept.start
        elif self.kept.led and not self.iterate.led:
            self.iterate = self.iterate.led_to(self.kept.led)

    def towards(self, constraints: tuple[Constraint, ...]) -> "Solver":
        """The same edit with other constraints, from where it has come to."""
        return Solver(
            self.kept, constraints, self.iterate, self.watched, self.minded, known=self.known, looked=self.looked,
            elsewhere=self.elsewhere, gives_way=self.gives_way, what=self.what, listener=self.listener,
            soft_price=self.soft_price,
        )  # fmt: skip

    def run(self, most: int = 60) -> Iterator[Iterate]:
        """Points on the way, each simulated; ends when everything holds, or nothing gets better."""
        last = self.iterations + most
        while self.iterations < last and not (self.converged or self.stuck):
            self.step()
            self.trail.append((self._merit_left(), len(self.watched) + len(self.minded)))
            if self.listener is not None:
                tell(self.listener, Progress(self.what, self.iterations, last, residual_of(self.rowsets(self.iterate))))
            yield self.iterate
        self.settle()

    def rest(self) -> None:
        """What gives way stays where it is from now on, while all that is kept is made to hold."""
        self.resting, self.pull, self.stuck = True, 0.0, False

    def _strain_or_rest(self) -> None:
        """What gave way early may come nearer if bodies are strained more."""
        if self.soft_price < STIFF:
            self._strain(10.0)
        else:
            self.rest()

    def _strain(self, times: float) -> None:
        self.soft_price, self.solved = float(np.clip(times * self.soft_price, ELASTIC, STIFF)), None

    def mend_bodies(self, most: int) -> int:
        """Some steps, while feet are seen to slide or joints to be beyond their limits, in which what is dragged waits;
        and how many there were."""
        steps = 0
        while steps < most and not self.resting and self._breaks_bodies():
            pull, self.resting, self.pull, self.solved = self.pull, True, 0.0, None
            self.step()
            self.resting, self.pull, self.solved, steps = False, pull, None, steps + 1
        return steps

    def _breaks_bodies(self) -> bool:
        """Whether somebody sees feet or joints where they ought not to be."""
        rows = [row_set for row_set in self.rowsets(self.iterate) if row_set.owner.kind in SEEN]
        return any(row_set.miss.max(initial=0.0) > SEEN[row_set.owner.kind] for row_set in rows)

    def _merit_left(self) -> float:
        """What is amiss by now, without what gives way in time."""
        return self._merit_at(self.iterate, self.given)

    @property
    def crawls(self) -> bool:
        """Whether it is far from where everything holds and hardly gets any nearer, as with targets out of reach. What
        was just found to be in the way is given its time."""
        last = self.trail[-LOOK_BACK - 1 :]
        if len(last) <= LOOK_BACK or len({watched for _, watched in last}) > 1:
            return False
        return min(size for size, _ in last) > FAR and last[-1][0] > SLOW * last[0][0]

    @property
    def came_close(self) -> bool:
        """Whether at some iterate nothing much was amiss, though then something may have been found in the way."""
        return min((size for size, _ in self.trail), default=np.inf) <= FAR

    def rowsets(self, iterate: Iterate) -> list[Rowset]:
        """All rows at an iterate: those of what is asked for, of what is watched and of what is kept."""
        seen = self._seen_at(iterate)
        return [rows for owner in (*self._asked(), self.kept) for rows in seen[id(owner)][1]]

    def _asked(self) -> list[Constraint]:
        """What is asked for, watched and minded; contacts that are to be kept are kept with the others."""
        asked = (*self.constraints, *self.watched, *self.minded)
        return [constraint for constraint in asked if not isinstance(constraint, KeepContact)]

    def _seen_at(self, iterate: Iterate) -> dict[int, tuple[object, list[Rowset]]]:
        """Rows by their owner, which is kept beside them so that its id stays its own. Those of the last two points are
        remembered: a step looks at them again and again."""
        if id(iterate) not in self.known:
            others = [constraint for constraint in self.kept.contacts if not isinstance(constraint, KeepContact)]
            rows = [rows for constraint in others for rows in constraint.rows(iterate.rollout)]
            rows += self._touching(iterate).rows()
            self.known = dict([*self.known.items()][-1:]) | {id(iterate): (iterate, {id(self.kept): (self.kept, rows)})}
        seen = self.known[id(iterate)][1]
        for constraint in self._asked():
            if id(constraint) not in seen:
                seen[id(constraint)] = constraint, list(constraint.rows(iterate.rollout))
        return seen

    def _touching(self, iterate: Iterate) -> KeptContacts:
        """The contacts that go on, at the times that they have at an iterate."""
        if self.touching is None or self.touching[0] is not iterate:
            kept = {
                constraint.contact: constraint
                for constraint in self.kept.contacts
                if isinstance(constraint, KeepContact)
            }
            asked = {
                constraint.contact: constraint for constraint in self.constraints if isinstance(constraint, KeepContact)
            }
            both = kept | {name: constraint.within(kept.get(name)) for name, constraint in asked.items()}
            times = [
                constraint.time if constraint.fixed_time else iterate.times[constraint.contact]
                for constraint in both.values()
            ]
            self.touching = iterate, KeptContacts(list(both.values()), times, iterate.rollout, firm=asked)
        return self.touching[1]

    def step(self) -> None:
        with one_thread():
            try:
                self._step()
            except Overwhelmed:  # of what really happens at an iterate: there is no way on from there
                self.stuck = True
        if self.stuck or (
            self.resort is not None and self.iterations - self.resort.iterations in (CLEARING, 2 * CLEARING)
        ):
            self._give_way()

    def _step(self) -> None:
        """One linearisation, and as much of its step as makes things better.

        A step mends what is amiss and goes back towards where the edit began. Constraints curve: far from there the way
        back is so long that it spoils what is mended, so less of it is taken, down to none.
        """
        self.iterations += 1
        sets = self.rowsets(self.iterate)
        if self.looked is not self.iterate and self._look_out(merit(sets)):
            sets = self.rowsets(self.iterate)
        given, size = self._amiss(sets)
        if given and size <= SETTLED and not self.resting:
            self._strain_or_rest()
            given, size = self._amiss(sets)
        if not sets or (size <= NEARLY and self._has_come_back(sets, size)):
            self._end(bool(given))
            return
        attempt = self._best(sets)
        if attempt.good and attempt.trial is not None:
            self._take(attempt, attempt.trial)
        elif attempt.given and not self.resting:
            self.rest()  # no nearer than this
        else:
            self.converged = attempt.size <= FEASIBLE and not attempt.given
            self.stuck = not self.converged

    def _amiss(self, sets: list[Rowset]) -> tuple[tuple[Floats, ...], float]:
        """What soft rows are to be off by, and what is amiss but for that."""
        given = self._given(sets)
        return given, merit(sets, given)

    def _best(self, sets: list[Rowset]) -> "_Attempt":
        """As much of a step as makes things better, with less of the way back where that spoils it."""
        attempt = self._tried(sets, self.pull)
        while not attempt.good and self.pull > 0.0:
            self.pull = self._weaker()
            attempt = self._tried(sets, self.pull)
        return attempt if attempt.good else self._shortened(attempt)

    def _weaker(self) -> float:
        return 0.25 * self.pull if self.pull > WEAK else 0.0

    def _take(self, attempt: "_Attempt", trial: Iterate) -> None:
        """Go where a step leads, and see what comes of it."""
        size, after = attempt.size, self._merit_at(trial, attempt.given)
        if size > NEARLY and after < 0.25 * size and not attempt.given:
            self.pull = min(1.0, max(4.0 * self.pull, WEAK))
        elif size > NEARLY and (attempt.given or after > 0.5 * attempt.share * size):
            # what gives way would swing to and fro between the target and where the edit began
            self.pull = self._weaker()
        if attempt.given and not self.resting:
            if after < EASY and self.soft_price < LIVELY:
                self._strain(2.0)
            elif after > HARD_PUT:
                self._strain(0.5)
        self.iterate, self.given = trial, attempt.given
        self._look_out(after if not attempt.given else self._merit_at(trial))
        self._mind_bodies()

    def _end(self, gives_way: bool) -> None:
        """Everything holds, but perhaps for what gives way: nothing comes nearer to that."""
        if (
            self._look_at_what_is_lost()
            or self._mind_what_is_overdone()
            or self._keep_what_is_held_clear(arrived=not gives_way)
        ):
            return
        self.converged, self.stuck, self.settled = not gives_way, gives_way, True
        if self.converged and self.gives_way and self.resort is not None and not self._is_clearer():
            self._go_back()

    def _given(self, sets: list[Rowset]) -> tuple[Floats, ...]:
        """What each of the soft rows of an elastic edit is to be off by, where the next step cannot make them good."""
        if self.resting:
            return tuple(outside(row_set) for row_set in sets if may_be_missed(row_set))
        if not self.kept.elastic:
            return ()
        amiss = np.sqrt(sum(row_set.amiss for row_set in sets if may_be_missed(row_set)))
        return self._given_by(sets, self._solved(sets, self.pull)) if amiss > NEARLY else ()

    @staticmethod
    def _given_by(sets: list[Rowset], solution: Solution) -> tuple[Floats, ...]:
        counts = [row_set.functional.count for row_set in sets]
        residuals = np.split(solution.residuals, np.cumsum(counts)[:-1])
        given = [off for row_set, off in zip(sets, residuals, strict=True) if may_be_missed(row_set)]
        return tuple(given) if any(np.any(off) for off in given) else ()

    def _tried(self, sets: list[Rowset], pull: float) -> "_Attempt":
        """A step, the iterate that it leads to, and the share of it that is not too far."""
        solution = self.solution = self._solved(sets, pull)
        share = _capped(solution, self.kept.limits)
        given = self._given_by(sets, solution) if self.kept.elastic and not self.resting else self._given(sets)
        attempt = _Attempt(solution, self._moved(solution, share), share, given, merit(sets, given))
        return replace(attempt, good=self._gets_better(attempt))

    def _moved(self, solution: Solution, share: float) -> Iterate | None:
        """Where a share of a step leads; None if things are tossed about there without end."""
        try:
            return self.iterate.moved(solution.step, solution.extras, share, self.kept.past)
        except Overwhelmed:
            return None

    def _reshot(self, iterate: Iterate) -> Iterate:
        """The same, or with flights that contacts give, if that is better.

        A fast ball off a thin bat goes anywhere after a step that shifts it by a centimetre. Where nothing leads it to
        the bat, the flight that the bat gives it may be a better guess than the one that the step foretold. It need not
        be near the flight that was there before, so this is for edits that nothing else leads to.
        """
        free = self.kept.variables.difference(self.kept.led)
        if not self.kept.eased or not free or not self._is_whole(iterate):
            return iterate
        again = iterate.reshot(free, self.kept.past)
        return again if self._is_whole(again) and self._merit_at(again) < self._merit_at(iterate) else iterate

    def _merit_at(self, iterate: Iterate, given: Sequence[Floats] = ()) -> float:
        return merit(self.rowsets(iterate), given)

    def _has_come_back(self, sets: list[Rowset], size: float) -> bool:
        """Whether everything holds and the way back, as far as it leads, has come to its end."""
        if self.hasty:
            self.pull = 0.0
        if self.pull > 0.0:
            way = _moves(self._solved(sets, 1.0))
            if way <= STILL or 0.5 * self.way < way <= UNSEEN:
                self.pull = 0.0
            elif way > 0.9 * self.way:  # no nearer than before: it swings around the nearest point, or creeps
                self.pull = 0.5 * self.pull if self.pull > WEAK else 0.0
            self.way = way
        return size <= FEASIBLE and self.pull == 0.0

    def _look_out(self, size: float) -> bool:
        """Watch what is touched that nobody intended, and say whether that is more than before.

        Far from a solution, or in an unsolved plan, it means nothing.
        """
        self.looked = self.iterate
        if self.kept.declared or size > CLOSE:
            return False
        return self._watch(strays(self.iterate.rollout))

    def _look_at_what_is_lost(self) -> bool:
        """Where everything holds: whether something is in the way of contacts that were led to, or of flights that were
        asked for, and is watched now."""
        if self.kept.declared:
            return False
        real = self.real(self.iterate).rollout
        lost = self.lost(real)
        if self._led_elsewhere(real, lost):
            return True
        hit = really_hit(self.iterate.rollout, real, lost)
        return self._watch([*hit, *cut_short(real, ((pin.name, pin.t, pin.after) for pin in self.pins))])

    def _mind_what_is_overdone(self) -> bool:
        """Where everything holds: whether feet or joints have gone too far for it, and are minded now."""
        if self.kept.declared:  # a plan is looked at again once its contacts happen by themselves
            return False
        to_mind = self.overdone()
        if to_mind:
            self.minded, self.way = (*self.minded, *to_mind), np.inf
        return bool(to_mind)

    def _keep_what_is_held_clear(self, arrived: bool) -> bool:
        """Where everything holds: whether things are carried through something, and kept clear of it now. That is a
        wish: where it cannot be, what holds without it stands."""
        if self.kept.declared or self.gives_way:
            return False
        before = self.kept.origin.rollout if self.kept.excused else None
        through = tuple(
            carried_through(self.iterate.rollout, before, *(self.kept.stretch or (-np.inf, np.inf)), self.minded)
        )
        if through:
            self.resort = self.resort or _Resort(self.iterate, self.minded, self.iterations, arrived)
            self.minded, self.way = (*self.minded, *through), np.inf
        return bool(through)

    def _give_way(self) -> None:
        """From where what is carried cannot be kept clear any farther: on without that, as near to it as all else
        holds; then, if that is no better than before, or leads nowhere, back to where all else held."""
        if self.resort is None or self.converged:
            return
        self.stuck = False
        if not self.gives_way:
            self.minded, self.gives_way, self.hasty = self.resort.minded, True, True
            self.resting = not self.resort.arrived
        else:
            self._go_back()

    def settle(self) -> None:
        """Where no more steps are made: what held before it was tried to keep more clear."""
        if self.resort is not None and not self.converged:
            self._go_back()

    def _go_back(self) -> None:
        assert self.resort is not None
        self.iterate, self.minded, arrived = self.resort.iterate, self.resort.minded, self.resort.arrived
        self.converged, self.stuck, self.settled, self.resort = arrived, not arrived, True, None

    def _is_clearer(self) -> bool:
        """Whether what is carried is less deep inside of what it goes through than it was."""
        assert self.resort is not None
        within = self.kept.stretch or (-np.inf, np.inf)
        return depth_in_all(self.iterate.rollout, *within) < depth_in_all(self.resort.iterate.rollout, *within)

    def _mind_bodies(self) -> None:
        """Feet and joints that have gone too far are minded at once, so that no picture shows it."""
        if self.kept.elastic and not self.kept.declared:
            self.minded = (*self.minded, *self._unlimited(bent_out_of_shape(*self._about_bodies)))

    @property
    def _about_bodies(self) -> tuple[Bounds, Rollout, tuple[Constraint, ...]]:
        return self.kept.bounds, self.iterate.rollout, self.minded

    def overdone(self) -> list[Constraint]:
        """What bodies overdo by now, and nobody minds yet."""
        return self._unlimited(overdone(*self._about_bodies))

    def _unlimited(self, to_mind: Sequence[Constraint]) -> list[Constraint]:
        """Without limits of joints that are asked for as it is."""
        limited = {constraint.character for constraint in self.constraints if isinstance(constraint, JointLimits)}
        return [c for c in to_mind if not (isinstance(c, LimitsMeanwhile) and c.character in limited)]

    def _led_elsewhere(self, real: Rollout, lost: Sequence[str]) -> bool:
        """Whether things are led on to another surface of the same part, which they really hit first: once for each
        contact, or they would be led to and fro where two surfaces meet."""
        surfaces = {}
        for contact in lost:
            surface = surface_of(real, contact) if contact in real.happened and contact not in self.elsewhere else None
            if surface is not None and surface != self.kept.led[contact]:
                surfaces[contact] = surface
        if surfaces:
            self.elsewhere, self.way = self.elsewhere | set(surfaces), np.inf
            self.kept = replace(self.kept, led={**self.kept.led, **surfaces})
            self.iterate = self.iterate.led_to(self.kept.led)
        return bool(surfaces)

    @property
    def pins(self) -> list[Pin]:
        """Places that things are to be at."""
        return [constraint for constraint in self.constraints if isinstance(constraint, Pin)]

    def lost(self, real: Rollout) -> list[str]:
        """Contacts that are led to and do not happen, or not then, or otherwise, where nobody leads."""
        return [contact for contact in self.kept.led if not _is_at(real, contact, self.iterate.times[contact])]

    def _watch(self, touches: Sequence[Stray]) -> bool:
        """Keep clear of what was run into; whether any of it is new."""
        met = unwanted(touches, self.iterate.rollout, self.kept.origin.rollout, self.watched, self.kept.eased)
        if met:
            self.watched, self.way = (*self.watched, *met), np.inf
        return bool(met)

    def real(self, iterate: Iterate) -> Iterate:
        """What happens at an iterate if nothing is led."""
        if not iterate.led:
            return iterate
        if self.seen is None or self.seen[0] is not iterate:
            self.seen = iterate, iterate.led_to({})
        return self.seen[1]

    def _solved(self, sets: list[Rowset], pull: float = 1.0) -> Solution:
        """The QP; with a share of the pull back to where the edit began."""
        if self.solved is not None and self.solved[0] is sets and self.solved[1] == pull:
            return self.solved[2]
        self.solved = sets, pull, solve(self.problem(sets, pull, self.resting), self.solution)
        return self.solved[2]

    def problem(self, sets: list[Rowset], pull: float, resting: bool = False) -> QuadraticProgram:
        """The QP of a step; with what gives way `resting` where it is, that asks for no change."""
        rollout, origin = self.iterate.rollout, self.kept.origin
        if self.linear is None or self.linear[0] is not sets:
            rows = rollout.linearisation.of([row_set.functional for row_set in sets], self.iterate.nodes)
            self.linear = sets, _without(rows, self._constants())
        return QuadraticProgram(
            self.linear[1],
            np.concatenate([_change(row_set, row_set.lower, resting) for row_set in sets]),
            np.concatenate([_change(row_set, row_set.upper, resting) for row_set in sets]),
            [row_set.owner for row_set in sets for _ in range(row_set.functional.count)],
            self.kept.metric,
            {character.name: character.motion for character in self.kept.model.scene.characters},
            rollout.controls,
            pull * (origin.u - self.iterate.u),
            np.concatenate([np.full(row_set.functional.count, row_set.soft) for row_set in sets]),
            {name: pull * drift for name, drift in self._extra_drift().items()},
            self.soft_price,
        )

    def _constants(self) -> set[str]:
        """What would be a variable elsewhere: flights that are given, and times that are asked for."""
        given_nodes = {node_name(contact) for contact in self.iterate.nodes if contact not in self.kept.variables}
        return given_nodes | {
            time_name(kept.contact) for kept in self._touching(self.iterate).contacts if kept.fixed_time
        }

    def _extra_drift(self) -> dict[str, Floats]:
        """How far back nodes and times of contacts would have to go to where they began."""
        drift = {
            node_name(contact): _between(self.iterate, self.kept.origin, contact) for contact in self.kept.variables
        }
        touching = self._touching(self.iterate)
        for kept in touching.contacts:
            if kept.fixed_time:
                continue
            drift[time_name(kept.contact)] = np.array([kept.time - self.iterate.times[kept.contact]])
        slid = {slide_name(contact): -slid for contact, slid in touching.slid().items()}
        drift |= {name: way for name, way in slid.items() if name in self.kept.metric.extras}
        return drift

    def _shortened(self, attempt: "_Attempt") -> "_Attempt":
        """The longest share of a step that makes things better, less than that of an iterate that does not."""

        def at(shorter: float) -> Iterate | None:
            moved = self._moved(attempt.solution, shorter)
            return None if moved is None else self._reshot(moved)

        def is_better(trial: Iterate | None, shorter: float) -> bool:
            return self._gets_better(replace(attempt, trial=trial, share=shorter))

        trial, good = backtracked(at, is_better, attempt.trial, attempt.share)
        return replace(attempt, trial=trial, good=good)

    def _gets_better(self, attempt: "_Attempt") -> bool:
        trial = attempt.trial
        after = self._merit_at(trial, attempt.given) if trial is not None and self._is_whole(trial) else np.inf
        # near the end the merit is round-off, and what matters is the way back to where the edit began
        return after <= max((1.0 - 0.1 * attempt.share) * attempt.size, NEARLY if self.pull > 0.0 else FEASIBLE)

    def _is_whole(self, iterate: Iterate) -> bool:
        """Whether every flight that is a variable still begins with its contact: else nothing would tie the two."""
        return all(contact in iterate.rollout.happened for contact in self.kept.variables)


def _change(rows: Rowset, bound: Floats, resting: bool) -> Floats:
    return np.zeros_like(bound) if rows.soft and resting else bound


def _is_at(seen: Rollout, contact: str, time: float) -> bool:
    """Whether a contact happens, and then, and gives the flight that is to follow it: where two surfaces of a part
    meet, the other one may be hit at the same time."""
    if contact not in seen.happened:
        return False
    thing, k = seen.happened[contact]
    off = np.array(seen.continuity.get(contact, np.zeros(12)))
    if not seen.model.scene.thing(thing).shape.turn_matters:
        off[TURN] = 0.0  # how a ball is turned matters to nothing, and is taken over at the end
    return float(np.abs(off).max()) <= JOINED and abs(seen.trajectories.chains[thing].events[k].time - time) <= SAME


def _moves(solution: Solution) -> float:
    return float(np.abs(solution.everything).max(initial=0.0))


def _capped(solution: Solution, limits: Floats) -> float:
    """The share of a step that moves nothing too far."""
    far = float((np.abs(solution.everything) / limits).max(initial=0.0))
    return min(1.0, 1.0 / far) if far > 0.0 else 1.0


def _without(rows: Rows, names: set[str]) -> Rows:
    """Rows lose the columns of what is constant."""
    return replace(rows, columns={name: values for name, values in rows.columns.items() if name not in names})


def _between(iterate: Iterate, origin: Iterate, contact: str) -> Floats:
    node, origin_node = iterate.nodes[contact], origin.nodes[contact]
    if node.state is None:
        return np.concatenate([np.asarray(origin_node.position) - np.asarray(node.position), np.zeros(3)])
    a, b = np.asarray(node.state), np.asarray(origin_node.state)
    return np.concatenate([b[:ROTATION] - a[:ROTATION], np.zeros(3), b[VELOCITY:] - a[VELOCITY:]])

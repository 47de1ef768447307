"""The second hand on a thing stays where it holds on, for as long as the first one carries it.

At some times of the hold, its two ends among them, three rows keep the place of the second site as seen from the thing.
These times are shares of the hold, so they follow its release and its catch. In between splines stray, the more the
farther the thing turns from one time to the next: in a fast swing these are closer together.
How the hand is turned is left free unless it is asked for: a palm rolls around a handle, and six rows would take all
that an arm has.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hoi_edit.adjoint import Functional, Target, time_name
from hoi_edit.constraints.base import ANGLE, METRE, Named, Rowset, freeze
from hoi_edit.constraints.references import check_point
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.kind_words import HELD
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.packed_states import carried
from hoi_edit.simulate.trajectory import Span
from kinematics.errors import HoiError
from kinematics.rotation import Floats, cross, rotation_between
from rigid.body import Body, has_faces
from rigid.convex import Pose, closest
from rigid.gjk import Poses, separation
from rigid.hull_contact_time import contact_of

EACH = 0.08  # [s] between rows, at most; at 0.1 s a hand strays by 3 mm in between after a swing
TURN = 0.6  # [rad] by which a thing, or the hand, turns in between, at most
KNOTS = 0.4  # of the spacing of knots: rows that are closer than this have nothing left to move
LOOKS = 10  # at speeds, from one time to the next
LONG = 5.0  # [s] a longer hold has rows no closer than the knots of its people
LAID = 3e-3  # [m] that the middle of a palm is off what it has closed on, so that the rest of it is not inside
TOUCHES = 5e-3  # [m] a hand that is farther off the thing than this does not hold it yet, and is drawn to it


@dataclass(frozen=True, eq=False)
class SecondHand(Named):
    hold: str  # id of the grasp; of a thing that starts in two hands its name
    thing: str
    site: str  # "batter/left_palm"
    place: Floats  # (3,) of the site in the thing's own frame
    turn: Floats  # (3, 3) of the site's segment in that frame
    shares: Floats  # (N,) of the hold, 0 to 1: when it is looked at
    start: float  # [s] of the hold when this was made
    turned: bool = False  # whether the turn is kept as well
    catch_moves: bool = False  # whether the time of the catch is a variable of the edit

    def __post_init__(self) -> None:
        freeze(self, "place", "turn", "shares")

    @property
    def about(self) -> Finding:
        return Finding("second hand", self.thing, self.site)

    @staticmethod
    def of(
        seen: Rollout, hold: str, turned: bool = False, catch_moves: bool = False, closely: bool = False
    ) -> "SecondHand":  # fmt: skip
        """As the hold begins in a rollout; a hand that is off the thing is to come to the nearest place on it. It is
        looked at `closely` all along, or but where it is fast."""
        scene = seen.model.scene
        thing, site = _held_thing(seen, hold), scene.second_hand(hold)
        if site is None:
            raise HoiError(f"{hold!r} has no second hand; name two sites where it is held")
        span = _span(seen, hold, thing, -np.inf)
        if span is None:
            raise HoiError(f"{hold!r} does not happen in this scene, so nothing is in a second hand")
        held = seen.trajectories.chains[thing].spans[span]
        things, hands = _states(seen, held, site, np.array([held.start]))
        R, arm = things.rotation[0].reshape(3, 3), hands.position[0] - things.position[0]
        body = scene.thing(thing).body
        place = on_surface(body, R.T @ arm)
        if hold != thing and has_faces(body):  # a palm that closes on a thing from outside stays there
            place = outside(body, place, LAID)
        turn = R.T @ hands.rotation[0].reshape(3, 3)
        shares = _shares(seen, held, site, closely)
        return SecondHand(hold, thing, site, place, turn, shares, held.start, turned, catch_moves)

    def span_in(self, seen: Rollout) -> Span:
        """The hold that it was made of."""
        spans = seen.trajectories.chains[self.thing].spans
        return next(span for span in spans if span.is_held and span.start == self.start)

    def within(self, start: float, end: float, hold_end: float) -> "SecondHand":
        """The same, looked at between two times only; of a hold that ends then."""
        times = self.start + np.asarray(self.shares) * (hold_end - self.start)
        return replace(self, shares=np.asarray(self.shares)[(times >= start) & (times <= end)])

    def check(self, seen: Rollout) -> None:
        check_point(seen, self.site)
        if _held_thing(seen, self.hold) != self.thing:
            raise HoiError(f"{self.hold!r} does not hold {self.thing!r}; `SecondHand.of` finds what it holds")

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        k = _span(seen, self.hold, self.thing, self.start)
        if k is None or not len(self.shares):
            return []
        span = seen.trajectories.chains[self.thing].spans[k]
        shares = np.asarray(self.shares)
        times = (1.0 - shares) * span.start + shares * span.end
        things, hands = _states(seen, span, self.site, times)
        slips = _slips(things, hands)
        rowsets: list[Rowset] = []
        for i, time in enumerate(times):
            R, arm = things.rotation[i].reshape(3, 3), hands.position[i] - things.position[i]
            targets = Target(self.site, float(time)), Target(self.thing, float(time), k)
            on = np.eye(3), np.concatenate([-np.eye(3), -cross(arm, np.eye(3))], axis=1)
            functional = self._functional(seen, span, targets, (_at(on[0], 0), _at(on[1], 0)), shares[i], slips[i])
            rowsets.append(Rowset.equal(self.about, functional, R @ self.place - arm, METRE))
            if self.turned:
                spins = hands.spin[i] - things.spin[i]
                change = rotation_between(R @ self.turn, hands.rotation[i].reshape(3, 3))
                on = _at(np.eye(3), 3), _at(-np.eye(3), 3)
                functional = self._functional(seen, span, targets, on, shares[i], spins)
                rowsets.append(Rowset.equal(self.about, functional, change, ANGLE))
        return rowsets

    def _functional(
        self, seen: Rollout, span: Span, targets: tuple[Target, Target], on: tuple[Floats, Floats], share: float,
        rate: Floats,
    ) -> Functional:  # fmt: skip
        """Numbers of hand and thing at a time that moves with the ends of the hold."""
        columns = []
        release = f"{self.hold}.release"
        if release in seen.model.layout and seen.u[seen.model.layout[release].start] == span.end:
            columns.append((release, share * rate[:, None]))
        for end, part in ((span.end, share), (span.start, 1.0 - share)):  # a hold that is passed on, or was
            columns += [(name, part * rate[:, None]) for name in _passes_at(seen, self.thing, end)]
        if self.catch_moves:
            columns.append((time_name(self.hold), (1.0 - share) * rate[:, None]))
        return Functional(3, things=list(zip(targets, on, strict=True)), columns=columns)


def _passes_at(seen: Rollout, thing: str, time: float) -> list[str]:
    """The control that is the time of a pass of a thing then, if that is one."""
    events = seen.trajectories.chains[thing].events
    return [f"{e.contact}.passed" for e in events if e.passes_on and e.time == time and not e.clamped]


def on_surface(body: Body, place: Floats) -> Floats:
    """The nearest place on a body, of one that is off it; one inside, as of a hand that reaches around, stays."""
    identity = Poses(np.eye(3)[None], np.zeros((1, 3)))
    way = separation(np.asarray(body.vertices, float), identity, np.asarray(place, float)[None], identity)[0]
    far, radius = float(np.linalg.norm(way)), float(body.radius)
    return np.asarray(place + (1.0 - radius / far) * way) if far > radius + TOUCHES else np.asarray(place)


def outside(body: Body, place: Floats, room: float) -> Floats:
    """A place that is at least so far out of a body: the same, or the nearest one beyond its surface."""
    poses: Any = [(np.eye(3), np.asarray(where, float)) for where in (place, np.zeros(3))]
    point, hull = (Pose(*pose) for pose in poses)
    feature = closest(np.zeros((1, 3)), point, np.asarray(body.vertices), hull)
    gap, normal, _ = contact_of(feature, point, hull, 0.0)
    short = room + float(body.radius) - float(gap)
    return np.asarray(place + max(short, 0.0) * np.asarray(normal))


def _at(on: Floats, first: int) -> Floats:
    """Coefficients (3, 12), of which those given begin at a number."""
    whole = np.zeros((3, 12))
    whole[:, first : first + on.shape[1]] = on
    return whole


def _held_thing(seen: Rollout, hold: str) -> str:
    scene = seen.model.scene
    return hold if any(thing.name == hold for thing in scene.things) else scene.contact(hold).object


def _span(seen: Rollout, hold: str, thing: str, about: float) -> int | None:
    """Which span of a thing a hold is. A catch that is lost on the way of an edit still has one, from its node on."""
    chain = seen.trajectories.chains[thing]
    if hold == thing:
        return 0
    if hold in seen.happened:
        return seen.happened[hold][1] + 1
    frame = seen.model.world.frame(seen.model.scene.contact(hold).carrier)
    holds = [k for k, span in enumerate(chain.spans) if span.is_held and span.frame == frame]
    return min(holds, key=lambda k: abs(chain.spans[k].start - about)) if holds and np.isfinite(about) else None


def _states(seen: Rollout, span: Span, site: str, times: Floats) -> tuple[Any, Any]:
    """STATE columns of a thing in its first hand, and of the second site, at many times."""
    world = seen.model.world
    hand = Span(HELD, site, span.start, span.end, None, world.frame(site), seen.model.scene.place(site)[2], np.eye(3))
    both = []
    for held in (span, hand):
        frames = seen.context.frames(np.full(len(times), held.frame), times)
        both.append(STATE.unpack(np.stack([carried(held, frame) for frame in frames])))
    return both[0], both[1]


def _shares(seen: Rollout, span: Span, site: str, closely: bool) -> Floats:
    """Shares of a hold: evenly spread, and evenly divided again where it is fast.

    By whole numbers, so that the next edit looks at the same times, where everything holds already. Of a hold that
    is only planned nobody knows how fast it will be: looked at but here and there, a hand may fling about in between,
    and what is to mend that would have to move things faster than knots can. Looked at `closely` it does not.
    """
    lasts, knots = span.end - span.start, _knots(seen, span, site)
    widest = EACH if lasts <= LONG else max(EACH, knots)
    cells = max(1, int(np.ceil(lasts / widest - 1e-6)))
    length = lasts / cells
    most = max(1, int(np.ceil(length / (KNOTS * knots) - 1e-6)))
    if closely:
        return np.linspace(0.0, 1.0, cells * most + 1)
    fine = np.linspace(0.0, 1.0, LOOKS * cells + 1)
    things, hands = _states(seen, span, site, span.start + fine * lasts)
    fast = np.maximum(*(np.linalg.norm(states.spin, axis=1) for states in (things, hands)))
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(fast, LOOKS, mode="edge"), 2 * LOOKS + 1)
    around = windows.max(axis=1)[LOOKS // 2 :: LOOKS]  # a spline that bends here strays there
    pieces = np.clip(np.ceil(around * length / TURN), 1, most).astype(int)
    inner = [(cell + np.arange(count) / count) / cells for cell, count in enumerate(pieces[:cells])]
    return np.append(np.concatenate(inner), 1.0)


def _slips(things: Any, hands: Any) -> Floats:
    """(N, 3) how fast the hand moves as seen from the thing."""
    arm = hands.position - things.position
    return np.asarray(hands.velocity - things.velocity - np.cross(things.spin, arm))


def _knots(seen: Rollout, span: Span, site: str) -> float:
    """The widest spacing of knots of those who hold [s]."""
    scene, world = seen.model.scene, seen.model.world
    holders = {scene.characters[world.owner(span.frame)[0]].name, site.partition("/")[0]}
    grids = [getattr(scene.character(name).motion, "grid", None) for name in holders]
    return max((float(grid.spacing) for grid in grids if grid is not None), default=EACH)

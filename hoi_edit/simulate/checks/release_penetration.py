"""Hands that go on into what they have let go, and whatever goes into what it jams.

A search looks away from a thing and the hand that let it go until the two are clear: gap and rate are both zero at a
release. A hand that goes on pushing, or that lies still under what it lets go, is passed through, and no event tells.
Here it is measured, when somebody asks. So is what presses a ball where there is no way out (`events.jam`).
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hoi_edit.simulate.events.hull_contact import contacts_of_hull
from hoi_edit.simulate.events.jam import gaps_of_held
from hoi_edit.simulate.search import flights, touches_at
from hoi_edit.simulate.search.layouts import CLEAR, GAP
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats

if TYPE_CHECKING:
    from hoi_edit.rollout import Rollout

LASTS = 0.2  # [s] after a release that a hand is looked at
LOOKED_AT = 33  # times in it
LOOKED_EVERY = 2e-3  # [s] while something is jammed
DEEP = 1e-3  # [m] by which a hand may go deeper into a thing than it held it: `verify` allows as much


class Pushed(NamedTuple):
    """A hand in what it has let go, or something in what it jams."""

    thing: str
    hand: str
    release: float  # [s], or when it begins to be jammed
    time: float  # [s] when it is deepest
    depth: float  # [m] by so much more than at the release
    jams: bool = False

    def __str__(self) -> str:
        if self.jams:
            return (
                f"{self.hand} jams {self.thing} at {self.release:.2f} s and goes {1e3 * self.depth:.1f} mm into it by "
                f"{self.time:.2f} s"
            )
        return (
            f"{self.hand} goes {1e3 * self.depth:.1f} mm into {self.thing}, which it let go at {self.release:.2f} s, "
            f"by {self.time:.2f} s"
        )


class _Leaving(NamedTuple):
    """A thing and one surface of a hand that lets it go, for as long as that is looked at."""

    thing: str
    span: int  # the flight that begins
    surface: int
    times: Floats  # (LOOKED_AT,)


def pushed(seen: "Rollout") -> tuple[Pushed, ...]:
    """Of every release the hand, or the one of two, that went deepest into what it let go, where that is too deep; and
    of every jam what goes into the ball."""
    leaving = [pair for name in seen.trajectories.chains for pair in _leaving(seen, name)]
    deepest_of: dict[tuple[str, int], Pushed] = {}
    for pair, gaps in zip(leaving, _gaps(seen, leaving), strict=True):
        deepest, key = _deepest(seen, pair, gaps), (pair.thing, pair.span)
        if deepest.depth > (deepest_of[key].depth if key in deepest_of else DEEP):
            deepest_of[key] = deepest
    return *deepest_of.values(), *(jammed for name in seen.trajectories.chains for jammed in _jams(seen, name))


def _jams(seen: "Rollout", name: str) -> Iterator[Pushed]:
    """What goes into a ball that it jams."""
    chain, thing = seen.trajectories.chains[name], seen.model.scene.thing(name)
    for event, span in zip(chain.events, chain.spans[1:], strict=False):
        if event.jam is not None:
            times = np.linspace(span.start, span.end, max(2, int((span.end - span.start) / LOOKED_EVERY)))
            gaps = gaps_of_held(seen.context, thing, span, event.jam.patch, times)
            k = int(np.argmin(gaps))
            if gaps[k] < -DEEP:
                yield Pushed(name, event.jam.by, event.time, float(times[k]), float(-gaps[k]), True)


def _leaving(seen: "Rollout", name: str) -> Iterator[_Leaving]:
    chain, by_frame = seen.trajectories.chains[name], seen.model.world.by_frame
    for k, event in enumerate(chain.events):
        if event.lets_go:
            end = min(
                seen.model.scene.end, *(following.time for following in chain.events[k + 1 : k + 2]), event.time + LASTS
            )
            times = np.linspace(event.time, max(end, event.time), LOOKED_AT)
            for hand in (chain.spans[k].frame, *seen.context.second_frame(event.contact)):
                yield from (_Leaving(name, k + 1, int(surface), times) for surface in by_frame[hand])


def _deepest(seen: "Rollout", pair: _Leaving, gaps: Floats) -> Pushed:
    """While a search looks away: until the two are clear of each other."""
    clear = np.flatnonzero(gaps > CLEAR)
    masked = gaps[: clear[0]] if len(clear) else gaps
    k = int(np.argmin(masked)) if len(masked) else 0
    release, hand = (
        seen.trajectories.chains[pair.thing].events[pair.span - 1],
        seen.model.world.surfaces.name[pair.surface],
    )
    return Pushed(pair.thing, hand, release.time, float(pair.times[k]), float(min(gaps[0], 0.0) - gaps[k]))


def _gaps(seen: "Rollout", leaving: Sequence[_Leaving]) -> Floats:
    """(leaving, LOOKED_AT) with their sign."""
    gaps = np.empty((len(leaving), LOOKED_AT))
    balls = [k for k, pair in enumerate(leaving) if seen.model.scene.thing(pair.thing).shape.by_centre]
    if balls:
        which = np.repeat(np.arange(len(balls)), LOOKED_AT)
        surfaces, times = (
            np.array([leaving[k].surface for k in balls]),
            np.concatenate([leaving[k].times for k in balls]),
        )
        flown = [(leaving[k].thing, leaving[k].span) for k in balls]
        gaps[balls] = gaps_of(seen, flown, which, surfaces[which], times).reshape(-1, LOOKED_AT)
    for k in set(range(len(leaving))) - set(balls):
        gaps[k] = _hull_gaps(seen, leaving[k])
    return gaps


def _hull_gaps(seen: "Rollout", pair: _Leaving) -> Floats:
    """Of a thing that is not a ball."""
    flight = seen.trajectories.chains[pair.thing].spans[pair.span]
    part = int(seen.model.world.surfaces.frame[pair.surface])
    gaps: Floats = contacts_of_hull(seen.context, flight, part, [pair.surface], pair.times)[2][:, 1]
    return gaps


def gaps_of(seen: "Rollout", flown: Sequence[tuple[str, int]], which: Ints, surfaces: Ints, times: Floats) -> Floats:
    """(N,) of balls from surfaces, at times: `which` (N,) of these flights, each a thing and the number of its span."""
    context, scene = seen.context, seen.model.scene
    spans = [seen.trajectories.chains[name].spans[k] for name, k in flown]
    start, radius = np.array([(span.start, scene.thing(span.object).body.radius) for span in spans], float).T.copy()
    states, air = np.array([span.state for span in spans]), context.airs([span.object for span in spans])
    packed = flights(start, states, radius, start, start, air=air)[which]
    touches = touches_at(context.moving, seen.model.world.solids, surfaces, context.gravity, packed, times)
    return np.asarray(touches[:, GAP])

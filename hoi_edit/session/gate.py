"""What every edit has to pass before it is a step of the history: what a session shows is what its controls give.

A session shows stretches that are joined at nodes. Here they are looked at as `hoi-edit check` would: each begins where
the one before it has ended, no two things meant happen at one instant, and a simulation from the start of
the scene meets the same things. Only what was not so before an edit is held against it.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, zip_longest

import numpy as np

from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Amount, Finding
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.checks.held_inside import held_inside
from hoi_edit.simulate.checks.prescribed_collisions import begun_inside
from hoi_edit.simulate.trajectory import Chain, Event
from kinematics.rotation import Floats

LEAP = np.repeat([2e-6, 2e-6, 2e-6, 2e-5], 3)  # [m], [rad], [m/s], [rad/s]: as `verify` allows
AT_ONCE = 1e-9  # [s]
STEADY = 1e-5  # [s]: two runs that have drifted apart by more, touch by touch, part as all that is chaotic does
GROWS = 1e3  # by so much a difference may grow from one touch to the next
EXACT = 1e-9  # [m]: two runs that are nearer are not known to differ
APART = 1e-3  # [m]: runs that are nowhere farther apart are the same one
LOOKS = 16  # at where things are in two runs that meet the same
HARD_BY = 0.005  # [s] between a touch that is meant and one that is not


def objections(before: Iterate, after: Iterate) -> tuple[Finding, ...]:
    """Why an edit that leads from one iterate to another must not be kept; nothing if it may."""
    found = [*_leaps(after.rollout), *_at_once(after.rollout), *_inside(after.rollout), *_parting(after.rollout)]
    if not found:
        return ()
    seen = before.rollout
    known = {_about(finding) for finding in (*_leaps(seen), *_at_once(seen), *_inside(seen), *_parting(seen))}
    return tuple(finding for finding in found if _about(finding) not in known)


def stopped_by(report: Report, why: tuple[Finding, ...]) -> Report:
    """Of an edit that may not be kept: nothing has changed."""
    missed = dict.fromkeys(why, np.inf)
    return replace(report, converged=False, binding=why, missed=missed, approached=False).refused


def beside(before: Rollout, after: Rollout) -> tuple[Finding, ...]:
    """What else comes of an edit that may be kept: touches that nobody means, a moment before or after one that is
    meant, balls that are let go inside somebody, and what is carried through something, where there were none."""
    found = list(_by_the_way(after))
    if not found:
        return ()
    known = {(_about(finding), finding.contacts) for finding in _by_the_way(before)}
    return tuple(finding for finding in found if (_about(finding), finding.contacts) not in known)


def _by_the_way(seen: Rollout) -> Iterator[Finding]:
    yield from _hard_by(seen)
    for thing, hold, other, time, depth, clear in seen.let_go_inside:
        yield Finding("let go inside", thing, other, float(time), clear, (Amount(depth, "m"),), contacts=(hold,))
    deepest: dict[tuple[str, str], tuple[float, float]] = {}
    for held in held_inside(seen):
        pair, (depth, when) = (held.thing, seen.model.world.surfaces.name[held.surface]), held.deepest[::-1]
        deepest[pair] = max(deepest.get(pair, (0.0, 0.0)), (depth, when))
    for (thing, other), (depth, when) in deepest.items():
        yield Finding("held inside", thing, other, when, amounts=(Amount(depth, "m"),))


def _about(finding: Finding) -> tuple[str, str, str]:
    return finding.kind, finding.name, finding.partner


def _leaps(seen: Rollout) -> Iterator[Finding]:
    """Stretches that do not begin where the one before has ended."""
    for contact, defect in seen.continuity.items():
        if np.any(~(np.abs(defect) <= LEAP[: len(defect)])):
            thing, k = seen.happened[contact]
            time, far = seen.trajectories.chains[thing].events[k].time, float(np.linalg.norm(defect[:3]))
            yield Finding("leaps", thing, contact, float(time), amounts=(Amount(far, "m"),))
    for thing, chain in seen.trajectories.chains.items():
        for k, event in enumerate(chain.events):
            if event.leaps:
                sides = [seen.context.state_in(chain.spans[side], event.time)[:3] for side in (k, k + 1)]
                far = float(np.linalg.norm(sides[1] - sides[0]))
                yield Finding("leaps", thing, str(event.contact or ""), float(event.time), amounts=(Amount(far, "m"),))


def _at_once(seen: Rollout) -> Iterator[Finding]:
    """Two touches of a thing that are both meant, at one instant: which is first, nobody knows. What lies and is struck
    meets what it lies on at once, which nobody means."""
    for thing, chain in seen.trajectories.chains.items():
        touches = [e for e in chain.events if e.is_met and e.intended and not e.declared]
        for one, other in pairwise(touches):
            if other.time - one.time <= AT_ONCE:
                both = str(one.other), str(other.other)
                yield Finding("at once", thing, both[1], float(other.time), parts=both)


def _inside(seen: Rollout) -> Iterator[Finding]:
    for thing, other, depth in begun_inside(seen):
        yield Finding("inside", thing, other, amounts=(Amount(float(depth), "m"),))


def _parting(seen: Rollout) -> Iterator[Finding]:
    """Things that go another way in a simulation from the start of the scene."""
    if not seen.given_nodes:
        return
    run = seen.model.simulate(seen.u, table=seen.known_table)
    for thing in seen.trajectories.chains:
        time = _parts(thing, seen, run)
        if time is not None:
            yield Finding("parts", thing, time=float(time))


def _parts(thing: str, seen: Rollout, run: Rollout) -> float | None:
    """When a thing goes another way in another run, by more than small differences grow to; None if it does not."""
    shown, simulated = seen.trajectories.chains[thing], run.trajectories.chains[thing]
    differ = 0.0
    for a, b in zip_longest(_touches(shown), _touches(simulated)):
        here = min((event for event in (a, b) if event is not None), key=lambda event: event.time)
        same = a is not None and b is not None and (a.kind, a.other, a.contact) == (b.kind, b.other, b.contact)
        off = abs(a.time - b.time) if a is not None and b is not None and same else np.inf
        if off > GROWS * max(differ, AT_ONCE):
            return _apart_from(thing, seen, run, here.time) if differ <= STEADY else None
        differ = max(differ, off)
    return _leaps_away(thing, seen, run)


def _touches(chain: Chain) -> list[Event]:
    return [event for event in chain.events if not event.is_seam]


def _apart_from(thing: str, seen: Rollout, run: Rollout, begin: float) -> float | None:
    """When, from some time on, a thing is seen to be elsewhere in one of two runs; None if it is not."""
    times = np.linspace(begin, seen.model.scene.end, LOOKS)
    apart = np.flatnonzero(_distances(thing, seen, run, times) > APART)
    return float(times[apart[0]]) if len(apart) else None


def _leaps_away(thing: str, seen: Rollout, run: Rollout) -> float | None:
    """When a thing that touches the same in two runs is elsewhere in one, all at once: what is off by round-off grows
    tenfold from touch to touch of a ball that is kept up, and that is no fault of a session."""
    touches = [event.time for event in _touches(seen.trajectories.chains[thing])]
    times = np.unique([*np.linspace(seen.model.scene.start, seen.model.scene.end, LOOKS), *touches])
    apart = _distances(thing, seen, run, times)
    before = np.maximum.accumulate([EXACT, *apart[:-1]])
    leaps = np.flatnonzero((apart > APART) & (apart > GROWS * before))
    return float(times[leaps[0]]) if len(leaps) else None


def _distances(thing: str, one: Rollout, other: Rollout, times: Floats) -> Floats:
    """How far a thing is in one run from where it is in another (N,)."""
    return np.asarray(np.linalg.norm(one.positions(thing, times) - other.positions(thing, times), axis=1))


def _hard_by(seen: Rollout) -> Iterator[Finding]:
    for thing, chain in seen.trajectories.chains.items():
        if not seen.model.scene.thing(thing).shape.by_centre:
            continue
        meant = [event for event in chain.events if event.intended and event.is_met]
        for event in chain.events:
            if event.hits_by_chance and event.other is not None:
                near = [other for other in meant if abs(other.time - event.time) <= HARD_BY]
                if near:
                    ids = (str(near[0].contact),)
                    yield Finding("hits hard by", thing, event.other, float(event.time), contacts=ids)

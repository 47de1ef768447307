"""Whether the session's derivative is that of the replayed scene: difference quotients in random directions."""

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hoi_edit.scene.controls import Layout
from hoi_edit.verify.measure import Measure
from hoi_edit.verify.performance import PerformanceRecord
from hoi_edit.verify.replay import Replay
from kinematics.errors import DoubtfulDerivative
from kinematics.rotation import Floats

if TYPE_CHECKING:
    from hoi_edit.session import EditSession

ALLOWED = 1e-6  # relative
EVENTS = 3  # of a thing: more of them amplify rounding as they amplify everything
STEPS = (1e-5, 1e-6, 1e-7)  # of a direction whose entries are about one; what is best is found by trying
DIRECTIONS = 2
MOST = 4  # things that are looked at


def gradients(session: "EditSession", record: PerformanceRecord, seed: int = 0) -> Iterator[Measure]:
    rng, layout = np.random.default_rng(seed), session.layout
    for thing in [thing for thing in session.scene.things if len(thing.body.vertices) == 1][:MOST]:
        replay = Replay.of(record, thing.name, EVENTS)
        chain = record.chains[thing.name]
        span = chain.spans[len(replay.events)]
        begun = chain.events[len(replay.events) - 1].time if replay.events else span.start
        time = begun + 0.95 * (span.end - begun)  # just before what comes next
        if span.kind == "contact" or span.end - begun < 1e-3:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DoubtfulDerivative)  # it is measured here, doubtful or not
            J = session.linearise(thing.name, time)[1]
        for _ in range(DIRECTIONS):
            direction = rng.normal(size=layout.size)

            derivative, by_replay = J @ direction, _quotient(replay, layout, record.said.u, direction, time)
            off = float(np.linalg.norm(derivative - by_replay) / max(float(np.linalg.norm(by_replay)), 1e-9))
            what = f"the derivative of {thing.name} after {len(replay.events)} events is its difference quotient"
            yield Measure("gradient", what, time, off, ALLOWED, "")


def _quotient(replay: Replay, layout: Layout, u: Floats, direction: Floats, time: float) -> Floats:
    """Richardson's: two central differences, so weighed that their errors of second order cancel.

    Of several steps the one counts for which the two agree best: long ones suffer from curvature, short ones from
    rounding.
    """
    best, spread = np.full(6, np.nan), np.inf
    for step in STEPS:
        wide, narrow = (_central(replay, layout, u, direction, time, h) for h in (step, 0.5 * step))
        apart = float(np.linalg.norm(wide - narrow))
        if apart < spread:
            best, spread = (4.0 * narrow - wide) / 3.0, apart
    return best


def _central(replay: Replay, layout: Layout, u: Floats, direction: Floats, time: float, h: float) -> Floats:
    ahead, behind = (replay.state(layout.unflatten(u + way * h * direction), time) for way in (1.0, -1.0))
    return np.asarray((ahead - behind) / (2.0 * h))

"""How far an edit reaches in time. What lies beyond gets no rows and is not simulated again, so an edit costs as much
in a long clip as in a short one."""

from collections.abc import Iterator, Sequence

from hoi_edit.adjoint import Functional
from hoi_edit.constraints.base import Constraint
from hoi_edit.qp import Freedom
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene

NEAR = 2.0  # [s] to either side of what is asked for: what a drag changes at first
FAR = 8.0  # the same, at the most
AMISS = 1e-6  # [m], [m/s], [rad] or [s]: what is off by less is met


def reach(scene: Scene, freedom: Freedom, times: Sequence[float], around: float = FAR) -> tuple[float, float] | None:
    """The stretch of time that changes for something to be otherwise at some times; None if that is all there is.

    All that is only declared happens by decree as one, so it is reached together.
    """
    planned = [contact for contact in scene.contacts if contact.declared]
    declared = [time for contact in planned for time in (contact.time, contact.release) if time is not None]
    if not times and not declared:
        return None
    asked = [*times, *declared]
    start, end = max(min(asked) - around, scene.start), min(max(asked) + around, scene.end)
    window = freedom.window
    if window is not None and not (window.start < end and start < window.end):
        return None
    is_all = start == scene.start and end == scene.end
    return None if is_all or not start < end else (start, end)


def asked_times(constraints: Sequence[Constraint], seen: Rollout) -> list[float]:
    """When something is that constraints ask for and that is not so, from the earliest to the latest of it; where all
    of it is so, when the last of it is."""
    rowsets = [rows for constraint in constraints for rows in constraint.rows(seen)]
    amiss = [rows for rows in rowsets if rows.miss.max(initial=0.0) > AMISS]
    times = [time for rows in amiss or rowsets[-1:] for time in _times(rows.functional, seen)]
    return [min(times), max(times)] if times else []


def _times(functional: Functional, seen: Rollout) -> Iterator[float]:
    yield from (target.time for target, _ in functional.things)
    yield from (time for _, time, _ in functional.frames)
    yield from (time for _, time, _, _ in functional.poses)
    yield from (seen.trajectories.chains[name].events[k].time for name, k, _ in functional.outcomes)

"""The referee: extrapolated difference quotients of fresh simulations, which know nothing of our derivative.

Central quotients at h, h/2, h/4, … are combined as Richardson and Ridders do: each combination cancels one more even
power of h, and of all of them the one that agrees best with its neighbours is taken. How well it does is what the
referee knows about its own error. All simulations must tell the same story: the same events, with the same partners, in
the same order.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hoi_edit.rollout import Model, Rollout
from hoi_edit.simulate.trajectory import Event
from kinematics.errors import HoiError
from kinematics.rotation import Floats

MOVE = 4e-3  # [m] or [m/s] that the widest quotient moves what is asked for
WIDEST = 4e-3  # of the control vector along a direction
PROBE = 1e-6
LEVELS = 5
TRIES = 3  # with ever shorter steps, where a wide one changes the events


@dataclass(frozen=True, eq=False)
class Quotient:
    value: Floats  # (6,)
    doubt: float  # how far the neighbours are, relative to it


def state_at(rollout: Rollout, thing: str, time: float) -> Floats:
    """x = [position, velocity] (6,)."""
    state = rollout.state(thing, time)
    return np.concatenate([state.position, state.velocity])


def story(rollout: Rollout, thing: str, time: float) -> tuple[object, ...]:
    """What must not change between two simulations for their difference to mean anything."""
    chains = rollout.trajectories.chains
    events = tuple((name, tuple(_kind(event) for event in chain.events)) for name, chain in sorted(chains.items()))
    return events, chains[thing].index_at(time)


def _kind(event: Event) -> tuple[object, ...]:
    feature = tuple(event.feature) if isinstance(event.feature, np.ndarray) else ()
    return event.kind, event.other, event.contact, feature, event.stick > 0.5


def quotient(model: Model, u: Floats, direction: Floats, thing: str, time: float) -> Quotient:
    """The derivative of a thing's state along a direction of the control vector."""
    expected = story(model.simulate(u), thing, time)

    def x(at: Floats) -> Floats | None:
        rollout = model.simulate(at)
        return state_at(rollout, thing, time) if story(rollout, thing, time) == expected else None

    def difference(h: float) -> Floats | None:
        up, down = x(u + h * direction), x(u - h * direction)
        return None if up is None or down is None else (up - down) / (2.0 * h)

    probe = difference(PROBE)
    if probe is None:
        raise HoiError(
            f"the events of {thing!r} change with the slightest change of its scene: no quotient exists there"
        )
    step = min(WIDEST, MOVE / max(float(np.abs(probe).max()), 1e-9))
    for _ in range(TRIES):
        best = extrapolated(difference, step)
        if best is not None:
            return best
        step /= 4.0
    raise HoiError(f"the events of {thing!r} change within {step:.1e} of its scene: no quotient can be trusted there")


def extrapolated(difference: Callable[[float], Floats | None], step: float) -> Quotient | None:
    """Ridders' table of central quotients that start at `step`; None if one of them does not exist."""
    best, error = None, np.inf
    before: list[Floats] = []
    for level in range(LEVELS):
        value = difference(step / 2**level)
        if value is None:
            return None
        row = [value]
        for k, coarse in enumerate(before):
            row.append(row[k] + (row[k] - coarse) / (4.0 ** (k + 1) - 1.0))
            apart = max(float(np.abs(row[-1] - row[-2]).max()), float(np.abs(row[-1] - coarse).max()))
            if apart < error:
                best, error = row[-1], apart
        before = row
    assert best is not None
    return Quotient(best, error / max(float(np.abs(best).max()), 1e-300))

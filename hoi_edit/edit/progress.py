"""How far an edit is, for whoever wants to know, and the way to stop it.

An edit works on values of its own and touches the session only when it is done, so one that is stopped, by a listener
that returns False or by an interrupt, has changed nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

from kinematics.errors import HoiError


@dataclass(frozen=True)
class Progress:
    what: str  # "drag ball1 at 1.20 s"
    step: int
    of: int  # at most
    residual: float  # [m], [m/s] or [rad] by which the worst row is still off; not a number where there are no rows


Listener = Callable[[Progress], bool | None]


class Cancelled(HoiError):
    """Somebody stopped it."""


def tell(listener: Listener | None, progress: Progress) -> None:
    """False, and nothing else, means stop."""
    if listener is not None and listener(progress) is False:
        raise Cancelled(f"{progress.what} was cancelled after step {progress.step}; nothing has changed")

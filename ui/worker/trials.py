"""Edits on their way, as a drag goes: tried as often as somebody likes, then committed or aborted.

Each move is the whole edit, made on a copy of the session, always from where the drag began: what is seen is what
letting go makes, whichever way the pointer took.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hoi_edit as hoi
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding
from ui.words.names import capital, distance, what_and_when

Goal = NDArray[np.float64]  # a time () [s]; of a place (4,): the move [m] and the turn [rad]; of a clip (3,)
MOST = 3  # changes that are told
Attempt = Callable[[hoi.EditSession, Goal, hoi.Listener | None], Report]


class Trial:
    """One edit, of which only where it is to lead changes."""

    def __init__(
        self, session: hoi.EditSession, name: str, asked: Finding, attempt: Attempt, done: Callable[[Goal], str]
    ) -> None:
        """`done` says what has happened when it is committed."""
        self._session, self._asked, self._attempt, self._done = session, asked, attempt, done
        self.name = name
        self.origin: Iterate = session.iterate
        self.iterate: Iterate = session.iterate  # as far as it could be solved
        self.problem = ""  # why the last one cannot be
        self._to: Goal | None = None

    @property
    def done(self) -> str:
        return "" if self._to is None else self._done(self._to)

    def move(self, to: Any, progress: hoi.Listener | None = None) -> Report:
        """Try it. What cannot be is not raised: the pointer goes on, and may come to where it can."""
        trial, self.problem = self._session.copy(), ""
        try:
            report = self._attempt(trial, np.asarray(to, float), progress)
        except hoi.Cancelled:
            raise
        except hoi.HoiError as error:
            self.problem = str(error)
            return Report(False, np.inf, 0, missed={self._asked: np.inf})
        if report.holds:
            self.iterate = trial.iterate
        return report

    def aim(self, to: Any, rotation: Any = None) -> None:
        self._to = np.asarray(to, float)

    def commit(self, progress: hoi.Listener | None = None) -> Report:
        if self._to is None:
            raise hoi.HoiError(f"{self.name} was not moved anywhere")
        return self._attempt(self._session, self._to, progress)

    def abort(self) -> None:
        """Nothing has been touched."""


def retiming(session: hoi.EditSession, contact: str) -> Trial:
    """Another time for what `session.retime` calls "catch3" or "catch3:release"."""
    name, colon, _ = contact.partition(":")
    words, was = what_and_when(session.rollout, contact)
    return Trial(
        session, contact, Finding("release" if colon else "contact", name),
        lambda s, to, tell: s.retime(contact, float(to), tell),
        lambda to: f"{capital(words)} is at {to:.2f} s now; it was at {was:.2f} s.",
    )  # fmt: skip


def letting_go(session: hoi.EditSession, thing: str) -> Trial:
    """What is held to the end is let go at a time, by whoever holds it then."""
    return Trial(
        session, thing, Finding("release", thing), lambda s, to, tell: s.release(thing, float(to), tell),
        lambda to: f"{thing} is let go at {to:.2f} s; it was held to the end.",
    )  # fmt: skip


def moving_hold(session: hoi.EditSession, thing: str, t: float) -> Trial:
    """The hold that a thing is in at a time begins at another one, and ends by as much sooner or later."""
    return Trial(
        session, thing, Finding("contact", thing), lambda s, to, tell: s.move_hold(thing, t, float(to), tell),
        lambda to: f"{thing} is held from {to:.2f} s on now.",
    )  # fmt: skip


def timing_clip(session: hoi.EditSession, character: str, whole: bool) -> Trial:
    """Somebody's clip begins and ends at other times [s]: shifted as a whole, or trimmed or, where the third number
    says so, stretched."""
    motion = session.scene.character(character).motion
    first, last = float(motion.start), float(motion.end)

    def time(trial: hoi.EditSession, to: Goal, tell: hoi.Listener | None) -> Report:
        start, end, stretching = map(float, to)
        if whole:
            told = trial.shift(character, start - first)
        elif not stretching:
            told = trial.trim(character, start, end)
        else:
            factor = (end - start) / (last - first)
            about = first if abs(start - first) <= abs(end - last) else last
            told = trial.stretch(character, factor, about)
        return Report(True, 0.0, 0, events_changed=tuple(told)[:MOST])

    def done(to: Goal) -> str:
        what = "goes" if whole else "is stretched, and goes" if to[2] else "is trimmed, and goes"
        return f"The clip of {character} {what} from {to[0]:.2f} to {to[1]:.2f} s now."

    return Trial(session, character, Finding("contact", character), time, done)


def placing(session: hoi.EditSession, character: str, centre: Goal) -> Trial:
    """Somebody stands elsewhere, and is turned about a point (3,) that they stand on."""
    root = session.scene.character(character).skeleton.names[0]
    pivot = session.rollout.state(f"{character}/{root}", session.scene.start).position  # which `place` turns about

    def place(trial: hoi.EditSession, to: Goal, tell: hoi.Listener | None) -> Report:
        s, c = np.sin(to[3]), np.cos(to[3])
        arm = centre - pivot
        turned = np.array([c * arm[0] + s * arm[2], arm[1], c * arm[2] - s * arm[0]])
        return trial.place(character, to[:3] + arm - turned, float(to[3]), tell)

    def done(to: Goal) -> str:
        if to[3] != 0.0:
            return f"{character} is turned by {np.degrees(to[3]):.0f}°."
        return f"{character} stands {distance(float(np.linalg.norm(to[:3])))} from where it was."

    return Trial(session, character, Finding("contact", character), place, done)

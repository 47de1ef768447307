"""A contact or a release on its way to another time, as a drag goes: moved as often as somebody likes, then committed
or aborted.

Each move is the whole edit, made on a copy of the session, always from where the drag began: what is seen is what
letting go makes, whichever way the pointer took.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.report import Report
from hoi_edit.findings import Finding
from ui.words.names import what_and_when


class Retiming:
    def __init__(self, session: hoi.EditSession, contact: str) -> None:
        """`contact` is what `session.retime` calls it: "catch3", "catch3:release"."""
        self._session = session
        self.contact = contact
        self.origin: Iterate = session.iterate
        self.iterate: Iterate = session.iterate  # as far as it could be solved
        self.problem = ""  # why the last time cannot be
        self._words, self._was = what_and_when(session.rollout, contact)
        self._to: float | None = None

    @property
    def name(self) -> str:
        return self.contact

    @property
    def _asked(self) -> Finding:
        name, colon, _ = self.contact.partition(":")
        return Finding("release" if colon else "contact", name)

    @property
    def done(self) -> str:
        """What has happened when it is committed."""
        words = f"{self._words[:1].upper()}{self._words[1:]}"
        return f"{words} is at {self._to:.2f} s now; it was at {self._was:.2f} s."

    def move(self, to: Any, progress: hoi.Listener | None = None) -> Report:
        """Try another time. What cannot be is not raised: the pointer goes on, and may come to where it can."""
        trial, self.problem = self._session.copy(), ""
        try:
            report = trial.retime(self.contact, float(to), progress)
        except hoi.Cancelled:
            raise
        except hoi.HoiError as error:
            self.problem = str(error)
            return Report(False, np.inf, 0, missed={self._asked: np.inf})
        if report.holds:
            self.iterate = trial.iterate
        return report

    def aim(self, to: Any, rotation: Any = None) -> None:
        self._to = float(to)

    def commit(self, progress: hoi.Listener | None = None) -> Report:
        if self._to is None:
            raise hoi.HoiError(f"{self._words} was not moved anywhere")
        return self._session.retime(self.contact, self._to, progress)

    def abort(self) -> None:
        """Nothing has been touched."""

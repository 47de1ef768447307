"""What the line below and the log say: a sentence, how bad it is, and what may be done about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import hoi_edit as hoi
from ui.words.fixes import Fix

Level = Literal["info", "good", "warning", "error"]


@dataclass(frozen=True)
class Message:
    level: Level
    text: str
    unsaved: hoi.Unsaved | None = None  # a file with newer edits beside it: somebody has to choose
    fixes: tuple[Fix, ...] = ()  # what may be done about it

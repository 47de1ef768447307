"""What a user has chosen and the program remembers: one small JSON file, written whole, read with forgiveness."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

RECENT = 8
FILE = "preferences.json"


@dataclass(frozen=True)
class Preferences:
    scale: float = 1.0  # of the interface: 2 on a HiDPI screen
    recent: tuple[str, ...] = ()
    keys: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # action -> chords, where they are not the default
    window_width: int = 1400  # [pt]: as many pixels, times the scale
    window_height: int = 900
    side: int = 330  # [pt] wide are the panels at the right
    lower: int = 0  # [pt] high is what is below the buttons; 0: as much as it needs
    ghosts: bool = True
    hands: bool = True  # paths of hands
    seen_hint: bool = False
    frame_rate: int = 60  # [Hz] at most
    fps: int = 60  # frames of the timeline in a second
    snap: bool = True  # scrubbing stops at them
    smooth_edges: bool = True  # multisampling
    reopen: bool = False  # begin with the last document, not with juggle3
    exported_to: str = ""  # the folder of the last export
    exported: tuple[str, ...] = (".glb",)  # its formats
    imported_from: str = ""  # the folder of the last clip or mesh that came in

    def opened(self, path: str | os.PathLike[str]) -> Preferences:
        """With a file at the head of the recent ones."""
        name = os.path.abspath(path)
        return replace(self, recent=(name, *(other for other in self.recent if other != name))[:RECENT])


def folder() -> Path:
    """Where programs of this user keep their settings; HOI_EDIT_CONFIG names another place."""
    configured = os.environ.get("HOI_EDIT_CONFIG")
    if configured:
        return Path(configured)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "hoi-edit"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "hoi-edit"


def load(where: Path | None = None) -> tuple[Preferences, str | None]:
    """The preferences and, if they could not be read as they should, a sentence why. A value that makes no sense is
    left at its default; the others still count."""
    path = (where or folder()) / FILE
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(read, dict):
            raise ValueError("it is not a table of settings")
    except FileNotFoundError:
        return Preferences(), None
    except (OSError, ValueError) as error:
        return Preferences(), f"{path}: the preferences cannot be read, so the defaults hold ({error})"
    understood, wrong = {}, []
    for setting in fields(Preferences):
        if setting.name in read:
            try:
                understood[setting.name] = _CHECKS[setting.name](read[setting.name])
            except (TypeError, ValueError, AttributeError):
                wrong.append(setting.name)
    problem = f"{path}: not understood, so at its default: {', '.join(wrong)}" if wrong else None
    return Preferences(**understood), problem


def save(preferences: Preferences, where: Path | None = None) -> str | None:
    """Write them whole or not at all; a sentence if that failed. Losing a setting is no reason to stop."""
    path = (where or folder()) / FILE
    fresh = path.with_name(f".{FILE}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(asdict(preferences), indent=1) + "\n", encoding="utf-8")
        os.replace(fresh, path)
    except OSError as error:
        return f"{path}: the preferences cannot be kept ({(error.strerror or str(error)).lower()})"
    return None


def _scale(value: Any) -> float:
    if isinstance(value, bool) or not 0.5 <= float(value) <= 4.0:
        raise ValueError(value)
    return float(value)


def _rate(value: Any) -> int:
    if isinstance(value, bool) or not 10 <= int(value) <= 240:
        raise ValueError(value)
    return int(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(value)
    return tuple(value)


def _points(least: int, most: int) -> Any:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not least <= int(value) <= most:
            raise ValueError(value)
        return int(value)

    return check


def _yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


_CHECKS: dict[str, Any] = {
    "scale": _scale,
    "recent": lambda value: _names(value)[:RECENT],
    "keys": lambda value: {str(action): _names(chords) for action, chords in value.items()},
    "window_width": _points(300, 16000),
    "window_height": _points(300, 16000),
    "side": _points(100, 4000),
    "lower": _points(0, 8000),
    "ghosts": _yes_or_no,
    "hands": _yes_or_no,
    "seen_hint": _yes_or_no,
    "frame_rate": _rate,
    "fps": _rate,
    "snap": _yes_or_no,
    "smooth_edges": _yes_or_no,
    "reopen": _yes_or_no,
    "exported_to": _text,
    "exported": _names,
    "imported_from": _text,
}

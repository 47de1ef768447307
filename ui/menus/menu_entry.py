"""One entry of a menu, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class MenuEntry:
    label: str
    do: Callable[[], None] | None  # None: it cannot be done, and the label says why
    apart: bool = False  # with a line above it


def apart(entries: list[MenuEntry]) -> list[MenuEntry]:
    """With a line above the first of them."""
    return [replace(entry, apart=k == 0) for k, entry in enumerate(entries)]

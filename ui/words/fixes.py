"""What may be done about something that is amiss: a label for a button, and what it does to the editor, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hoi_edit.constraints.base import Constraint


class Doer(Protocol):
    """What fixes need of the editor."""

    def undo(self) -> None: ...
    def stop(self) -> None: ...
    def solve(self) -> None: ...
    def take_steps(self) -> None: ...
    def save_as(self) -> None: ...
    def free_time(self) -> None: ...
    def open(self, scene: str) -> None: ...
    def toggle_lock(self, name: str) -> None: ...
    def let_go(self, contact: str) -> None: ...
    def remove(self, constraint: Constraint) -> None: ...
    def keep_clear(self, thing: str, other: str, t: float) -> None: ...
    def catch(self, thing: str, site: str, t: float) -> None: ...
    def mean(self, thing: str, t: float) -> None: ...
    def release(self, thing: str, t: float) -> None: ...
    def show_time(self, name: str, t: float) -> None: ...


Action = Callable[[Doer], None]


def undo(editor: Doer) -> None:
    editor.undo()


def stop(editor: Doer) -> None:
    editor.stop()


def solve(editor: Doer) -> None:
    editor.solve()


def take_steps(editor: Doer) -> None:
    editor.take_steps()


def save_as(editor: Doer) -> None:
    editor.save_as()


def free_time(editor: Doer) -> None:
    editor.free_time()


@dataclass(frozen=True)
class Open:
    path: str

    def __call__(self, editor: Doer) -> None:
        editor.open(self.path)


@dataclass(frozen=True)
class ToggleLock:
    name: str

    def __call__(self, editor: Doer) -> None:
        editor.toggle_lock(self.name)


@dataclass(frozen=True)
class LetGo:
    """Of a contact, by its id, or of a foot that stands."""

    name: str

    def __call__(self, editor: Doer) -> None:
        editor.let_go(self.name)


@dataclass(frozen=True)
class Remove:
    constraint: Constraint

    def __call__(self, editor: Doer) -> None:
        editor.remove(self.constraint)


@dataclass(frozen=True)
class KeepItClear:
    thing: str
    other: str
    t: float

    def __call__(self, editor: Doer) -> None:
        editor.keep_clear(self.thing, self.other, self.t)


@dataclass(frozen=True)
class Catch:
    thing: str
    site: str
    t: float

    def __call__(self, editor: Doer) -> None:
        editor.catch(self.thing, self.site, self.t)


@dataclass(frozen=True)
class Mean:
    thing: str
    t: float

    def __call__(self, editor: Doer) -> None:
        editor.mean(self.thing, self.t)


@dataclass(frozen=True)
class LetGoAt:
    """Let a thing go at another time."""

    thing: str
    t: float

    def __call__(self, editor: Doer) -> None:
        editor.release(self.thing, self.t)


@dataclass(frozen=True)
class ShowTime:
    name: str
    t: float

    def __call__(self, editor: Doer) -> None:
        editor.show_time(self.name, self.t)


@dataclass(frozen=True)
class Fix:
    """A button."""

    label: str
    do: Action


UNDO = Fix("Undo", undo)
STOP = Fix("Stop", stop)
SAVE_AS = Fix("Save as…", save_as)
COME_TRUE = Fix("Make the plan come true", solve)
ANY_TIME = Fix("Let edits change any time", free_time)

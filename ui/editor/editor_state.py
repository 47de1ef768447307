"""What the editor is at: the selection, the time, the camera, the drag that goes on. No widget is touched here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import hoi_edit as hoi
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene
from ui import preferences
from ui.keymap import Keymap
from ui.preferences import Preferences
from ui.timeline.lanes import LaneLayout
from ui.timeline.playback import Playback
from ui.view.camera import Camera
from ui.view.drag_plane import Along, Grab
from ui.view.overlays import PinSign, place_of_pin
from ui.view.rotate_gizmo import Ring
from ui.view.scene_view import View
from ui.view.viewport import Viewport
from ui.words.messages import Level, Message
from ui.worker.session_thread import Worker
from ui.worker.snapshots import Live, Shown
from ui.worker.trials import Trial

MOST_MESSAGES = 60


@dataclass
class Dragging:
    """A drag in the viewport or of a curve, from the press of the button on."""

    name: str
    t: float
    grab: Grab | None = None  # in the viewport
    ring: Ring | None = None  # around what is turned
    begun: bool = False  # the pointer has gone far enough to mean it
    refused: bool = False  # it is locked: that was said, and the pointer goes on alone
    key: Along | None = None  # a lock that was asked for by its letter
    along: Along = "free"
    target: tuple[float, float, float] | None = None
    placed: tuple[float, ...] | None = None  # of somebody who is placed: the move and the turn
    retimes: str | None = None  # on the timeline: what is dragged in time
    words: str = ""  # of a mark: what is to be at which time
    trial: Callable[[hoi.EditSession], Trial] | None = None  # what is tried as it goes, where no body is dragged


@dataclass
class EditorState:
    worker: Worker
    viewport: Viewport
    preferences: Preferences
    keymap: Keymap
    playback: Playback = field(default_factory=lambda: Playback(0.0, 1.0))
    camera: Camera = field(default_factory=lambda: Camera((0.0, 1.0, 0.0), 3.4, 0.5, 0.12))
    selected: str | None = None
    hovered: str | None = None
    hovered_time: float | None = None  # of a point of a flight
    hidden: frozenset[str] = frozenset()
    following: bool = False
    drag: Dragging | None = None
    moving: bool = False  # the camera, or the time by hand
    hint: bool = False
    status: str = ""
    messages: list[Message] = field(default_factory=list)
    curves: bool = False  # in the place of the timeline
    chosen: tuple[str, str, float] | None = None  # a hold: its contact, its thing, and a time in it
    dialogs: dict[str, Callable[[], None]] = field(default_factory=dict)  # what only a window can do
    offers: dict[str, Callable[..., None]] = field(default_factory=dict)  # menus that only a window can open
    _whispered: str | None = None
    _seen: Shown | None = None
    _followed: Any = None
    _framed_now: tuple[Camera, float] | None = None  # when everybody was framed as they were at a time [s]
    _framed: tuple[Camera, Any] | None = None  # as it was left, and what it was to show
    _aspect: float = 1.6  # of the viewport, width to height

    @property
    def shown(self) -> Shown | None:
        return self.worker.shown

    @property
    def scene(self) -> Scene | None:
        return None if self.shown is None else self.shown.document.scene

    @property
    def live(self) -> Live | None:
        """Where a drag has come to: as long as it goes on, and then until what it was let go with is solved."""
        goes_on = self.drag is not None and self.drag.begun
        return self.worker.live if goes_on or self.worker.finishing else None

    @property
    def rollout(self) -> Rollout | None:
        live = self.live
        if live is not None:
            return live.rollout
        return None if self.shown is None else self.shown.rollout

    @property
    def before(self) -> Rollout | None:
        """What there was before the drag that goes on, or before the last edit."""
        live = self.live
        if live is not None:
            return live.origin
        return None if self.shown is None else self.shown.before

    @property
    def layout(self) -> LaneLayout:
        live = self.live
        if live is not None:
            return live.layout
        return LaneLayout() if self.shown is None else self.shown.layout

    @property
    def t(self) -> float:
        return self.playback.t

    def view(self, size: tuple[int, int], scale: float = 1.0) -> View | None:
        """What the viewport is to show now; `scale` is that of the screen."""
        self._aspect = size[0] / size[1]
        shown, rollout = self.shown, self.rollout
        if shown is None or rollout is None:
            return None
        drag = self.drag if self.drag is not None and self.drag.begun else None
        pins = tuple(
            PinSign(pin.name, pin.t, place_of_pin(pin, rollout))
            for pin in shown.document.constraints
            if isinstance(pin, hoi.Pin)
        )
        grabbed = None
        if drag is not None and drag.placed is None:
            grabbed = (drag.name.partition(".")[0], drag.t)  # of an angle, the joint
        elif drag is None and self.hovered is not None and self.hovered_time is not None:
            grabbed = (self.hovered, self.hovered_time)
        return View(
            rollout, self.t, self.camera, size, self.before, self.selected, self.hovered, self.hidden, pins,
            None if drag is None else drag.target, grabbed, self.preferences.ghosts, self.preferences.hands,
            self.playback.playing or self.moving or drag is not None, scale,
        )  # fmt: skip

    def hear(self, message: Message) -> None:
        self.messages = [*self.messages, message][-MOST_MESSAGES:]
        self.status = message.text

    def say(self, level: Level, text: str) -> None:
        self.hear(Message(level, text))

    def whisper(self, words: str) -> None:
        """Words about what is under the pointer, or on its way: until `hush`, and no message."""
        self.status = self._whispered = words

    def hush(self) -> None:
        """What was said last is said again, if nothing has been said meanwhile."""
        if self._whispered is not None and self.status == self._whispered:
            self.status = self.messages[-1].text if self.messages else ""
        self._whispered = None

    def take_hint(self) -> None:
        """Somebody has found out how it goes: the hint goes away for good, also if the program dies later."""
        if self.hint:
            self.hint = False
            self.remember(replace(self.preferences, seen_hint=True))

    def remember(self, changed: Preferences) -> None:
        if changed != self.preferences:
            self.preferences = changed
            problem = preferences.save(changed)
            if problem is not None:
                self.say("warning", problem)

    def toggle_hidden(self, name: str) -> None:
        self.hidden = self.hidden ^ {name}

    def exists(self, name: str) -> bool:
        scene = self.scene
        if scene is None:
            return False
        owner = name.partition("/")[0]
        return any(existing.name == owner for existing in scene.owners)

    def point_of(self, name: str) -> str:
        """A name that has a state: of a character its first segment."""
        scene = self.scene
        if scene is not None and name in [character.name for character in scene.characters]:
            return f"{name}/{scene.character(name).skeleton.names[0]}"
        return name

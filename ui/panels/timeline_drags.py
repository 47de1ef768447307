"""What is dragged on the timeline: a mark in time, a hold or its end, a new hold, an end of the window of edits, a
weight of a blend, a clip. Each knows where the pointer has brought it, and what to ask the editor for when it is let
go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from hoi_edit import Window
from hoi_edit.edit.holds import SHORTEST as SHORTEST_HOLD
from ui.editor import Editor
from ui.timeline import weight_lanes
from ui.timeline.clip_bars import ClipBar, ClipHandle
from ui.timeline.lanes import Bar, HoldEnd, LaneLayout, Mark
from ui.timeline.playback import Playback
from ui.timeline.scales import Axis, Scale
from ui.timeline.weight_lanes import Grip

SHORTEST = 0.1  # [s] that a window of edits may be
THRESHOLD = 3.0  # [px] before a press becomes a drag
Flag = tuple[float, str] | None  # what stands on the ruler at a time while something is dragged
SAME = 1e-3  # [s] by which nobody moves a mark


@dataclass(frozen=True)
class Pointer:
    x: float
    y: float
    fine: bool  # Shift is down
    scale: Scale
    playback: Playback

    @property
    def t(self) -> float:
        return min(max(self.scale.t(self.x), self.playback.start), self.playback.end)


@dataclass
class MarkDrag:
    """A mark, in time. The scene follows while it is dragged; it stops where its neighbours are."""

    mark: Mark
    room: tuple[float, float]  # [s] in which it may be
    started: float  # [px]
    t: float
    begun: bool = False

    def move(self, to: Pointer) -> None:
        if self.mark.retimes is None:
            return
        self.begun = self.begun or abs(to.x - self.started) > THRESHOLD
        wanted = self.mark.time + to.scale.t(to.x) - to.scale.t(self.started)  # wherever on the mark it was taken
        self.t = min(max(wanted, self.room[0]), self.room[1])

    @property
    def words(self) -> str:
        return self.mark.moved_words(self.t, self.room)

    @property
    def flag(self) -> Flag:
        return (self.t, f"{self.mark.time:.2f} → {self.t:.2f} s") if self.begun else None

    def drop(self, editor: Editor) -> None:
        if not self.begun:
            editor.playback = editor.playback.at(self.mark.time)
        elif abs(self.t - self.mark.time) < SAME:
            editor.abort()
        else:
            editor.drop()

    def follow(self, editor: Editor) -> None:
        editor.move_mark(self.mark, self.t, self.words)

    @property
    def state(self) -> object:
        """What of it is seen."""
        return self.t, self.begun


@dataclass
class HoldDrag:
    """A hold as a whole, or its end where it is held to the end of the scene. The scene follows as of a mark."""

    hold: HoldEnd
    room: tuple[float, float]
    started: float  # [px]
    pressed: float  # [s]
    t: float
    begun: bool = False

    @staticmethod
    def of(hold: HoldEnd, layout: LaneLayout, x: float, scale: Scale, playback: Playback) -> HoldDrag:
        bar, span = hold.bar, (playback.start, playback.end)
        if hold.grip == "end":
            return HoldDrag(hold, (bar.start + SHORTEST_HOLD, bar.end), x, scale.t(x), bar.end)
        return HoldDrag(hold, layout.room_of_hold(bar, *span), x, scale.t(x), bar.start)

    @property
    def was(self) -> float:
        return self.hold.bar.end if self.hold.grip == "end" else self.hold.bar.start

    def move(self, to: Pointer) -> None:
        self.begun = self.begun or abs(to.x - self.started) > THRESHOLD
        wanted = self.was + to.scale.t(to.x) - to.scale.t(self.started)
        self.t = min(max(wanted, self.room[0]), self.room[1])

    @property
    def words(self) -> str:
        thing, t = self.hold.bar.object, self.t
        if self.hold.grip == "end":
            return f"{thing} is let go at {t:.2f} s"
        return f"{thing} is held from {t:.2f} s, not from {self.was:.2f} s"

    def follow(self, editor: Editor) -> None:
        editor.move_hold(self.hold, self.t, self.words)

    @property
    def flag(self) -> Flag:
        return (self.t, f"{self.was:.2f} → {self.t:.2f} s") if self.begun else None

    @property
    def bar(self) -> Bar:
        """The hold where it is to be; the scene may follow only as far as it can."""
        bar = self.hold.bar
        if self.hold.grip == "end":
            return replace(bar, end=self.t)
        return replace(bar, start=self.t, end=bar.end + (self.t - self.was) * bar.ends)

    def drop(self, editor: Editor) -> None:
        if not self.begun:
            editor.choose_hold(self.hold.bar, self.pressed)
        elif abs(self.t - self.was) < SAME:
            editor.abort()
        else:
            editor.drop()

    @property
    def state(self) -> object:
        return self.t, self.begun


@dataclass
class NewHold:
    """A stretch of an empty lane of a hand, in which it is to hold something. What, is asked when it is let go."""

    lane: int
    part: str  # "juggler/right_hand"
    room: tuple[float, float]  # [s] between the holds that there are
    started: float  # [px]
    start: float  # [s]
    end: float
    begun: bool = False

    @staticmethod
    def of(lane: int, lanes: LaneLayout, x: float, scale: Scale, playback: Playback) -> NewHold:
        t = min(max(scale.t(x), playback.start), playback.end)
        bars = [bar for bar in lanes.bars if bar.lane == lane and bar.kind == "held"]
        low = max((bar.end for bar in bars if bar.end <= t), default=playback.start)
        high = min((bar.start for bar in bars if bar.start >= t), default=playback.end)
        return NewHold(lane, lanes.lanes[lane].name, (low, high), x, t, t)

    def move(self, to: Pointer) -> None:
        self.begun = self.begun or abs(to.x - self.started) > THRESHOLD
        self.end = min(max(to.playback.snapped(to.t), self.room[0]), self.room[1])

    @property
    def span(self) -> tuple[float, float]:
        """[s] from when to when, whichever way it was drawn; to the end of the scene, if it goes there."""
        return min(self.start, self.end), max(self.start, self.end)

    @property
    def flag(self) -> Flag:
        start, end = self.span
        return (self.end, f"{start:.2f} – {end:.2f} s") if self.begun else None

    def drop(self, editor: Editor) -> None:
        start, end = self.span
        if not self.begun:
            editor.scrub(self.start)
        elif end - start < SHORTEST:
            editor.say("warning", f"A hold is at least {SHORTEST:g} s long: draw it longer, or zoom in with the wheel.")
        else:
            editor.offer_hold(self.part, start, end)

    @property
    def state(self) -> object:
        return self.end, self.begun


@dataclass
class ClipDrag:
    """Somebody's clip in time: shifted, trimmed or stretched. The scene follows as of a mark."""

    handle: ClipHandle
    started: float  # [px]
    pressed: float  # [s]
    bar: ClipBar  # as it is to be
    stretching: bool = False
    begun: bool = False

    def move(self, to: Pointer) -> None:
        self.begun = self.begun or abs(to.x - self.started) > THRESHOLD
        if self.begun:
            self.stretching = to.fine
            frames = round((to.scale.t(to.x) - to.scale.t(self.started)) * to.playback.rate)
            self.bar = self.handle.dragged(frames / to.playback.rate, to.fine)

    def follow(self, editor: Editor) -> None:
        editor.move_clip(self.handle, self.bar, self.stretching)

    @property
    def flag(self) -> Flag:
        at = self.bar.end if self.handle.grip == "end" else self.bar.start
        return (at, f"{self.bar.start:.2f} – {self.bar.end:.2f} s") if self.begun else None

    def drop(self, editor: Editor) -> None:
        if not self.begun:
            editor.scrub(self.pressed)
            editor.choose_person(self.bar.character)
        elif self.bar == self.handle.bar:
            editor.abort()
        else:
            editor.drop()

    @property
    def state(self) -> object:
        return self.bar, self.begun


@dataclass
class EdgeDrag:
    """An end of the window of edits."""

    edge: Literal["start", "end"]
    window: Window  # as it would be

    @property
    def t(self) -> float:
        return self.window.start if self.edge == "start" else self.window.end

    def move(self, to: Pointer) -> None:
        window, t = self.window, round(to.t, 3)
        if self.edge == "start":
            self.window = replace(window, start=min(t, window.end - SHORTEST))
        else:
            self.window = replace(window, end=max(t, window.start + SHORTEST))

    @property
    def flag(self) -> Flag:
        return self.t, f"{self.t:.2f} s"

    def drop(self, editor: Editor) -> None:
        window = self.window
        if window != editor.layout.window:
            editor.set_window(window.start, window.end, window.fade)

    @property
    def state(self) -> object:
        return self.window


@dataclass
class WeightDrag:
    """A weight of a blend, up and down. A click without a drag goes to the time of the keyframe."""

    grip: Grip
    axis: Axis
    started: float  # [px]
    last: float  # [px]
    reached: float  # beyond 0 and 1 as well: a pointer that comes back finds the weight where it left it
    begun: bool = False

    @staticmethod
    def of(grip: Grip, axis: Axis, y: float) -> WeightDrag:
        return WeightDrag(grip, axis, y, y, grip.value)

    @property
    def to(self) -> float:
        return weight_lanes.rounded(self.reached)

    def move(self, to: Pointer) -> None:
        if self.grip.weight is None:
            return
        if self.begun or abs(to.y - self.started) > THRESHOLD:
            self.begun = True
            self.reached += weight_lanes.risen(self.axis, self.last - to.y, to.fine)
            self.last = to.y

    @property
    def flag(self) -> Flag:
        return (self.grip.t, f"{100 * self.to:.0f} %") if self.begun and self.grip.weight is not None else None

    def drop(self, editor: Editor) -> None:
        weight = self.grip.weight
        if not self.begun or weight is None:
            editor.playback = editor.playback.at(self.grip.t)
        elif self.to != weight_lanes.rounded(weight.value):
            editor.weigh(weight, self.to)

    @property
    def state(self) -> object:
        return self.to, self.begun


Drag = MarkDrag | HoldDrag | ClipDrag | NewHold | EdgeDrag | WeightDrag

"""What the editor does: time goes on, drags begin and end, files are opened and saved, the camera looks.

No widget is touched here. Panels read this and call it; it asks the worker for edits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import hoi_edit as hoi
from hoi_edit.scene import Scene
from ui.editor.editor_state import Dragging
from ui.editor.hold_actions import HoldActions
from ui.timeline.clip_bars import ClipBar, ClipHandle
from ui.timeline.lanes import Bar, HoldEnd, Mark
from ui.view import framing, navigation
from ui.view.drag_plane import Along, Grab
from ui.words.fixes import SAVE_AS
from ui.words.messages import Message
from ui.words.names import distance, in_words, plain, sentence
from ui.worker.snapshots import Shown
from ui.worker.trials import Trial, letting_go, moving_hold, placing, retiming, timing_clip


class Editor(HoldActions):
    """The one thing that panels know."""

    # -- time goes on -------------------------------------------------------------------------------------------------

    def advance(self, dt: float) -> None:
        """One step of the window: time, messages, what has come of edits."""
        self.playback = self.playback.advanced(dt)
        self.worker.pausing = self.playback.playing or self.moving  # pictures come first
        for message in self.worker.messages():
            self.hear(message)
        if self.shown is not None and self.shown is not self._seen:
            self._take_over(self.shown)
        self._follow()

    def _take_over(self, shown: Shown) -> None:
        """A new document, or a new state of it."""
        old, scene = self._seen, shown.document.scene
        if old is None or old.opened != shown.opened:
            flights = [span.start for chain in shown.rollout.trajectories.chains.values() for span in chain.spans[1:2]]
            self.playback = self.playback.of_scene(scene.start, scene.end, _good_time(scene, flights))
            self.selected, self.hidden = None, frozenset()
            if old is not None:
                self.take_hint()  # who has found another scene needs none
            self._seen = shown
            self.frame_all()
            self._framed_now = None  # nobody has asked for it yet
        if (self.playback.start, self.playback.end) != (scene.start, scene.end):  # it has grown with a clip
            self.playback = replace(self.playback, start=scene.start, end=scene.end).at(self.t)
        new = set() if old is None or old.opened != shown.opened else _names(scene) - _names(old.document.scene)
        if len(new) == 1:
            (self.selected,) = new  # what was added, or came back
        self._seen = shown
        if shown.file is not None and (old is None or old.file != shown.file or old.opened != shown.opened):
            self.remember(self.preferences.opened(shown.file))  # only now: it may not have been there at all
        if self.selected is not None and not self.exists(self.selected):
            self.selected = None

    def _follow(self) -> None:
        rollout, name = self.rollout, self.selected
        if not self.following or rollout is None or name is None:
            self._followed = None
            return
        now = rollout.state(self.point_of(name), self.t).position
        if self._followed is not None and self._followed[0] == name:
            self.camera = navigation.following(self.camera, self._followed[1], now)
        self._followed = (name, now)

    # -- drags --------------------------------------------------------------------------------------------------------

    def scrub(self, t: float, free: bool = False) -> None:
        """The time was pointed at; `free`: between frames as well."""
        self.playback = self.playback.scrubbed(t, free or not self.preferences.snap)

    def press(self, name: str, t: float, grab: Grab) -> None:
        """The button went down on something."""
        self.selected, self.chosen = name, None
        self.playback = replace(self.playback, playing=False)
        self.drag = Dragging(name, t, grab)

    def pull(self, x: float, y: float, along: Along) -> None:
        """The pointer is at a pixel of the viewport."""
        drag = self.drag
        if drag is None or drag.grab is None:
            return
        if not self._set_out():
            return
        target = drag.grab.target(x, y, along)
        drag.along = along
        if drag.target is None or not np.array_equal(target, drag.target):
            drag.target = (float(target[0]), float(target[1]), float(target[2]))
            self.worker.move(target)

    def take(self, name: str, t: float) -> None:
        """The button went down on a point of a curve: of a thing, or of a degree of freedom of a body."""
        self.playback = replace(self.playback, playing=False)
        self.drag = Dragging(name, t)

    def shape(self, target: Any) -> None:
        """What was taken is to have another value: of a thing an axis of its place, the others open."""
        if self._set_out():
            self.worker.move(target)

    def turn(self, angle: float) -> None:
        """What is in the ring is to stay in its place, turned by an angle."""
        if self.drag is not None and self.drag.ring is not None and self._set_out():
            self.worker.move(self.drag.ring.place, self.drag.ring.turned(angle))

    def move_mark(self, mark: Mark, t: float, words: str) -> None:
        """A mark of the timeline is to be at another time; the scene is solved so that it is."""
        if mark.retimes is not None:
            self._lead(mark.object, mark.time, mark.retimes, partial(retiming, contact=mark.retimes), t, words)

    def move_hold(self, hold: HoldEnd, t: float, words: str) -> None:
        """A hold is to begin at another time, or the end of one that goes on to the end of the scene."""
        bar = hold.bar
        if hold.grip == "end":
            self._lead(bar.object, bar.end, f"{bar.contact}:release", partial(letting_go, thing=bar.object), t, words)
        elif not bar.at_once:
            trial = partial(moving_hold, thing=bar.object, t=0.5 * (bar.start + bar.end))
            self._lead(bar.object, bar.start, str(bar.contact), trial, t, words)
        elif self._whispered is None:
            self.whisper(f"{bar.object} is in the hand from the start: its end can be dragged, and nothing else of it.")

    def _lead(
        self, name: str, was: float, retimes: str, trial: Callable[[hoi.EditSession], Trial], t: float, words: str
    ) -> None:
        if self.drag is None or self.drag.retimes != retimes:
            self.drag = Dragging(name, was, retimes=retimes, trial=trial)
        if self._set_out() and (words != self.drag.words or t != self.drag.t):
            self.drag.t, self.drag.words = t, words
            self.worker.move(t)

    def move_clip(self, handle: ClipHandle, bar: ClipBar, stretching: bool) -> None:
        """Somebody's clip is to go from and to other times."""
        name = bar.character
        if self.drag is None or self.drag.trial is None:
            trial = partial(timing_clip, character=name, whole=handle.grip == "whole")
            self.drag = Dragging(name, self.t, trial=trial)
        target = (bar.start, bar.end, float(stretching))
        if self._set_out() and target != self.drag.placed:
            self.drag.placed = target
            self.drag.words = f"The clip of {name}: {bar.start:.2f} to {bar.end:.2f} s"
            self.worker.move(target)

    def place_person(self, name: str, centre: Any, by: Any, turn: float) -> None:
        """All of somebody is to stand elsewhere [m], turned [rad] about a point on the ground."""
        if self.drag is None or self.drag.trial is None:
            self.drag = Dragging(name, self.t, trial=partial(placing, character=name, centre=centre))
        target = (*map(float, by), turn)
        if self._set_out() and target != self.drag.placed:
            gone = distance(float(np.linalg.norm(by)))
            self.drag.placed = target
            self.drag.words = f"{name}, turned by {np.degrees(turn):.0f}°" if turn else f"{name}, moved by {gone}"
            self.worker.move(target)

    def choose_hold(self, bar: Bar, t: float) -> None:
        """A click on a bar: its hold is what Delete is about, at the time that was clicked at."""
        self.scrub(t)
        self.selected, self.chosen = bar.object, (str(bar.contact), bar.object, 0.5 * (bar.start + bar.end))

    def choose_person(self, name: str) -> None:
        """All of somebody, who then has handles to be placed by."""
        self.selected, self.chosen = name, None
        self.say("info", f"{name} is moved by the arrows and the disc at the feet, and turned by the ring.")

    def offer_name(self, name: str) -> None:
        """The window asks for another name."""
        self.offers["name"](name)

    def offer_hold(self, part: str, start: float, end: float) -> None:
        """A hold was drawn in the lane of a hand: the window asks of what."""
        self.offers["hold"](part, start, end)

    def _set_out(self) -> bool:
        """Begin the drag, unless it has begun; not if what is dragged is locked."""
        drag = self.drag
        if drag is None or drag.begun or drag.refused:
            return drag is not None and drag.begun
        drag.refused = self.refuses(drag.name, drag.t, drag.retimes)
        if drag.refused:
            # a mark is asked for by its name as long as the button is down, and must not say so again and again
            self.drag = None if drag.trial is None else drag
            return False
        drag.begun = True
        self.take_hint()
        self.whisper(f"{'Turning' if drag.ring is not None else 'Moving'} {plain(drag.name)} …")
        if drag.trial is not None:
            self.worker.begin_trial(drag.trial)
        else:
            self.worker.begin(drag.name, drag.t)
        return True

    def drop(self) -> None:
        drag, self.drag = self.drag, None
        if drag is not None and drag.begun:
            self.hush()
            self.worker.commit()

    def abort(self) -> None:
        """Escape: give the drag up, or stop what is going on, or select nothing."""
        if self.drag is not None and self.drag.begun:
            self.hush()
            self.worker.abort()
        elif self.worker.busy is not None or self.worker.refining:
            self.worker.cancel()
        else:
            self.selected = None
        self.drag = None

    def stop(self) -> None:
        """What goes on is to stop, as by Escape."""
        self.worker.cancel()

    # -- files --------------------------------------------------------------------------------------------------------

    def open(self, scene: str, recover: bool | None = None) -> None:
        if self.drag is not None:  # it is of the document that goes
            self.abort()
        self.worker.open(scene, recover)

    def save(self, path: str | None = None) -> None:
        if path is None and (self.shown is None or self.shown.file is None):
            self.dialogs["save_as"]()
            return
        name = path or str(self.shown.file if self.shown is not None else "")
        self.edit("Saving", lambda s, tell: _saved(s, path), f"Saved {name}.")

    def save_as(self) -> None:
        self.dialogs["save_as"]()

    def remember_export(self, folder: str, suffixes: tuple[str, ...]) -> None:
        self.remember(replace(self.preferences, exported_to=folder, exported=suffixes))

    # -- the camera ---------------------------------------------------------------------------------------------------

    def frame_all(self) -> None:
        """Everybody as they are now; once more, with nothing moved since, wherever they are in the range."""
        if self.rollout is None:
            return
        now, playback = self._framed_now, self.playback
        again = now is not None and now[0] is self.camera and now[1] == self.t
        if again:
            self.frame(framing.points_of_motion(self.rollout, playback.low, playback.high))
        else:
            self.frame(framing.points_of_all(self.rollout, self.t))
        self._framed_now = None if again else (self.camera, self.t)

    def frame_selected(self) -> None:
        rollout = self.rollout
        if rollout is None or self.selected is None:
            self.frame_all()
        else:
            self.frame(framing.points_of(rollout, self.selected, self.point_of(self.selected), self.t))

    def frame(self, points: Any) -> None:
        """Points are to be in sight."""
        if len(points) == 0:
            return
        self.camera = navigation.framed(self.camera, points, self._aspect)
        self._framed = (self.camera, points)

    def look(self, view: str) -> None:
        """From one of the standard views; what was framed last is framed from there too, unless the camera was moved
        since: a long field needs more room from above than from its side."""
        camera, last = navigation.looking(self.camera, view), self._framed
        if last is not None and (last[0].target, last[0].distance) == (self.camera.target, self.camera.distance):
            camera = navigation.framed(camera, last[1], self._aspect)
            self._framed = (camera, last[1])
        self.camera = camera


def _saved(session: hoi.EditSession, path: str | None) -> Message | None:
    """What cannot be saved here can be saved elsewhere."""
    try:
        session.save(path)
    except hoi.HoiError as error:
        return Message("error", sentence(in_words(str(error), session.rollout)), fixes=(SAVE_AS,))
    return None


def _names(scene: Scene) -> set[str]:
    return {owner.name for owner in scene.owners}


def _good_time(scene: Scene, starts: list[float]) -> float:
    """A time at which something flies, to begin with."""
    return min(max([*sorted(starts)[:2], scene.start]) + 0.15, scene.end)

"""What the editor is at: the selection, the time, the camera, the drag that goes on; and what every action does.

No widget is touched here. Panels read this and call it; it asks the worker for edits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import hoi_edit as hoi
from hoi_edit.constraints import Constraint
from hoi_edit.editing.report import Report
from hoi_edit.sampling import joint_frames
from hoi_edit.scene import Scene
from hoi_edit.simulation import Rollout
from ui import navigation, preferences
from ui.blending import Weight
from ui.camera import Camera
from ui.dragging import Along, Grab
from ui.keymap import Keymap
from ui.playback import Playback
from ui.preferences import Preferences
from ui.stage import View
from ui.timeline import Layout, plain, plain_words
from ui.turning import Ring
from ui.viewport import Viewport
from ui.worker import Message, Shown, Worker

MOST_MESSAGES = 60
FADE = 0.3  # [s] in which edits fade out at the ends of their window
ROUND_IT = 0.3  # [m] around something that is framed, to each side
CORNERS = np.stack(np.meshgrid(*3 * [[-1.0, 1.0]]), axis=-1).reshape(8, 3)
HEAD = 0.28  # [m] from the highest joint to the top of a person


@dataclass
class Dragging:
    """A drag in the viewport or of a curve, from the press of the button on."""

    name: str
    t: float
    grab: Grab | None = None  # in the viewport
    ring: Ring | None = None  # around what is turned
    begun: bool = False  # the pointer has gone far enough to mean it
    key: Along | None = None  # a lock that was asked for by its letter
    along: Along = "free"
    target: tuple[float, float, float] | None = None


@dataclass
class Editor:
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
    wants_to_quit: bool = False
    curves: bool = False  # in the place of the timeline
    dialogs: dict[str, Callable[[], None]] = field(default_factory=dict)  # what only a window can do
    _seen: Shown | None = None
    _followed: Any = None
    _framed: tuple[Camera, Any] | None = None  # as it was left, and what it was to show
    _aspect: float = 1.6  # of the viewport, width to height

    # -- what there is ------------------------------------------------------------------------------------------------

    @property
    def shown(self) -> Shown | None:
        return self.worker.shown

    @property
    def scene(self) -> Scene | None:
        return None if self.shown is None else self.shown.document.scene

    @property
    def rollout(self) -> Rollout | None:
        live = self.worker.live
        if live is not None and self.drag is not None and self.drag.begun:
            return live.rollout
        return None if self.shown is None else self.shown.rollout

    @property
    def before(self) -> Rollout | None:
        """What there was before the drag that goes on, or before the last edit."""
        live = self.worker.live
        if live is not None and self.drag is not None and self.drag.begun:
            return live.origin
        return None if self.shown is None else self.shown.before

    @property
    def layout(self) -> Layout:
        live = self.worker.live
        if live is not None and self.drag is not None and self.drag.begun:
            return live.layout
        return Layout() if self.shown is None else self.shown.layout

    @property
    def t(self) -> float:
        return self.playback.t

    def view(self, size: tuple[int, int]) -> View | None:
        """What the viewport is to show now."""
        self._aspect = size[0] / size[1]
        shown, rollout = self.shown, self.rollout
        if shown is None or rollout is None:
            return None
        drag = self.drag if self.drag is not None and self.drag.begun else None
        pins = tuple((own.name, own.t) for own in shown.document.constraints if isinstance(own, hoi.Pin))
        grabbed = None
        if drag is not None:
            grabbed = (drag.name.partition(".")[0], drag.t)  # of an angle, the joint
        elif self.hovered is not None and self.hovered_time is not None:
            grabbed = (self.hovered, self.hovered_time)
        return View(
            rollout, self.t, self.camera, size, self.before, self.selected, self.hovered, self.hidden, pins,
            None if drag is None else drag.target, grabbed, self.preferences.ghosts, self.preferences.hands,
            self.playback.playing or self.moving or drag is not None,
        )  # fmt: skip

    # -- time goes on -------------------------------------------------------------------------------------------------

    def advance(self, dt: float) -> None:
        """One step of the window: time, messages, what has come of edits."""
        self.playback = self.playback.advanced(dt)
        for message in self.worker.messages():
            self._say(message)
        if self.shown is not None and self.shown is not self._seen:
            self._take_over(self.shown)
        self._follow()

    def _say(self, message: Message) -> None:
        self.messages = [*self.messages, message][-MOST_MESSAGES:]
        self.status = message.text

    def say(self, level: Any, text: str) -> None:
        self._say(Message(level, text))

    def _take_over(self, shown: Shown) -> None:
        """A new document, or a new state of it."""
        old, scene = self._seen, shown.document.scene
        if old is None or old.opened != shown.opened:
            flights = [span.start for chain in shown.rollout.trajectories.chains.values() for span in chain.spans[1:2]]
            self.playback = self.playback.of_scene(scene.start, scene.end, _good_time(scene, flights))
            self.selected, self.hidden = None, frozenset()
            self._seen = shown
            self.frame_all()
        self._seen = shown
        if shown.file is not None and (old is None or old.file != shown.file or old.opened != shown.opened):
            self.remember(self.preferences.opened(shown.file))  # only now: it may not have been there at all
        if self.selected is not None and not self._exists(self.selected):
            self.selected = None

    def _exists(self, name: str) -> bool:
        scene = self.scene
        if scene is None:
            return False
        owner = name.partition("/")[0]
        return any(own.name == owner for own in scene.owners)

    def _follow(self) -> None:
        rollout, name = self.rollout, self.selected
        if not self.following or rollout is None or name is None:
            self._followed = None
            return
        now = rollout.state(self._point(name), self.t).position
        if self._followed is not None and self._followed[0] == name:
            self.camera = navigation.following(self.camera, self._followed[1], now)
        self._followed = (name, now)

    def _point(self, name: str) -> str:
        """A name that has a state: of a character its first segment."""
        scene = self.scene
        if scene is not None and name in [own.name for own in scene.characters]:
            return f"{name}/{scene.character(name).skeleton.names[0]}"
        return name

    # -- drags --------------------------------------------------------------------------------------------------------

    def press(self, name: str, t: float, grab: Grab) -> None:
        """The button went down on something."""
        self.selected = name
        self.playback = replace(self.playback, playing=False)
        self.drag = Dragging(name, t, grab)

    def pull(self, x: float, y: float, along: Along) -> None:
        """The pointer is at a pixel of the viewport."""
        drag = self.drag
        if drag is None or drag.grab is None:
            return
        self._set_out()
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
        self._set_out()
        self.worker.move(target)

    def turn(self, angle: float) -> None:
        """What is in the ring is to stay in its place, turned by an angle."""
        if self.drag is not None and self.drag.ring is not None:
            self._set_out()
            self.worker.move(self.drag.ring.place, self.drag.ring.turned(angle))

    def _set_out(self) -> None:
        if self.drag is not None and not self.drag.begun:
            self.drag.begun, self.hint = True, False
            self.worker.begin(self.drag.name, self.drag.t)

    def drop(self) -> None:
        drag, self.drag = self.drag, None
        if drag is not None and drag.begun:
            self.worker.commit()

    def abort(self) -> None:
        """Escape: give the drag up, or stop what is going on, or select nothing."""
        if self.drag is not None and self.drag.begun:
            self.worker.abort()
        elif self.worker.busy is not None:
            self.worker.cancel()
        else:
            self.selected = None
        self.drag = None

    # -- edits --------------------------------------------------------------------------------------------------------

    def edit(self, words: str, edit: Callable[[hoi.EditSession, hoi.Listener], Any], done: str | None = None) -> None:
        self.worker.do(words, edit, done)

    def pin(self, name: str | None = None, t: float | None = None) -> None:
        rollout, name = self.rollout, name or self.selected
        if rollout is None or name is None or not self._exists(name):
            self.say("info", "Select something to pin first.")
            return
        name = self._point(name)
        time = self.t if t is None else t
        place = rollout.state(name, time).position
        after = rollout.span_name(name, time)
        pin = hoi.Pin(name, time, position=place, after=after)
        self.edit("Pinning", lambda s, tell: s.add(pin, tell), f"Pinned {plain(name)} at {time:.2f} s.")

    def retime(self, contact: str, t: float) -> None:
        self.edit("Retiming", lambda s, tell: s.retime(contact, t, tell), f"{contact} is at {t:.2f} s now.")

    def set_fps(self, fps: int) -> None:
        """How many frames a second the timeline counts and steps by; it is remembered."""
        self.playback = replace(self.playback, rate=float(fps))
        self.remember(replace(self.preferences, fps=fps))

    def is_locked(self, name: str) -> bool:
        return self.shown is not None and any(lock.name == name for lock in self.shown.document.freedom.locks)

    def toggle_lock(self, name: str | None = None) -> None:
        name = name or self.selected
        if name is None:
            self.say("info", "Select something to lock first.")
        elif self.is_locked(name):
            self.edit("Unlocking", lambda s, tell: s.unlock(name), f"{plain(name)} may change again.")
        else:
            self.edit("Locking", lambda s, tell: s.lock(name), f"{plain(name)} stays as it is.")

    def catch(self, thing: str, site: str, t: float) -> None:
        self.edit("Catching", lambda s, tell: s.grasp(thing, site, t, progress=tell), f"{plain(site)} catches {thing}.")

    def keep_clear(self, thing: str, other: str, t: float) -> None:
        def keep(session: hoi.EditSession, tell: hoi.Listener) -> Report:
            # of the flight that leads there: the one that begins with the hit goes away from it by itself
            after = session.rollout.span_name(thing, t - 1e-6) if t > session.scene.start + 1e-6 else None
            return session.add(hoi.KeepClear(thing, other, t, after=after), tell)

        self.edit("Keeping clear", keep, f"{thing} stays clear of {plain(other)}.")

    def keep_contact(self, contact: str, fixed_time: bool = True) -> None:
        def keep(session: hoi.EditSession, tell: hoi.Listener) -> Report:
            return session.add(hoi.KeepContact.of(session.rollout, contact, fixed_time), tell)

        self.edit("Keeping", keep, f"{contact} stays where and when it is.")

    def change(self, name: str, what: str, value: float) -> None:
        """Another restitution or friction of something, or mass [kg] or radius [m] of a thing."""

        def change(session: hoi.EditSession, tell: hoi.Listener) -> Report:
            is_thing = any(own.name == name for own in session.scene.things)
            do = session.change_thing if is_thing else session.change_material
            return do(name, **{what: value}, progress=tell)  # type: ignore[arg-type]

        self.edit("Changing", change, f"The {what} of {name} is {value:g} now.")

    def weigh(self, weight: Weight, to: float) -> None:
        """How much a clip of a blend counts in an interval, from 0 to 1."""
        self.edit(
            "Blending", lambda s, tell: s.weigh(weight.character, weight.interval, weight.clip, to, tell),
            f"{weight.name} counts {100 * to:.0f} % from {weight.start:.2f} to {weight.end:.2f} s.",
        )  # fmt: skip

    def let_go(self, contact: str) -> None:
        self.edit("Letting go", lambda s, tell: s.let_go(contact), f"Edits need not keep {contact} any more.")

    def solve(self) -> None:
        self.edit("Solving the plan", lambda s, tell: s.solve(tell), "Every planned contact happens.")

    def free_time(self) -> None:
        self.edit("Freeing", lambda s, tell: s.window(), "Edits may change any time.")

    def confine(self) -> None:
        """Edits change nothing outside the range of the timeline; or, if that is so already, anything again."""
        if self.shown is not None and self.shown.document.freedom.window is not None:
            self.free_time()
        elif self.playback.first is None and self.playback.last is None:
            self.say("info", "Set the range first, with In and Out above the timeline.")
        else:
            self.set_window(self.playback.low, self.playback.high)

    def set_window(self, start: float, end: float, fade: float = FADE) -> None:
        fade = min(fade, 0.5 * (end - start))
        done = f"Edits change nothing outside {start:.2f} to {end:.2f} s."
        self.edit("Confining", lambda s, tell: s.window(start, end, fade), done)

    def bends(self, contact: str) -> bool:
        return self.shown is not None and contact in self.shown.document.freedom.opened

    def toggle_bending(self, contact: str) -> None:
        """Whether edits may bend the laws of a contact: how much it bounces and rubs, and where its surface faces."""
        bent = self.bends(contact)

        def change(session: hoi.EditSession, tell: hoi.Listener) -> None:
            others = tuple(own for own in session.document.freedom.opened if own != contact)
            session.free(opened=others if bent else (*others, contact))

        done = f"Edits leave the laws of {contact} alone." if bent else f"Edits may bend the laws of {contact}."
        self.edit("Freeing", change, done)

    def show_time(self, name: str, t: float) -> None:
        """Where a problem is: at that time, with the thing selected."""
        self.playback, self.selected = replace(self.playback.at(t), playing=False), name

    def switch_off(self, constraint: Constraint) -> None:
        """Edits need not keep it; it stays in the document."""
        self.edit("Switching off", lambda s, tell: s.switch_off(constraint), f"Off: {constraint.label}.")

    def switch_on(self, constraint: Constraint) -> None:
        self.edit("Switching on", lambda s, tell: s.switch_on(constraint, tell), f"On again: {constraint.label}.")

    def remove(self, constraint: Constraint) -> None:
        self.edit("Removing", lambda s, tell: s.remove(constraint), f"Removed {constraint.label}.")

    def undo(self) -> None:
        self._walk(-1)

    def redo(self) -> None:
        self._walk(1)

    def _walk(self, way: int) -> None:
        """One step through the history. What it was is known only when it is done: edits before it may still be
        waiting."""

        def step(session: hoi.EditSession, tell: hoi.Listener) -> str:
            label = plain_words(session.history[session.now].label)
            if way < 0:
                return f"Undone: {label}." if session.undo() else "There is nothing to undo."
            redone = session.redo()
            label = plain_words(session.history[session.now].label)
            return f"Redone: {label}." if redone else "There is nothing to redo."

        self.edit("Undoing" if way < 0 else "Redoing", step)

    def go_to(self, step: int) -> None:
        """To a step of the history."""

        def walk(session: hoi.EditSession, tell: hoi.Listener) -> None:
            while session.now > step and session.undo():
                pass
            while session.now < step and session.redo():
                pass

        self.edit("Going through the history", walk)

    def compare(self) -> None:
        muted = self.shown is not None and self.shown.muted
        self.edit("Comparing", lambda s, tell: s.mute(not muted), "With the edits." if muted else "Without the edits.")

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
        self.edit("Saving", lambda s, tell: s.save(path), f"Saved {name}.")

    def save_as(self) -> None:
        self.dialogs["save_as"]()

    def remember_export(self, folder: str, suffixes: tuple[str, ...]) -> None:
        self.remember(replace(self.preferences, exported_to=folder, exported=suffixes))

    def remember(self, changed: Preferences) -> None:
        if changed != self.preferences:
            self.preferences = changed
            problem = preferences.save(changed)
            if problem is not None:
                self.say("warning", problem)

    # -- the camera ---------------------------------------------------------------------------------------------------

    def frame_all(self) -> None:
        rollout, scene = self.rollout, self.scene
        if rollout is None or scene is None:
            return
        points = [self._body_of(own, rollout) for own in scene.characters]
        around = np.linspace(max(scene.start, self.t - 0.6), min(scene.end, self.t + 0.6), 25)
        balls = [rollout.positions(own.name, around) for own in scene.things]
        near = np.concatenate(points) if points else np.zeros((0, 3))
        if len(near):  # a ball that is thrown over a field would make everybody small
            middle = near.mean(axis=0)
            balls = [own[np.linalg.norm(own - middle, axis=1) < 4.0] for own in balls]
        everything = np.concatenate([near, *balls])
        if len(everything):
            self._frame(everything)

    def frame_selected(self) -> None:
        rollout = self.rollout
        if rollout is None or self.selected is None:
            self.frame_all()
            return
        scene = rollout.model.scene
        person = next((own for own in scene.characters if own.name == self.selected), None)
        if person is not None:
            points = self._body_of(person, rollout)
        else:
            thing = next((own for own in scene.things if own.name == self.selected), None)
            size = ROUND_IT if thing is None else max(ROUND_IT, 2.0 * thing.body.reach)
            points = rollout.state(self._point(self.selected), self.t).position + size * CORNERS
        self._frame(points)

    def _frame(self, points: Any) -> None:
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

    def _body_of(self, person: hoi.Character, rollout: Rollout) -> Any:
        """(n, 3) points that somebody lies between now: the joints, and the top of the head."""
        joints = joint_frames(rollout, person, np.array([self.t]))[0][0]
        return np.concatenate([joints, joints.max(axis=0, keepdims=True) + np.array([[0.0, HEAD, 0.0]])])


def _good_time(scene: Scene, starts: list[float]) -> float:
    """A time at which something flies, to begin with."""
    return min(max([*sorted(starts)[:2], scene.start]) + 0.15, scene.end)

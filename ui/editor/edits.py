"""Every edit that the window can ask for: a sentence for the line below, and what the session is to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import hoi_edit as hoi
from hoi_edit.constraints import Constraint
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding, Kind
from hoi_edit.scene import is_level
from ui.editor.editor_state import EditorState
from ui.timeline.blend_curves import Weight
from ui.words import lock_labels
from ui.words.finding_names import called, told
from ui.words.fixes import Fix, ToggleLock
from ui.words.history_labels import label_of
from ui.words.messages import Message
from ui.words.names import capital, contact_in_words, in_words, plain
from ui.words.property_fields import field_of
from ui.words.refusals import wish_refused

MOST = 3  # changes that a sentence lists
WENT_WITH_IT: tuple[Kind, ...] = ("contacts gone", "went along", "taken out")  # counted, or goes without saying
FADE = 0.3  # [s] in which edits fade out at the ends of their window


class Edits(EditorState):
    """They are made by the worker, one after the other; nobody waits for them here."""

    def edit(
        self, words: str, edit: Callable[[hoi.EditSession, hoi.Listener], Any], done: str | None = None,
        compare: bool = False,
    ) -> None:  # fmt: skip
        self.take_hint()
        self.worker.do(words, edit, done, compare)

    def called(self, contact: str, with_time: bool = True) -> str:
        """A contact, a release or a part of a body, as the timeline calls it."""
        shown = self.shown
        if shown is None or contact.partition(":")[0] not in _planned(shown.document.scene):
            return plain(contact)
        return contact_in_words(shown.rollout, contact, with_time)

    def pin(self, name: str | None = None, t: float | None = None) -> None:
        rollout, name = self.rollout, name or self.selected
        if rollout is None or name is None or not self.exists(name):
            self.say("warning", "Select something to pin first.")
            return
        name = self.point_of(name)
        time = self.t if t is None else t
        place = rollout.state(name, time).position
        after = rollout.span_name(name, time)
        pin = hoi.Pin(name, time, position=place, after=after)

        def keep(session: hoi.EditSession, tell: hoi.Listener) -> Report | Message:
            report = session.add(pin, tell)
            words = f"{plain(name)} cannot be pinned at {time:.2f} s"
            return report if report.holds else wish_refused(session.rollout, session.document, report, pin.about, words)

        self.edit("Pinning", keep, f"Pinned {plain(name)} at {time:.2f} s.")

    def retime(self, contact: str, t: float) -> None:
        done = f"{capital(self.called(contact, with_time=False))} is at {t:.2f} s now."
        self.edit("Moving it in time", lambda s, tell: s.retime(contact, t, tell), done, compare=True)

    def drag_to(self, name: str, t: float, to: Sequence[float]) -> None:
        """Bring a thing to a place at a time, as a drag with the mouse does."""
        done = f"Moved {plain(name)} at {t:.2f} s."
        if self.refuses(name, t):
            return
        self.edit("Moving", lambda s, tell: s.drag(name, t, to, progress=tell), done, compare=True)

    def set_fps(self, fps: int) -> None:
        """How many frames a second the timeline counts and steps by; it is remembered."""
        self.playback = replace(self.playback, rate=float(fps))
        self.remember(replace(self.preferences, fps=fps))

    def is_locked(self, name: str) -> bool:
        return self.shown is not None and any(lock.name == name for lock in self.shown.document.freedom.locks)

    def toggle_lock(self, name: str | None = None) -> None:
        name = name or self.selected
        if name is None:
            self.say("warning", "Select something to lock first.")
        elif self.is_locked(name):
            self.edit("Unlocking", lambda s, tell: s.unlock(name), f"{plain(name)} may change again.")
        else:
            words = "Locked." if self.scene is None else lock_labels.done(self.scene, name)
            self.edit("Locking", lambda s, tell: s.lock(name), words)

    def refuses(self, name: str, t: float, retimes: str | None = None) -> bool:
        """Whether a lock is in the way of a drag; then it is said, with a button that unlocks it."""
        lock = None
        if self.shown is not None:
            lock = lock_labels.in_the_way(self.shown.document.freedom.locks, name, t, retimes)
        if lock is not None:
            unlock = Fix("Unlock", ToggleLock(lock.name))
            what = lock.name if retimes is None else capital(self.called(retimes))
            words = f"{plain(what)} is locked, so it is not dragged."
            self.hear(Message("warning", words, fixes=(unlock,)))
        return lock is not None

    def keep_clear(self, thing: str, other: str, t: float) -> None:
        def keep(session: hoi.EditSession, tell: hoi.Listener) -> Report | Message:
            # of the flight that leads there: the one that begins with the hit goes away from it by itself
            after = session.rollout.span_name(thing, t - 1e-6) if t > session.scene.start + 1e-6 else None
            constraint = hoi.KeepClear(thing, other, t, after=after)
            report = session.add(constraint, tell)
            if report.holds:
                return report
            words = f"{thing} cannot be kept clear of {plain(other)} at {t:.2f} s"
            return wish_refused(session.rollout, session.document, report, constraint.about, words)

        self.edit("Keeping clear", keep, f"{thing} stays clear of {plain(other)}.")

    def keep_contact(self, contact: str, fixed_time: bool = True) -> None:
        def keep(session: hoi.EditSession, tell: hoi.Listener) -> Report:
            return session.add(hoi.KeepContact.of(session.rollout, contact, fixed_time), tell)

        self.edit("Keeping", keep, f"{capital(self.called(contact))} stays where and when it is.")

    def change(self, name: str, what: str, value: float) -> None:
        """Another restitution or friction of something, or mass [kg] or radius [m] of a thing."""

        def change(session: hoi.EditSession, tell: hoi.Listener) -> Report:
            is_thing = any(thing.name == name for thing in session.scene.things)
            do = session.change_thing if is_thing else session.change_material
            return do(name, **{what: value}, progress=tell)

        self.edit("Changing", change, f"The {what} of {name} is {field_of(what, value).words} now.")

    def weigh(self, weight: Weight, to: float) -> None:
        """How much a clip of a blend counts in an interval, from 0 to 1."""
        self.edit(
            "Blending", lambda s, tell: s.weigh(weight.character, weight.interval, weight.clip, to, tell),
            f"{weight.name} counts {100 * to:.0f} % from {weight.start:.2f} to {weight.end:.2f} s.",
        )  # fmt: skip

    def let_go(self, contact: str) -> None:
        self.edit("Letting go", lambda s, tell: s.let_go(contact), f"Edits need not keep {self.called(contact)}.")

    def solve(self) -> None:
        self.edit("Solving the plan", lambda s, tell: s.solve(tell), "Every planned contact happens.")

    def take_steps(self) -> None:
        """The last drag once more, in the place of what it came to; people may step for it."""
        done = "A step was taken for it."
        self.edit("Taking steps", lambda s, tell: s.refine(tell, steps=True), done, compare=True)

    def free_time(self) -> None:
        self.edit("Freeing", lambda s, tell: s.window(), "Edits may change any time.")

    def confine(self) -> None:
        """Edits change nothing outside the range of the timeline; or, if that is so already, anything again."""
        if self.shown is not None and self.shown.document.freedom.window is not None:
            self.free_time()
        elif self.playback.first is None and self.playback.last is None:
            self.say("warning", "Set the range first, with In and Out above the timeline.")
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
            others = tuple(other for other in session.document.freedom.opened if other != contact)
            session.free(opened=others if bent else (*others, contact))

        whose = f"the laws of {self.called(contact)}"
        done = f"Edits leave {whose} alone." if bent else f"Edits may bend {whose}."
        self.edit("Freeing", change, done)

    def show_time(self, name: str, t: float) -> None:
        """Where a problem is: at that time, with the thing selected."""
        self.playback, self.selected = replace(self.playback.at(t), playing=False), name

    def rename(self, name: str, to: str) -> None:
        def rename(session: hoi.EditSession, tell: hoi.Listener) -> None:
            session.rename(name, to)

        self.edit("Renaming", rename, f"{name} is called {to} now.")

    def delete(self, name: str | None = None) -> None:
        """Take a thing or a person out of the scene, with what was about them."""
        scene, name = self.scene, name or self.selected
        if scene is None or name is None or not self.exists(name):
            self.say("warning", "Select what is to be deleted first.")
        elif "/" in name:
            owner = name.partition("/")[0]
            self.say("warning", f"{plain(name)} is part of {owner}: select {owner} in the list to delete all of them.")
        elif name in [fixture.name for fixture in scene.fixtures if is_level(fixture)]:
            self.say("warning", f"{name} stays: people stand on it.")
        elif name in [fixture.name for fixture in scene.fixtures]:
            self.edit("Deleting", lambda s, tell: deleted(s, name, s.remove_fixture))
        elif name in [thing.name for thing in scene.things]:
            self.edit("Deleting", lambda s, tell: deleted(s, name, s.remove_thing))
        else:
            self.edit("Deleting", lambda s, tell: deleted(s, name, s.remove_character))

    def delete_contact(self, contact: str) -> None:
        """Take a contact out of the plan: what was hit is still hit, what was caught is not held any more."""
        self.edit("Deleting", lambda s, tell: deleted(s, contact, s.remove_contact))

    def labelled(self, constraint: Constraint) -> str:
        return called(constraint, self.rollout)

    def switch_off(self, constraint: Constraint) -> None:
        """Edits need not keep it; it stays in the document."""
        self.edit("Switching off", lambda s, tell: s.switch_off(constraint), f"Off: {self.labelled(constraint)}.")

    def switch_on(self, constraint: Constraint) -> None:
        self.edit(
            "Switching on", lambda s, tell: s.switch_on(constraint, tell), f"On again: {self.labelled(constraint)}."
        )

    def remove(self, constraint: Constraint) -> None:
        self.edit("Removing", lambda s, tell: s.remove(constraint), f"Removed {self.labelled(constraint)}.")

    def undo(self) -> None:
        self._walk(-1)

    def redo(self) -> None:
        self._walk(1)

    def _walk(self, way: int) -> None:
        """One step through the history. What it was is known only when it is done: edits before it may still be
        waiting."""

        def step(session: hoi.EditSession, tell: hoi.Listener) -> Message:
            label = in_words(label_of(session.history, session.now, session.rollout), session.rollout)
            if not (session.undo() if way < 0 else session.redo()):
                return Message("info", f"There is nothing to {'undo' if way < 0 else 'redo'}.")
            if way < 0:
                return Message("good", f"Undone: {label}.")
            label = in_words(label_of(session.history, session.now, session.rollout), session.rollout)
            return Message("good", f"Redone: {label}.")

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


def _planned(scene: hoi.Scene) -> set[str]:
    """What has an event of its own on the timeline: contacts, and starts in a hand."""
    held = {thing.name for thing in scene.things if isinstance(thing.start, hoi.Held)}
    return {contact.id for contact in scene.contacts} | held


def deleted(session: hoi.EditSession, name: str, remove: Callable[[str], tuple[Finding, ...]]) -> Message:
    """Do it, and say what went and what that changes: as it was called while it was there."""
    before, contacts = session.rollout, [contact.id for contact in session.scene.contacts]
    what = contact_in_words(before, name) if name in contacts else name
    findings = remove(name)
    gone = len(contacts) - len(session.scene.contacts) - (name in contacts)
    along = f" {gone} contact{'s' if gone > 1 else ''} went with it." if gone else ""
    rest = [told(finding, before) for finding in findings if finding.kind not in WENT_WITH_IT]
    more = f" Changed as well: {', '.join(rest[:MOST])}{' …' if len(rest) > MOST else ''}." if rest else ""
    return Message("good", f"Deleted {what}.{along}{more}")

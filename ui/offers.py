"""What a right click offers: entries of a menu as data, greyed with their reason where they cannot be done. No widgets
here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from hoi_edit.editing.document import Document
from hoi_edit.scene import Contact
from hoi_edit.simulation import Rollout
from ui.editor import Editor
from ui.naming import plain
from ui.timeline import Mark

NEAR = 0.35  # [s] around a time in which an event is meant by "here"


@dataclass(frozen=True)
class Entry:
    label: str
    do: Callable[[], None] | None  # None: it cannot be done, and the label says why


def of_place(editor: Editor, name: str | None, t: float) -> list[Entry]:
    """What can be done about a thing or a point of a body, here and now."""
    if name is None:
        return [Entry("Frame everything", editor.frame_all), Entry("Undo", editor.undo), Entry("Redo", editor.redo)]
    found = [
        Entry(f"Pin here at {t:.2f} s", lambda: editor.pin(name, t)),
        _lock(editor, name),
        Entry("Frame it", editor.frame_selected),
    ]
    if "/" not in name and editor.rollout is not None and name in editor.rollout.trajectories.chains:
        found += [*_of_thing(editor, name, t), Entry(f"Delete {name}", partial(editor.delete, name))]
    return found


def of_owner(editor: Editor, name: str) -> list[Entry]:
    """What can be done about something in the list of the scene."""
    scene = editor.scene
    hide = Entry("Show it" if name in editor.hidden else "Hide it", partial(editor.toggle_hidden, name))
    if scene is None or name in [own.name for own in scene.fixtures]:
        return [hide, Entry(f"Delete: {name} never moves, and stays", None)]
    return [
        Entry("Frame it", partial(_frame, editor, name)),
        hide,
        _lock(editor, name),
        Entry(f"Pin it at {editor.t:.2f} s", partial(editor.pin, name)),
        Entry(f"Delete {name}", partial(editor.delete, name)),
    ]


def of_mark(editor: Editor, mark: Mark) -> list[Entry]:
    found = [Entry("Go there", partial(editor.show_time, mark.object, mark.time))]
    if mark.retimes is not None:
        contact = mark.retimes.partition(":")[0]
        found.append(_to_playhead(editor, mark, mark.retimes))
        found.append(Entry(f"Pin {mark.object} there", partial(editor.pin, mark.object, mark.time)))
        found += _of_throw(editor, mark, contact) if mark.kind == "throw" else _of_contact(editor, mark, contact)
    if not mark.intended and mark.kind == "touch":
        found.append(_clear(editor, mark.object, mark.other, mark.time))
    return found


def in_the_way(rollout: Rollout, document: Document, thing: str, t: float) -> Contact | None:
    """The first contact that is kept and would come while a catch at this time holds the thing: with it there can be
    no such catch."""
    for own in rollout.model.scene.plan_of(thing):
        if own.time > t and own.id not in document.loose and (own.declared or own.id in rollout.happened):
            return own
    return None


def palms(editor: Editor) -> list[str]:
    scene = editor.scene
    if scene is None:
        return []
    return [
        f"{character.name}/{site.name}"
        for character in scene.characters
        for site in character.skeleton.sites
        if site.name.endswith("_palm")
    ]


def _frame(editor: Editor, name: str) -> None:
    editor.selected = name
    editor.frame_selected()


def _lock(editor: Editor, name: str) -> Entry:
    return Entry(
        "Unlock" if editor.is_locked(name) else "Lock: edits leave it as it is", lambda: editor.toggle_lock(name)
    )


def _to_playhead(editor: Editor, mark: Mark, retimes: str) -> Entry:
    playback = editor.playback
    low, high = editor.layout.room_of(mark, playback.start, playback.end)
    if low <= editor.t <= high:
        return Entry(f"Move it to the playhead, {editor.t:.2f} s", partial(editor.retime, retimes, editor.t))
    return Entry(f"Move it to the playhead: it can be from {low:.2f} to {high:.2f} s", None)


def _of_throw(editor: Editor, mark: Mark, contact: str) -> list[Entry]:
    locked = editor.is_locked(contact)
    words = "Unlock: edits may move it in time" if locked else "Lock: edits leave its time"
    return [Entry(words, partial(editor.toggle_lock, contact))]


def _of_contact(editor: Editor, mark: Mark, contact: str) -> list[Entry]:
    found = [
        Entry("Keep it where and when it is", partial(editor.keep_contact, contact)),
        Entry("Let it go: edits need not keep it", partial(editor.let_go, contact)),
    ]
    if mark.kind == "touch":
        words = "Have it obey its laws" if editor.bends(contact) else "Let edits bend how it bounces and rubs"
        found.append(Entry(words, partial(editor.toggle_bending, contact)))
    return [*found, Entry("Take it out of the plan", partial(editor.delete_contact, contact))]


def _of_thing(editor: Editor, name: str, t: float) -> list[Entry]:
    rollout = editor.rollout
    assert rollout is not None
    found: list[Entry] = []
    chain = rollout.trajectories.chains[name]
    if chain.span_at(t).kind == "flight":
        found += _catches(editor, rollout, name, t)
    else:
        began = [event.contact for event in chain.events if event.time <= t and event.kind == "grasp"]
        contact = began[-1] if began else name
        found.append(Entry(f"Release here, at {t:.2f} s", partial(editor.retime, f"{contact}:release", t)))
    for event in chain.events:
        if abs(event.time - t) >= NEAR:
            continue
        if event.intended and event.kind in ("grasp", "impact"):
            contact = str(event.contact)
            called = editor.called(contact)
            found.append(Entry(f"Keep {called} where and when it is", partial(editor.keep_contact, contact)))
            found.append(Entry(f"Let {called} go", partial(editor.let_go, contact)))
        elif not event.intended and event.kind == "impact" and event.other is not None:
            found.append(_clear(editor, name, event.other, event.time))
    misses = [miss for miss in rollout.near if miss.object == name and abs(miss.time - t) < NEAR]
    return found + [_clear(editor, name, miss.other, miss.time) for miss in misses]


def _catches(editor: Editor, rollout: Rollout, name: str, t: float) -> list[Entry]:
    """A catch, where there can be one; or else what was perhaps meant: the one that comes next, here and now."""
    later = None if editor.shown is None else in_the_way(rollout, editor.shown.document, name, t)
    if later is None:
        return [Entry(f"Catch here with {plain(site)}", partial(editor.catch, name, site, t)) for site in palms(editor)]
    called = editor.called(later.id)
    grey = Entry(f"Catch here: not as long as {called} is kept", None)
    if later.declared:
        return [grey]
    return [Entry(f"Move {called} here, to {t:.2f} s", partial(editor.retime, later.id, t)), grey]


def _clear(editor: Editor, name: str, other: str, t: float) -> Entry:
    return Entry(f"Keep clear of {plain(other)}", lambda: editor.keep_clear(name, other, t))

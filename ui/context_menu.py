"""What a right click offers: entries of a menu as data, greyed with their reason where they cannot be done. No widgets
here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from hoi_edit.edit.document import Document
from hoi_edit.edit.holds import SHORTEST
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Contact
from ui.editor import Editor
from ui.timeline.lanes import Mark
from ui.words import catch_candidates, lock_labels
from ui.words.catch_candidates import flying_near, palms_for
from ui.words.clearance_candidates import NEAR, partners
from ui.words.hit_candidates import hit_candidates
from ui.words.names import NOUNS, distance, plain
from ui.words.problems import is_unwanted
from ui.words.thing_status import Doing, doing, held_in, rests_on

MOST_BALLS = 4  # entries about what flies near a hand


@dataclass(frozen=True)
class MenuEntry:
    label: str
    do: Callable[[], None] | None  # None: it cannot be done, and the label says why
    apart: bool = False  # with a line above it


def of_place(editor: Editor, name: str | None, t: float) -> list[MenuEntry]:
    """What can be done about a thing or a point of a body, here and now."""
    if name is None:
        return [
            MenuEntry("Frame everything", editor.frame_all),
            MenuEntry("Undo", editor.undo),
            MenuEntry("Redo", editor.redo),
        ]
    entries = [MenuEntry("Pin it here", lambda: editor.pin(name, t)), _lock(editor, name)]
    entries.append(MenuEntry("Frame it", editor.frame_selected))
    rollout = editor.rollout
    if rollout is None:
        return entries
    if "/" in name:
        return entries + _of_part(editor, rollout, name, t)
    if name in rollout.trajectories.chains:
        delete = MenuEntry(f"Delete {name}", partial(editor.delete, name))
        return [*entries, *_of_thing(editor, rollout, name, t), *_apart([delete])]
    return entries


def of_owner(editor: Editor, name: str) -> list[MenuEntry]:
    """What can be done about something in the list of the scene."""
    scene = editor.scene
    hide = MenuEntry("Show it" if name in editor.hidden else "Hide it", partial(editor.toggle_hidden, name))
    if scene is None or name in [fixture.name for fixture in scene.fixtures]:
        return [hide, MenuEntry(f"Delete: {name} never moves, and stays", None)]
    return [
        MenuEntry("Frame it", partial(_frame, editor, name)),
        hide,
        _lock(editor, name),
        MenuEntry(f"Pin it at {editor.t:.2f} s", partial(editor.pin, name)),
        MenuEntry(f"Delete {name}", partial(editor.delete, name)),
    ]


def of_mark(editor: Editor, mark: Mark) -> list[MenuEntry]:
    entries = [MenuEntry("Go there", partial(editor.show_time, mark.object, mark.time))]
    if mark.retimes is not None:
        contact = mark.retimes.partition(":")[0]
        entries.append(_to_playhead(editor, mark, mark.retimes))
        entries.append(MenuEntry(f"Pin {mark.object} there", partial(editor.pin, mark.object, mark.time)))
        entries += _of_throw(editor, mark, contact) if mark.kind == "throw" else _of_contact(editor, mark, contact)
    rollout = editor.rollout
    lands = rollout is not None and rests_on(rollout, mark.object, mark.other)
    if not mark.intended and mark.kind == "touch" and not lands:
        entries.append(_mean(editor, mark.object, mark.other, mark.time))
        entries.append(_clear(editor, mark.object, mark.other, mark.time))
    return entries


def in_the_way(rollout: Rollout, document: Document, thing: str, t: float) -> Contact | None:
    """The first contact that is kept and would come while a catch at this time holds the thing: with it there can be
    no such catch."""
    for contact in rollout.model.scene.plan_of(thing):
        if (
            contact.time > t
            and contact.id not in document.loose
            and (contact.declared or contact.id in rollout.happened)
        ):
            return contact
    return None


def palms(editor: Editor) -> list[str]:
    return [] if editor.scene is None else catch_candidates.palms(editor.scene)


def _frame(editor: Editor, name: str) -> None:
    editor.selected = name
    editor.frame_selected()


def _lock(editor: Editor, name: str) -> MenuEntry:
    scene = editor.scene
    words = "Unlock" if editor.is_locked(name) or scene is None else lock_labels.offer(scene, name)
    return MenuEntry(words, lambda: editor.toggle_lock(name))


def _to_playhead(editor: Editor, mark: Mark, retimes: str) -> MenuEntry:
    playback = editor.playback
    low, high = editor.layout.room_of(mark, playback.start, playback.end)
    if low <= editor.t <= high:
        return MenuEntry(f"Move it to the playhead, {editor.t:.2f} s", partial(editor.retime, retimes, editor.t))
    return MenuEntry(f"Move it to the playhead: it can be from {low:.2f} to {high:.2f} s", None)


def _of_throw(editor: Editor, mark: Mark, contact: str) -> list[MenuEntry]:
    locked = editor.is_locked(contact)
    words = "Unlock: edits may move it in time" if locked else "Lock: its time stays as it is"
    return [MenuEntry(words, partial(editor.toggle_lock, contact))]


def _of_contact(editor: Editor, mark: Mark, contact: str) -> list[MenuEntry]:
    entries = [
        MenuEntry("Keep it where and when it is", partial(editor.keep_contact, contact)),
        MenuEntry("Let it go: edits need not keep it", partial(editor.let_go, contact)),
    ]
    if mark.kind == "touch":
        words = "Have it obey its laws" if editor.bends(contact) else "Let edits bend how it bounces and rubs"
        entries.append(MenuEntry(words, partial(editor.toggle_bending, contact)))
    return [*entries, MenuEntry("Take it out of the plan", partial(editor.delete_contact, contact))]


def _of_thing(editor: Editor, rollout: Rollout, name: str, t: float) -> list[MenuEntry]:
    now = doing(rollout, name, t)
    entries: list[MenuEntry] = []
    if now.kind == "flies":
        entries += _catches(editor, rollout, name, t)
    elif now.kind == "held":
        entries.append(_release(editor, name, "it", now, t))
    if now.kind != "held":
        entries += _hits(editor, rollout, name, t)
    for event in rollout.trajectories.chains[name].events:
        if abs(event.time - t) < NEAR and event.intended and event.kind in ("grasp", "impact"):
            contact, called = str(event.contact), f"its {NOUNS[event.kind]} at {event.time:.2f} s"
            entries.append(MenuEntry(f"Keep {called} where and when it is", partial(editor.keep_contact, contact)))
            entries.append(MenuEntry(f"Let {called} go", partial(editor.let_go, contact)))
        elif abs(event.time - t) < NEAR and is_unwanted(event, rollout.model.scene):
            entries.append(_mean(editor, name, str(event.other), event.time))
    clear = [_clear(editor, name, other, when) for other, when in partners(rollout, name, t).items()]
    return [*_apart(entries), *_apart(clear)]


def _of_part(editor: Editor, rollout: Rollout, name: str, t: float) -> list[MenuEntry]:
    """Of a hand: what it holds can be let go, and where it is empty it may catch what flies near."""
    held = held_in(rollout, name, t)
    if held:
        return _apart([_release(editor, thing, thing, now, t) for thing, now in held.items()])
    entries = []
    for thing, palm in flying_near(rollout, name, t).items():
        later = _later(editor, rollout, thing, t)
        if later is None:
            words = f"Catch {thing} here, {distance(palm.away)} away"
            entries.append(MenuEntry(words, partial(editor.catch, thing, palm.site, t)))
        else:
            same = rollout.model.world.frame_name(rollout.model.world.frame(later.carrier)) == palm.part
            entries += _instead(editor, rollout, thing, later, t, may_move=same and later.kind == "grasp")
    return _apart(entries[:MOST_BALLS])


def _release(editor: Editor, thing: str, called: str, now: Doing, t: float) -> MenuEntry:
    if t < now.start + SHORTEST:
        return MenuEntry(f"Release {called} here: it is only just held, from {now.start:.2f} s on", None)
    return MenuEntry(f"Release {called} here, at {t:.2f} s", partial(editor.release, thing, t))


def _mean(editor: Editor, thing: str, other: str, t: float) -> MenuEntry:
    return MenuEntry(f"Mean its touch of {plain(other)} at {t:.2f} s", partial(editor.mean, thing, t))


def _hits(editor: Editor, rollout: Rollout, name: str, t: float) -> list[MenuEntry]:
    """With what of a body is nearest."""
    near = hit_candidates(rollout, name, t)
    return [
        MenuEntry(f"Hit it with {plain(site)}, {distance(away)} away", partial(editor.hit, name, site, t))
        for site, away in near.items()
    ]


def _catches(editor: Editor, rollout: Rollout, name: str, t: float) -> list[MenuEntry]:
    """A catch, where there can be one; or else what was perhaps meant: the one that comes next, here and now."""
    if len(rollout.model.scene.thing(name).body.vertices) > 1:
        return [MenuEntry("Catch it here: hands can be brought to balls only", None)]
    later = _later(editor, rollout, name, t)
    if later is not None:
        return _instead(editor, rollout, "it", later, t)
    entries = []
    for palm in palms_for(rollout, name, t):
        if palm.holds:
            entries.append(MenuEntry(f"Catch it with {palm.words}: {palm.busy}", None))
        else:
            words = f"Catch it with {palm.words}, {distance(palm.away)} away"
            entries.append(MenuEntry(words, partial(editor.catch, name, palm.site, t)))
    return entries


def _later(editor: Editor, rollout: Rollout, thing: str, t: float) -> Contact | None:
    return None if editor.shown is None else in_the_way(rollout, editor.shown.document, thing, t)


def _instead(
    editor: Editor, rollout: Rollout, called: str, later: Contact, t: float, may_move: bool = True
) -> list[MenuEntry]:
    """What comes later, now; a catch of one's own there cannot be beside it."""
    when, noun = _time_of(rollout, later), NOUNS[later.kind]
    moves = may_move and not later.declared
    too = " as well" if moves else ""
    grey = MenuEntry(f"Catch {called} here{too}: not as long as its {noun} at {when:.2f} s is kept", None)
    if not moves:
        return [grey]
    verb = f"Catch {called} here" if later.kind == "grasp" else f"Have its {noun} now"
    instead = MenuEntry(f"{verb}: at {t:.2f} s instead of {when:.2f} s", partial(editor.retime, later.id, t))
    return [instead, grey] if called == "it" else [instead]


def _time_of(rollout: Rollout, contact: Contact) -> float:
    """When it happens, or else when it is meant to."""
    if contact.id not in rollout.happened:
        return float(contact.time)
    thing, k = rollout.happened[contact.id]
    return float(rollout.trajectories.chains[thing].events[k].time)


def _clear(editor: Editor, name: str, other: str, t: float) -> MenuEntry:
    return MenuEntry(f"Keep clear of {plain(other)}", lambda: editor.keep_clear(name, other, t))


def _apart(entries: list[MenuEntry]) -> list[MenuEntry]:
    """With a line above the first of them."""
    return [replace(entry, apart=k == 0) for k, entry in enumerate(entries)]

"""What a right click offers: entries of a menu as data, greyed with their reason where they cannot be done. No widgets
here."""

from __future__ import annotations

from functools import partial

from hoi_edit.rollout import Rollout
from hoi_edit.scene import is_level
from ui.editor import Editor
from ui.menus import hold_menu
from ui.menus.menu_entry import MenuEntry, apart
from ui.timeline.lanes import Mark
from ui.words import catch_candidates, lock_labels
from ui.words.clearance_candidates import NEAR, partners
from ui.words.names import NOUNS, plain
from ui.words.problems import is_unwanted
from ui.words.thing_status import rests_on


def of_place(editor: Editor, name: str | None, t: float) -> list[MenuEntry]:
    """What can be done about a thing or a point of a body, here and now."""
    if name is None:
        return [
            MenuEntry("Frame everything", editor.frame_all),
            MenuEntry("Undo", editor.undo),
            MenuEntry("Redo", editor.redo),
        ]
    if editor.scene is not None and name in [character.name for character in editor.scene.characters]:
        return of_owner(editor, name)
    entries = [MenuEntry("Pin it here", lambda: editor.pin(name, t)), _lock(editor, name)]
    entries.append(MenuEntry("Frame it", editor.frame_selected))
    rollout = editor.rollout
    if rollout is None:
        return entries
    if "/" in name:
        return [*entries, *apart(hold_menu.of_hand(editor, rollout, name, t)), *apart([_place(editor, name)])]
    if name in rollout.trajectories.chains:
        delete = MenuEntry(f"Delete {name}", partial(editor.delete, name))
        return [*entries, *_of_thing(editor, rollout, name, t), *apart([delete])]
    return entries


def of_owner(editor: Editor, name: str) -> list[MenuEntry]:
    """What can be done about something in the list of the scene."""
    scene = editor.scene
    hide = MenuEntry("Show it" if name in editor.hidden else "Hide it", partial(editor.toggle_hidden, name))
    still = next((fixture for fixture in scene.fixtures if fixture.name == name), None) if scene is not None else None
    if scene is None or (still is not None and is_level(still)):
        return [hide, MenuEntry(f"Delete: {name} stays, as people stand on it", None)]
    if still is not None:
        return [hide, MenuEntry(f"Delete {name}", partial(editor.delete, name))]
    person = name in [character.name for character in scene.characters]
    return [
        MenuEntry("Frame it", partial(_frame, editor, name)),
        hide,
        _lock(editor, name),
        MenuEntry(f"Pin it at {editor.t:.2f} s", partial(editor.pin, name)),
        *([_place(editor, name)] if person else []),
        MenuEntry(f"Rename {name} …", partial(editor.offer_name, name)),
        MenuEntry(f"Delete {name}", partial(editor.delete, name)),
    ]


def of_new_hold(editor: Editor, part: str, start: float, end: float) -> list[MenuEntry]:
    """Of a hold that was drawn in the lane of a hand: what is to be held."""
    return [] if editor.rollout is None else hold_menu.of_new_hold(editor, editor.rollout, part, start, end)


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
    entries = hold_menu.of_thing(editor, rollout, name, t)
    for event in rollout.trajectories.chains[name].events:
        if abs(event.time - t) < NEAR and event.intended and event.is_met:
            contact, called = str(event.contact), f"its {NOUNS[event.kind]} at {event.time:.2f} s"
            entries.append(MenuEntry(f"Keep {called} where and when it is", partial(editor.keep_contact, contact)))
            entries.append(MenuEntry(f"Let {called} go", partial(editor.let_go, contact)))
        elif abs(event.time - t) < NEAR and is_unwanted(event, rollout.model.scene):
            entries.append(_mean(editor, name, str(event.other), event.time))
    clear = [_clear(editor, name, other, when) for other, when in partners(rollout, name, t).items()]
    return [*apart(entries), *apart(clear)]


def _place(editor: Editor, name: str) -> MenuEntry:
    """The gizmo of whom a limb belongs to."""
    owner = name.partition("/")[0]
    return MenuEntry(f"Place {owner}: move and turn all of them", partial(editor.choose_person, owner))


def _mean(editor: Editor, thing: str, other: str, t: float) -> MenuEntry:
    return MenuEntry(f"Mean its touch of {plain(other)} at {t:.2f} s", partial(editor.mean, thing, t))


def _clear(editor: Editor, name: str, other: str, t: float) -> MenuEntry:
    return MenuEntry(f"Keep clear of {plain(other)}", lambda: editor.keep_clear(name, other, t))

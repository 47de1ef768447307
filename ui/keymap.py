"""What keys do, as data: one table of actions for the keyboard, the menus and Help. Chords are text: "ctrl+shift+z"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

MODIFIERS = ("ctrl", "alt", "shift")


@dataclass(frozen=True)
class Action:
    id: str
    label: str
    group: str
    chords: tuple[str, ...] = ()  # by default


ACTIONS: tuple[Action, ...] = (
    Action("open", "Open…", "File", ("ctrl+o",)),
    Action("save", "Save", "File", ("ctrl+s",)),
    Action("save_as", "Save as…", "File", ("ctrl+shift+s",)),
    Action("export", "Export…", "File", ("ctrl+e",)),
    Action("import_clip", "Import clip…", "File", ("ctrl+i",)),
    Action("add_ball", "Add ball…", "File"),
    Action("add_box", "Add box…", "File"),
    Action("add_bat", "Add bat…", "File"),
    Action("add_mesh", "Add mesh…", "File"),
    Action("quit", "Quit", "File", ("ctrl+q",)),
    Action("undo", "Undo", "Edit", ("ctrl+z", "z")),
    Action("redo", "Redo", "Edit", ("ctrl+shift+z", "ctrl+y", "shift+z")),
    Action("copy_python", "Copy as Python", "Edit", ("ctrl+shift+c",)),
    Action("pin", "Pin the selection here and now", "Edit", ("p",)),
    Action("lock", "Lock or unlock the selection", "Edit", ("l",)),
    Action("delete", "Delete the selection", "Edit", ("delete",)),
    Action("solve", "Make the plan come true", "Edit"),
    Action("preferences", "Preferences…", "Edit", ("ctrl+,",)),
    Action("bind_keys", "Change keys…", "Edit"),
    Action("cancel", "Abort the drag; else select nothing", "Edit", ("escape",)),
    Action("play", "Play or pause", "Time", ("space",)),
    Action("next_frame", "Next frame", "Time", ("right", ".")),
    Action("previous_frame", "Previous frame", "Time", ("left", ",")),
    Action("next_event", "Next event of the selection", "Time", ("ctrl+right",)),
    Action("previous_event", "Previous event of the selection", "Time", ("ctrl+left",)),
    Action("to_start", "To the start of the range", "Time", ("home",)),
    Action("to_end", "To the end of the range", "Time", ("end",)),
    Action("set_in", "The range begins here", "Time", ("i",)),
    Action("set_out", "The range ends here", "Time", ("o",)),
    Action("whole_range", "The range is all of the scene", "Time", ("shift+i",)),
    Action("loop", "Loop", "Time", ("shift+l",)),
    Action("confine", "Edits only from In to Out", "Time", ("shift+e",)),
    Action("frame_selected", "Frame the selection", "View", ("f",)),
    Action("frame_all", "Frame everything", "View", ("a", "shift+f")),
    Action("front", "Front", "View", ("1", "kp1")),
    Action("side", "Side", "View", ("3", "kp3")),
    Action("top", "Top", "View", ("7", "kp7")),
    Action("orthographic", "Orthographic", "View", ("5", "kp5")),
    Action("follow", "Follow the selection", "View", ("shift+v",)),
    Action("ghosts", "Ghosts", "View", ("g",)),
    Action("hand_paths", "Paths of hands", "View", ("h",)),
    Action("curves", "Curves", "View", ("c",)),
    Action("before", "Compare: show it without the edits", "View", ("b",)),
    Action("keys", "Keys", "Help", ("f1",)),
    Action("about", "About", "Help"),
)
BY_ID = {action.id: action for action in ACTIONS}


def chord(key: str, ctrl: bool = False, alt: bool = False, shift: bool = False) -> str:
    """A key with its modifiers, in the one order that we write them."""
    held = [name for name, down in zip(MODIFIERS, (ctrl, alt, shift), strict=True) if down]
    return "+".join([*held, key])


def normal(text: str) -> str:
    """A chord as a user may write it, in our order; ValueError if it is none."""
    parts = [part.strip().lower() for part in text.split("+")]
    *held, key = parts
    if not key or any(part not in MODIFIERS for part in held) or len(set(held)) != len(held) or key in MODIFIERS:
        raise ValueError(f"{text!r} is no key: write modifiers and a key, such as ctrl+shift+z")
    return chord(key, "ctrl" in held, "alt" in held, "shift" in held)


@dataclass(frozen=True)
class Keymap:
    """Chords of actions; what a user has not changed is as in ACTIONS."""

    changed: Mapping[str, tuple[str, ...]]

    @staticmethod
    def of(changed: Mapping[str, tuple[str, ...]]) -> Keymap:
        """From preferences: actions that do not exist and chords that are none are passed over."""
        good: dict[str, tuple[str, ...]] = {}
        for action, chords in changed.items():
            if action in BY_ID:
                try:
                    good[action] = tuple(normal(text) for text in chords)
                except ValueError:  # its default stays
                    continue
        return Keymap(good)

    def chords(self, action: str) -> tuple[str, ...]:
        return self.changed.get(action, BY_ID[action].chords)

    def action(self, pressed: str) -> str | None:
        """What a chord does. Of two actions the one that a user gave it wins."""
        mine = [action for action, chords in self.changed.items() if pressed in chords]
        others = [action.id for action in ACTIONS if action.id not in self.changed and pressed in action.chords]
        return next(iter([*mine, *others]), None)

    def rebound(self, action: str, *chords: str) -> Keymap:
        """With other keys for an action, which are taken from whatever had them."""
        wanted = tuple(normal(text) for text in chords)
        changed = {**self.changed, action: wanted}
        for other in ACTIONS:
            if other.id != action and set(self.chords(other.id)) & set(wanted):
                changed[other.id] = tuple(chord for chord in self.chords(other.id) if chord not in wanted)
        return replace(self, changed=changed)

    def shown(self, action: str) -> str:
        """The first chord, as menus write it: "Ctrl+Z"."""
        chords = self.chords(action)
        return "+".join(part.capitalize() for part in chords[0].split("+")) if chords else ""

    def words(self, action: str) -> str:
        """All chords, as Help writes them."""
        return "  ".join(_plain(chord) for chord in self.chords(action))

    def table(self) -> list[tuple[str, str, str]]:
        """(group, keys, what they do) of all actions."""
        return [(action.group, self.words(action.id), action.label.rstrip("…")) for action in ACTIONS]


def _plain(text: str) -> str:
    return "+".join(part.replace("kp", "keypad ").capitalize() for part in text.split("+"))

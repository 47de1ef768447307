"""What each action of `ui.keymap` does to the editor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ui.editor import Editor
from ui.timeline.lanes import stops_of
from ui.view import navigation

Action = Callable[[Editor], None]


def _step(frames: int) -> Action:
    def step(editor: Editor) -> None:
        editor.playback = editor.playback.stepped(frames)

    return step


def _look(view: str) -> Action:
    def look(editor: Editor) -> None:
        editor.look(view)

    return look


def _event(direction: int) -> Action:
    """To the next or previous event or keyframe of the selection, or event of anything if nothing is selected."""

    def go(editor: Editor) -> None:
        rollout, name = editor.rollout, editor.selected
        if rollout is None:
            return
        times = stops_of(rollout, name)
        ahead = [t for t in times if (t - editor.t) * direction > 1e-6]
        if ahead:
            t = ahead[0] if direction > 0 else ahead[-1]
            editor.playback = replace(editor.playback.at(t), playing=False)

    return go


def _play(editor: Editor) -> None:
    editor.playback = editor.playback.toggled()
    editor.take_hint()


def _loop(editor: Editor) -> None:
    editor.playback = replace(editor.playback, loop=not editor.playback.loop)


def _to(end: bool) -> Action:
    def go(editor: Editor) -> None:
        editor.playback = editor.playback.at(editor.playback.high if end else editor.playback.low)

    return go


def _frame(editor: Editor) -> float:
    """Here: playing stops anywhere, but a range begins and ends with a frame."""
    return editor.playback.snapped(editor.t) if editor.preferences.snap else editor.t


def _set_in(editor: Editor) -> None:
    editor.playback = editor.playback.ranged(first=_frame(editor))


def _set_out(editor: Editor) -> None:
    editor.playback = editor.playback.ranged(last=_frame(editor))


def _whole(editor: Editor) -> None:
    editor.playback = editor.playback.whole()


def _flatten(editor: Editor) -> None:
    editor.camera = navigation.flattened(editor.camera)


def _follow(editor: Editor) -> None:
    editor.following = not editor.following
    editor.say("info", "The camera follows the selection." if editor.following else "The camera stays where it is.")


def _ghosts(editor: Editor) -> None:
    editor.remember(replace(editor.preferences, ghosts=not editor.preferences.ghosts))


def _hand_paths(editor: Editor) -> None:
    editor.remember(replace(editor.preferences, hands=not editor.preferences.hands))


def _curves(editor: Editor) -> None:
    editor.curves = not editor.curves


def _dialog(name: str) -> Action:
    return lambda editor: editor.dialogs[name]()


ACTIONS: dict[str, Action] = {
    "open": _dialog("open"),
    "save": lambda editor: editor.save(),
    "save_as": _dialog("save_as"),
    "export": _dialog("export"),
    "import_clip": _dialog("import_clip"),
    "add_ball": _dialog("add_ball"),
    "add_box": _dialog("add_box"),
    "add_bat": _dialog("add_bat"),
    "add_mesh": _dialog("add_mesh"),
    "quit": _dialog("quit"),
    "undo": lambda editor: editor.undo(),
    "redo": lambda editor: editor.redo(),
    "copy_python": _dialog("copy_python"),
    "pin": lambda editor: editor.pin(),
    "lock": lambda editor: editor.toggle_lock(),
    "delete": lambda editor: editor.delete(),
    "solve": lambda editor: editor.solve(),
    "preferences": _dialog("preferences"),
    "bind_keys": _dialog("bind_keys"),
    "cancel": lambda editor: editor.abort(),
    "play": _play,
    "next_frame": _step(1),
    "previous_frame": _step(-1),
    "next_event": _event(1),
    "previous_event": _event(-1),
    "to_start": _to(end=False),
    "to_end": _to(end=True),
    "set_in": _set_in,
    "set_out": _set_out,
    "whole_range": _whole,
    "loop": _loop,
    "confine": lambda editor: editor.confine(),
    "frame_selected": lambda editor: editor.frame_selected(),
    "frame_all": lambda editor: editor.frame_all(),
    "front": _look("front"),
    "side": _look("right"),
    "top": _look("top"),
    "orthographic": _flatten,
    "follow": _follow,
    "ghosts": _ghosts,
    "hand_paths": _hand_paths,
    "curves": _curves,
    "before": lambda editor: editor.compare(),
    "keys": _dialog("keys"),
    "about": _dialog("about"),
}

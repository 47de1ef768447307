"""Keys of Dear PyGui by the names that `ui.keymap` uses."""

from __future__ import annotations

from collections.abc import Callable

import dearpygui.dearpygui as dpg

from ui.keymap import chord
from ui.view.navigation import Modifiers

_NAMED = {
    "Spacebar": "space", "Escape": "escape", "Left": "left", "Right": "right", "Up": "up", "Down": "down",
    "Home": "home", "End": "end", "Period": ".", "Comma": ",", "Delete": "delete", "Return": "enter", "Tab": "tab",
    "Plus": "+", "Minus": "-",
}  # fmt: skip


def _keys() -> dict[int, str]:
    names = {getattr(dpg, f"mvKey_{key}"): name for key, name in _NAMED.items()}
    names |= {getattr(dpg, f"mvKey_{letter}"): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"}
    names |= {getattr(dpg, f"mvKey_NumPad{digit}"): f"kp{digit}" for digit in range(10)}
    names[dpg.mvKey_NumPadEnter] = "enter"
    names |= {getattr(dpg, f"mvKey_F{number}"): f"f{number}" for number in range(1, 13)}
    return names


KEYS = _keys()


def modifiers() -> Modifiers:
    def down(*keys: int) -> bool:
        return any(dpg.is_key_down(key) for key in keys)

    # the constants of the Windows keys are out of date (RWin is always down), so only control counts
    return Modifiers(
        alt=down(dpg.mvKey_LAlt, dpg.mvKey_RAlt),
        shift=down(dpg.mvKey_LShift, dpg.mvKey_RShift),
        ctrl=down(dpg.mvKey_LControl, dpg.mvKey_RControl),
    )


def is_rolled_down(parent: int | str) -> bool:
    """Whether a combo in there shows its choices. Nobody says so, but it has no height of its own while it does."""
    inside = [parent]
    while inside:
        item = inside.pop()
        if dpg.get_item_type(item) == "mvAppItemType::mvCombo":
            width, height = dpg.get_item_rect_size(item)
            if width > 0 and height == 0:
                return True
        inside += [child for slot in dpg.get_item_children(item).values() for child in slot]
    return False


class Chords:
    """Keys with the modifiers that they were pressed with.

    Between two frames a key may go down and its modifier up: fingers often leave Ctrl first, and a frame may be slow.
    Only how keys are at the end of each frame is known, so a modifier that was down at the end of the one before
    counts as well.
    """

    def __init__(self, sample: Callable[[], Modifiers] = modifiers) -> None:
        self._sample = sample
        self._before = self._now = Modifiers()

    def frame_ended(self) -> None:
        self._before, self._now = self._now, self._sample()

    def pressed(self, key: int) -> str | None:
        """The chord that a key made in the last frame; None for keys that nothing is bound to."""
        if key not in KEYS:
            return None
        was, now = self._before, self._now
        return chord(KEYS[key], was.ctrl or now.ctrl, was.alt or now.alt, was.shift or now.shift)

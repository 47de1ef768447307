"""Keys of Dear PyGui by the names that `ui.keymap` uses."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from ui.keymap import chord
from ui.navigation import Modifiers

_NAMED = {
    "Spacebar": "space", "Escape": "escape", "Left": "left", "Right": "right", "Up": "up", "Down": "down",
    "Home": "home", "End": "end", "Period": ".", "Comma": ",", "Delete": "delete", "Return": "enter", "Tab": "tab",
    "Plus": "+", "Minus": "-",
}  # fmt: skip


def _keys() -> dict[int, str]:
    found = {getattr(dpg, f"mvKey_{own}"): name for own, name in _NAMED.items()}
    found |= {getattr(dpg, f"mvKey_{letter}"): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"}
    found |= {getattr(dpg, f"mvKey_NumPad{digit}"): f"kp{digit}" for digit in range(10)}
    found |= {getattr(dpg, f"mvKey_F{number}"): f"f{number}" for number in range(1, 13)}
    return found


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


def pressed(key: int) -> str | None:
    """The chord that a key makes with the modifiers that are down; None for keys that nothing is bound to."""
    if key not in KEYS:
        return None
    held = modifiers()
    return chord(KEYS[key], held.ctrl, held.alt, held.shift)

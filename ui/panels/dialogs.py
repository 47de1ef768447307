"""Windows above the window: questions, the list of keys, and what the program is."""

from __future__ import annotations

from collections.abc import Callable

import dearpygui.dearpygui as dpg

import hoi_edit as hoi
from ui import theme
from ui.keymap import Keymap
from ui.panels.styles import Fonts, accent_button, dialog
from ui.theme import Sizes

ENTER = (dpg.mvKey_Return, dpg.mvKey_NumPadEnter)
FRAMES = 3  # that a window needs to go
GUESS = 280  # [pt] high is a dialog that finds its own height
ABOUT = (
    "An editor for people and the things they throw, catch, kick and carry.\n\n"
    "Free software under the MIT licence, without any warranty.\n"
    "Its letters are DejaVu Sans. Dear PyGui, moderngl, JAX, NumPy and SciPy do much of the work."
)
Choice = tuple[str, Callable[[], None]]


class Dialogs:
    def __init__(self, sizes: Sizes, fonts: Fonts) -> None:
        self.sizes, self.fonts = sizes, fonts
        self.accent, self._look = accent_button(), dialog()
        self.window: int | None = None
        self._focus: int | str | None = None
        self._keys: Callable[[str], bool] | None = None  # what the dialog does with keys, and whether it wants them
        self._default: int | str | None = None  # the button that Enter presses
        self._given_up: Callable[[], None] | None = None  # what Escape and the cross mean, if more than to close
        self._fresh = True  # Enter was up since the dialog opened: one that is held answers one question only
        self._closed = 0  # frames since something that was open was closed
        self._hidden = False

    @property
    def is_open(self) -> bool:
        return self.window is not None and dpg.does_item_exist(self.window)

    def close(self) -> None:
        if self.is_open and self.window is not None:
            dpg.delete_item(self.window)
            self.make_way()
        self.window, self._focus, self._keys, self._default, self._given_up = None, None, None, None, None

    def give_up(self) -> None:
        """Escape, or the cross: no answer is an answer too."""
        given_up = self._given_up
        self.close()
        if given_up is not None:
            given_up()

    def make_way(self) -> None:
        """Something was closed: whatever opens now waits until it is gone, or it would go with it."""
        self._closed = FRAMES

    def refresh(self) -> None:
        self._closed = max(self._closed - 1, 0)
        self._fresh = self._fresh or not any(dpg.is_key_down(key) for key in ENTER)
        if self._hidden and self._closed == 0 and self.is_open and self.window is not None:
            self._hidden = False
            dpg.configure_item(self.window, show=True)
            if self._focus is not None:
                dpg.focus_item(self._focus)

    def focus(self, item: int | str) -> None:
        """Where letters go, once the dialog is there."""
        self._focus = item
        if not self._hidden:
            dpg.focus_item(item)

    def begin(self, title: str, width: int, guess: int = GUESS, given_up: Callable[[], None] | None = None) -> int:
        """A window that is as high as what is put into it; `guess` [pt] says where it begins."""
        self.close()
        self._given_up, self._fresh = given_up, False
        px = self.sizes.px
        across, down = dpg.get_viewport_client_width(), dpg.get_viewport_client_height()
        place = [max((across - px(width)) // 2, 0), max((down - px(guess)) // 3, 0)]
        self._hidden = self._closed > 0
        self.window = int(
            dpg.add_window(
                label=title, modal=True, no_resize=True, no_collapse=True, no_scrollbar=True, autosize=True,
                min_size=[px(width), px(60)], max_size=[px(width), max(down, px(200))],
                pos=place, show=not self._hidden, on_close=lambda *_: self.give_up(),
            )
        )  # fmt: skip
        dpg.bind_item_theme(self.window, self._look)
        return self.window

    def ask(self, title: str, words: str, choices: list[Choice], given_up: Callable[[], None] | None = None) -> None:
        """A question with an answer per button; the first is the one that is meant most often, and Enter's."""
        window = self.begin(title, 480, 140, given_up)
        dpg.add_text(words, parent=window, wrap=self.sizes.px(455))
        dpg.add_spacer(parent=window, height=self.sizes.px(8))
        with dpg.group(horizontal=True, parent=window):
            for k, (label, do) in enumerate(choices):
                button = dpg.add_button(label=label, callback=lambda *_, do=do: self._answer(do))
                if k == 0:
                    self.default(button)

    def _answer(self, do: Callable[[], None]) -> None:
        self.close()
        do()

    def take(self, pressed: str) -> bool:
        """A key, if the dialog that is open wants it; Enter presses the blue button."""
        if not self.is_open or (pressed == "enter" and not self._fresh):
            return False
        if self._keys is not None and self._keys(pressed):
            return True
        return pressed == "enter" and self._press()

    def default(self, button: int | str) -> None:
        """The blue button, which Enter presses."""
        self._default = button
        dpg.bind_item_theme(button, self.accent)

    def _press(self) -> bool:
        button = self._default
        if button is None or self._hidden or not dpg.is_item_enabled(button) or not dpg.is_item_shown(button):
            return False
        dpg.get_item_callback(button)()  # ours all do without the arguments that a click has
        return True

    def about(self) -> None:
        window = self.begin("About", 460)
        dpg.bind_item_font(dpg.add_text(f"hoi-edit {hoi.__version__}", parent=window), self.fonts.bold)
        dpg.add_text(ABOUT, parent=window, wrap=self.sizes.px(435))
        dpg.add_spacer(parent=window, height=self.sizes.px(4))
        done = dpg.add_button(label="Close", parent=window, width=self.sizes.px(100), callback=lambda *_: self.close())
        self.default(done)

    def keys(self, keymap: Keymap) -> None:
        window = self.begin("Keys", 600, 600)
        mouse = (
            ("Mouse", "Left drag", "Move a ball, a point of a flight, a limb"),
            ("Mouse", "Shift, Ctrl while dragging", "Along one axis; on the level"),
            ("Mouse", "X, Y, Z while dragging", "Along that axis"),
            ("Mouse", "Shift+X, Y, Z while dragging", "On the plane across that axis"),
            ("Mouse", "Drag a ring", "Turn the selection, if it is no ball"),
            ("Mouse", "Drag a mark of the timeline", "That catch, throw or touch at another time"),
            ("Mouse", "Drag a dot of a curve", "Another angle, or another place, then"),
            ("Mouse", "Drag a keyframe up or down", "How much a clip counts in a blend"),
            ("Mouse", "Drag the border of the viewport", "More room for it, or for its neighbours"),
            ("Mouse", "Double-click", "Pin it where it is"),
            ("Mouse", "Right-click", "What else can be done with it"),
            ("Mouse", "Alt+left, middle button", "Turn the camera"),
            ("Mouse", "Alt+middle, Shift+middle", "Move the camera"),
            ("Mouse", "Alt+right, wheel", "Zoom"),
        )
        down = dpg.get_viewport_client_height()
        high = min(self.sizes.px(560), down - self.sizes.px(90))
        with dpg.child_window(parent=window, border=False, height=high), dpg.table(header_row=False):
            dpg.add_table_column(width_fixed=True, init_width_or_weight=self.sizes.px(236))
            dpg.add_table_column(width_stretch=True)
            group = ""
            for heading, keys, what in (*mouse, *keymap.table()):
                if heading != group:
                    group = heading
                    with dpg.table_row():
                        title = dpg.add_text(heading)
                        dpg.bind_item_font(title, self.fonts.bold)
                        dpg.add_text("")
                with dpg.table_row():
                    dpg.add_text(keys, color=theme.FAINT)
                    dpg.add_text(what)

    def want_keys(self, take: Callable[[str], bool]) -> None:
        """The dialog that is open has a use for keys."""
        self._keys = take


def tell(item: int | str, words: str) -> None:
    """Words that are there only while there is something to say."""
    dpg.set_value(item, words)
    dpg.configure_item(item, show=bool(words))

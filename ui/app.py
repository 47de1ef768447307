"""The window: puts the panels together, and turns the wheel: input, time, panels, picture, sixty times a second."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

import hoi_edit as hoi
from ui import preferences, theme
from ui.editor import Editor
from ui.keymap import Keymap
from ui.menus import context_menu
from ui.menus.actions import ACTIONS
from ui.menus.menu_entry import MenuEntry
from ui.panels import menu
from ui.panels.blend_sliders import Blends
from ui.panels.constraints_view import Freedoms, Keeps
from ui.panels.curves_view import CurvesView
from ui.panels.dialogs import Dialogs
from ui.panels.document_dialogs import Questions
from ui.panels.export_view import ExportView
from ui.panels.history_view import HistoryView, Messages
from ui.panels.import_view import ImportView
from ui.panels.keyboard import Chords, is_rolled_down
from ui.panels.menu import Menu
from ui.panels.name_dialog import NameDialog
from ui.panels.outliner import Outliner
from ui.panels.preferences_view import PreferencesView
from ui.panels.problems_view import Problems
from ui.panels.properties import Properties
from ui.panels.splitters import Splitters
from ui.panels.status_line import StatusLine
from ui.panels.styles import bind_theme, load_fonts, narrow_window
from ui.panels.timeline_view import TimelineView
from ui.panels.transport import Transport
from ui.panels.viewport_view import ViewportView
from ui.panels.window_layout import SMALLEST, Places, Wanted, arrange
from ui.theme import Sizes
from ui.view.drag_plane import Along
from ui.view.viewport import Viewport
from ui.words.names import plain
from ui.worker.session_thread import Worker

WITHOUT_GPU = 1.0 / 25.0  # [s] a frame, at least: without a GPU it costs as much as a solve, and takes from it
PATIENT = 1.0 / 12.0  # [s] that such a frame waits for a new picture to show, and no longer: the pointer must not stick
RESTING = 1.0 / 20.0  # [s] a frame while nothing happens
PATIENCE = 10.0  # [s] with a graphics driver that has to be found first
TURNS = 0.0005  # [s] after which a thread lets others at Python: the solver asks for it a hundred times in a solve
AWAKE = 0.6  # [s] after the last sign of life


class App:
    def __init__(
        self, scene: str | None = None, width: int | None = None, height: int | None = None, scale: float = 1.0
    ) -> None:
        """`scale` is that of the screen, for the first start; later the preferences say."""
        settings, problem = preferences.load()
        if not settings.seen_hint and settings.scale == 1.0:
            settings = replace(settings, scale=scale)
        sys.setswitchinterval(TURNS)
        self.sizes = Sizes(settings.scale)
        viewport = Viewport(4 if settings.smooth_edges else 0)
        if viewport.ready(PATIENCE) and viewport.problem is not None:
            raise hoi.HoiError(viewport.problem)  # the window's own OpenGL would fail too, and end the process
        self.editor = Editor(Worker(), viewport, settings, Keymap.of(settings.keys))
        self.editor.hint = not settings.seen_hint
        self.editor.playback = replace(self.editor.playback, rate=float(settings.fps))
        self._awake = time.monotonic()
        self._last = time.monotonic()
        self._client: tuple[object, ...] = ()
        self._popup: int | None = None
        self._quitting = False
        self._chords = Chords()
        self._title = ""
        self._build(width or self.sizes.px(settings.window_width), height or self.sizes.px(settings.window_height))
        if problem is not None:
            self.editor.say("warning", problem)
        recent = settings.recent[:1] if settings.reopen else ()
        last = recent[0] if recent and Path(recent[0]).exists() else "juggle3"
        self.editor.open(scene or last)
        self.questions.ask_about_untitled()

    # -- building -----------------------------------------------------------------------------------------------------

    def _build(self, width: int, height: int) -> None:
        dpg.create_context()
        dpg.configure_app(manual_callback_management=True)
        self.fonts = fonts = load_fonts(self.sizes)
        bind_theme(self.sizes)
        self.dialogs = Dialogs(self.sizes, fonts)
        # Not the "primary window", which paints all of the screen a second time: without a GPU that costs as much as
        # the picture does.
        self.window = dpg.add_window(
            pos=(0, 0), menubar=True, no_title_bar=True, no_move=True, no_resize=True, no_scrollbar=True,
            no_scroll_with_mouse=True, no_background=True, no_bring_to_front_on_focus=True, no_saved_settings=True,
        )  # fmt: skip
        editor, sizes = self.editor, self.sizes
        self.menu = Menu(editor, self.act, self.open, self.window)
        with dpg.group(horizontal=True, parent=self.window):
            self.left = dpg.add_group()
            self.right = dpg.add_group()
        self.viewport = ViewportView(editor, sizes, fonts, self.left)
        self.transport = Transport(editor, sizes, fonts, self.left, self.act)
        self.timeline = TimelineView(editor, sizes, fonts, self.left)
        self.curves = CurvesView(editor, sizes, fonts, self.left, self.timeline)
        self.outliner = Outliner(editor, sizes, fonts, self.right)
        self.properties = Properties(editor, sizes, fonts, self.right)
        self.tabs = dpg.add_child_window(parent=self.right, border=False, always_use_window_padding=True)
        # the width of a child window is taken for that of the first tab in it, unless something comes before
        dpg.add_spacer(width=1, height=1, parent=self.tabs)
        with dpg.tab_bar(parent=self.tabs) as self.tab_bar:
            with dpg.tab(label="Kept") as keeps:
                self.keeps = Keeps(editor, sizes, fonts, keeps)
            with dpg.tab(label="Freedom") as freedoms:
                self.freedoms = Freedoms(editor, sizes, fonts, freedoms)
                self.blends = Blends(editor, sizes, fonts, freedoms)
            with dpg.tab(label="History") as history:
                self.history = HistoryView(editor, sizes, fonts, history)
            with dpg.tab(label="Log") as messages:
                self.problems = Problems(editor, sizes, fonts, messages, messages)
                self.messages = Messages(editor, sizes, fonts, messages)
        self.tab_items = {"Kept": keeps, "Freedom": freedoms, "History": history, "Log": messages}
        show_log = partial(dpg.set_value, self.tab_bar, messages)
        self.status = StatusLine(editor, sizes, fonts, self.window, show_log)
        self.questions = Questions(editor, self.dialogs, self.quit)
        self.export = ExportView(editor, self.dialogs)
        self.imports = ImportView(editor, self.dialogs, self.questions.leave)
        self.settings = PreferencesView(editor, self.dialogs)
        self.splitters = Splitters(editor, sizes)
        self.viewport.menu = self._menu_of
        self.timeline.menu, self.timeline.menu_of_lane = self._menu_of_mark, self._menu_of
        self.outliner.menu = self._menu_of_owner
        editor.offers = {"hold": self._menu_of_hold, "name": NameDialog(editor, self.dialogs).ask}
        editor.dialogs = {
            "open": lambda: self.questions.choose_file("Open", saving=False),
            "save_as": lambda: self.questions.choose_file("Save as", saving=True),
            "quit": self.questions.ask_to_quit,
            "copy_python": self._copy,
            "keys": self._show_keys,
            "about": self.dialogs.about,
            "export": self.export.ask,
            "import_clip": self.imports.choose_clip,
            "add_ball": lambda: self.imports.ask_thing("ball"),
            "add_box": lambda: self.imports.ask_thing("box"),
            "add_bat": lambda: self.imports.ask_thing("bat"),
            "add_mesh": self.imports.choose_mesh,
            "preferences": self.settings.ask,
            "bind_keys": self.settings.ask_keys,
        }
        with dpg.handler_registry():
            dpg.add_key_press_handler(callback=lambda _, key: self._key(key))
            dpg.add_mouse_wheel_handler(callback=lambda _, notches: self._wheel(notches))
        least = [min(self.sizes.px(small), wanted) for small, wanted in zip(SMALLEST, (width, height), strict=True)]
        dpg.create_viewport(title="hoi-edit", width=width, height=height, x_pos=0, y_pos=0, disable_close=True,
                            min_width=least[0], min_height=least[1], clear_color=theme.WINDOW)  # fmt: skip
        dpg.set_exit_callback(lambda *_: self.questions.ask_to_quit())
        dpg.setup_dearpygui()
        dpg.show_viewport()

    def _arrange(self) -> None:
        """Sizes of everything, when the window, the number of lanes, or a border that is dragged has changed."""
        width, height = dpg.get_viewport_client_width(), dpg.get_viewport_client_height()
        settings = self.editor.preferences
        lanes, rows = self.timeline.wanted_height(), self.outliner.wanted_height(self._rows())
        wanted = Wanted(lanes, rows, self.editor.curves, settings.side, settings.lower, self.properties.wanted_height())
        if (width, height, wanted) == self._client:
            return
        self._client = (width, height, wanted)
        dpg.configure_item(self.window, width=width, height=height)
        places = arrange(width, height, self.sizes, wanted)
        self.curves.show(places.curves > 0)
        self.timeline.show(places.timeline > 0)
        self.viewport.resize(places.left, places.picture)
        self.transport.fit(places.left)
        self.timeline.resize(places.left, places.timeline or places.curves)  # they share the axis of time
        self.curves.resize(places.left, places.curves or places.timeline)
        self._arrange_side(places)
        self.splitters.places, self.splitters.corner = places, (self.sizes.px(10), self.sizes.menu + self.sizes.px(1))

    def _arrange_side(self, places: Places) -> None:
        dpg.configure_item(self.outliner.window, width=places.side, height=places.outliner)
        dpg.configure_item(self.properties.window, width=places.side, height=places.properties)
        dpg.configure_item(self.tabs, width=places.side, height=places.tabs)
        # whole words: where the panels are narrow, the room around the words of tabs is, and beside them
        narrow = places.side < self.sizes.px(300)
        dpg.bind_item_theme(self.tabs, narrow_window(self.sizes) if narrow else 0)

    def _rows(self) -> int:
        scene = self.editor.scene
        return 3 if scene is None else len(scene.owners)

    # -- one turn of the wheel ----------------------------------------------------------------------------------------

    def step(self, dt: float | None = None) -> None:
        """One frame; `dt` is how much later it is, if that is not for the clock to say."""
        now = time.monotonic()
        passed, self._last = now - self._last, now
        dpg.run_callbacks(dpg.get_callback_queue())
        editor = self.editor
        editor.advance(min(passed, 0.25) if dt is None else dt)
        self.questions.ask_about_recovery()
        self.questions.go_on_when_saved()
        self._arrange()
        free = not self.dialogs.is_open and not self._has_popup() and not self.menu.is_open
        busy = editor.drag is not None or editor.moving or self.timeline.drag is not None
        free = not self.splitters.input(free and not busy) and free
        self.viewport.input(free)
        self.timeline.input(free)
        self.curves.input(free)
        for panel in (self.viewport, self.transport, self.timeline, self.curves, self.outliner, self.properties,
                      self.keeps, self.freedoms, self.blends, self.history, self.messages, self.menu, self.problems,
                      self.status, self.export, self.imports):  # fmt: skip
            panel.refresh()
        self._refresh_title()
        self.dialogs.refresh()
        dpg.render_dearpygui_frame()
        self._chords.frame_ended()

    def run(self) -> None:
        while dpg.is_dearpygui_running():
            began = time.monotonic()
            self.step()
            if self._quitting:
                break
            self.rest(began)
        self.close()

    def rest(self, began: float) -> None:
        """Wait until the next frame is due: without a GPU, until there is something new to see."""
        software, awake = self.editor.viewport.software, self._is_awake(began)
        quick = 1.0 / self.editor.preferences.frame_rate
        wanted = RESTING if not awake else max(quick, WITHOUT_GPU) if software else quick
        time.sleep(max(0.0, wanted - (time.monotonic() - began)))
        while software and awake and not self.viewport.has_news and time.monotonic() - began < PATIENT:
            time.sleep(0.004)

    def close(self, keep: bool = False) -> None:
        editor = self.editor
        width, height = (pixels / self.sizes.scale for pixels in (dpg.get_viewport_width(), dpg.get_viewport_height()))
        editor.remember(_with_size(editor.preferences, round(width), round(height)))
        self.export.close()
        editor.worker.close(keep)
        editor.viewport.close()
        dpg.destroy_context()

    def _is_awake(self, now: float) -> bool:
        editor = self.editor
        busy = editor.playback.playing or editor.drag is not None or not editor.worker.idle
        pointer = tuple(dpg.get_mouse_pos(local=False))
        if busy or not editor.viewport.is_up_to_date or pointer != getattr(self, "_pointer", None):
            self._awake = now
        self._pointer = pointer
        return now - self._awake < AWAKE

    def _refresh_title(self) -> None:
        shown = self.editor.shown
        title = "hoi-edit" if shown is None else f"{'* ' if shown.unsaved else ''}{shown.title} – hoi-edit"
        if title != self._title:
            self._title = title
            dpg.set_viewport_title(title)

    # -- input --------------------------------------------------------------------------------------------------------

    def act(self, action: str) -> None:
        ACTIONS[action](self.editor)

    def _key(self, key: int) -> None:
        pressed = self._chords.pressed(key)
        if pressed is None:
            return
        if pressed == "escape" and self._close_list():
            return
        if self.dialogs.is_open:
            if not self.settings.take(pressed) and not self.dialogs.take(pressed) and pressed == "escape":
                self.dialogs.give_up()
            return
        if self.properties.is_typed_into:
            return
        drag = self.editor.drag
        lock = _lock(pressed)
        if drag is not None and drag.begun and lock is not None:
            drag.key = None if drag.key == lock else lock
            return
        action = self.editor.keymap.action(pressed)
        if action == "cancel" and self.timeline.abort():
            return
        if action is not None and (drag is None or not drag.begun or action == "cancel"):  # hands are full otherwise
            self._close_popup()
            self.act(action)

    def _close_list(self) -> bool:
        """Escape first closes what has rolled down: a menu, or the choices of a field. Whether there was any."""
        top = self.dialogs.window if self.dialogs.is_open else None
        if top is not None or self.menu.is_open or self._has_popup() or is_rolled_down(self.transport.window):
            if top is not None and not is_rolled_down(top):
                return False
            if top is None and self._has_popup():
                self._close_popup()
            dpg.focus_item(self.window if top is None else top)  # whatever is above that goes
            return True
        return False

    def _wheel(self, notches: float) -> None:
        if not self.dialogs.is_open:
            self.viewport.wheel(notches)
            self.timeline.wheel(notches)
            self.curves.wheel(notches)

    def _has_popup(self) -> bool:
        if self._popup is not None and not dpg.does_item_exist(self._popup):
            self._popup = None
        return self._popup is not None and dpg.is_item_shown(self._popup) and dpg.is_item_visible(self._popup)

    def _close_popup(self) -> None:
        if self._popup is not None and dpg.does_item_exist(self._popup):
            dpg.delete_item(self._popup)
            self.dialogs.make_way()
        self._popup = None

    def _menu_of(self, name: str | None, t: float) -> None:
        self._close_popup()
        title = "Scene" if name is None else f"{plain(name)}, {t:.2f} s"
        self._popup = menu.show(title, context_menu.of_place(self.editor, name, t))

    def _menu_of_mark(self, mark: Any) -> None:
        self._close_popup()
        self._popup = menu.show(mark.words, context_menu.of_mark(self.editor, mark))

    def _menu_of_hold(self, part: str, start: float, end: float) -> None:
        self._close_popup()
        entries = context_menu.of_new_hold(self.editor, part, start, end)
        title = f"{plain(part)} holds, {start:.2f} to {end:.2f} s"
        self._popup = menu.show(title, entries or [MenuEntry("There is nothing to hold in this scene", None)])

    def _menu_of_owner(self, name: str) -> None:
        self._close_popup()
        self._popup = menu.show(name, context_menu.of_owner(self.editor, name))

    # -- what only a window can do ------------------------------------------------------------------------------------

    def open(self, scene: str) -> None:
        """Another scene or document; what is not saved is asked about first."""
        self.questions.open(scene)

    def quit(self) -> None:
        self._quitting = True
        dpg.stop_dearpygui()

    def _show_keys(self) -> None:
        self._close_popup()
        self.dialogs.keys(self.editor.keymap)

    def _copy(self) -> None:
        if self.editor.shown is not None:
            script = self.editor.shown.script
            dpg.set_clipboard_text(script)
            if "hoi.open(scene)" in script and self.editor.shown.file is None:
                self.editor.say(
                    "warning", "Copied, but the scene is in no file yet: save it, then the script can name it."
                )
            else:
                self.editor.say("good", "The edits so far are on the clipboard, as Python.")


def _lock(pressed: str) -> Along | None:
    locks: dict[str, Along] = {"x": "x", "y": "y", "z": "z", "shift+x": "yz", "shift+y": "xz", "shift+z": "xy"}
    return locks.get(pressed)


def _with_size(settings: preferences.Preferences, width: int, height: int) -> preferences.Preferences:
    """`width` and `height` are in points: on a screen with finer pixels, or at another scale, it looks as large."""
    if width < 300 or height < 300:
        return settings
    return replace(settings, window_width=width, window_height=height, seen_hint=True)

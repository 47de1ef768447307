"""The viewport in the window: shows the latest picture, and turns the mouse into drags and moves of the camera."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import dearpygui.dearpygui as dpg
import numpy as np

from ui import theme
from ui.editor import Editor
from ui.panels.compass_view import CompassView
from ui.panels.hint_view import HintView
from ui.panels.keyboard import modifiers
from ui.panels.mouse import pointer_in
from ui.panels.picture_texture import PictureTexture
from ui.panels.place_handles import PlaceHandles
from ui.panels.styles import Fonts, bare_window, text_width
from ui.theme import Sizes
from ui.view import navigation
from ui.view.drag_plane import Grab, lock_of
from ui.view.navigation import Button, Move
from ui.view.picking import FlightPoint, under_pointer
from ui.view.rotate_gizmo import Ring, ring_at, rings_around
from ui.view.scene_drawing import flight_on_screen, handle
from ui.view.viewport import Frame
from ui.words.names import plain

THRESHOLD = 3.0  # [px] before a press becomes a drag
DOUBLE, FRAMES = 0.35, 6  # [s] between the clicks of a double one, or frames where these are slow
BUTTONS: dict[Button, int] = {"left": 0, "right": 1, "middle": 2}


class ViewportView:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes, self.fonts = editor, sizes, fonts
        self.size = (64, 64)
        self.menu: Any = None  # opens the menu of a right click: (name, t)
        self._number = -1
        self._camera_move: Move | None = None
        self._last = (0.0, 0.0)
        self._pressed: tuple[float, float] | None = None
        self._clicked = (0.0, 0, (0.0, 0.0))
        self._frame = 0
        self._hover_key: Any = None
        self._overlay_key: Any = None
        self._angle = 0.0  # [rad] by which the ring was turned
        self._rings_of: Any = None  # what they are around, and they
        self._registry = dpg.add_texture_registry()
        self.window = dpg.add_child_window(parent=parent, no_scrollbar=True, no_scroll_with_mouse=True, border=False)
        dpg.bind_item_theme(self.window, bare_window())
        self.drawlist = dpg.add_drawlist(64, 64, parent=self.window)
        dpg.bind_item_font(self.drawlist, fonts.small)
        self._picture = dpg.add_draw_layer(parent=self.drawlist)
        self._texture: PictureTexture | None = None  # on show
        self._coming: PictureTexture | None = None  # a larger one, which takes its place once it shows what it should
        self.compass = CompassView(editor, sizes, self.drawlist)
        self.handles = PlaceHandles(editor, sizes, self.drawlist)
        self.hint = HintView(editor, sizes, fonts)
        self._overlay = dpg.add_draw_layer(parent=self.drawlist)

    # -- the picture --------------------------------------------------------------------------------------------------

    def resize(self, width: int, height: int) -> None:
        self.size = (max(width, 64), max(height, 64))
        dpg.configure_item(self.window, width=self.size[0], height=self.size[1])
        dpg.configure_item(self.drawlist, width=self.size[0], height=self.size[1])
        latest = self._coming or self._texture
        if latest is None or not latest.covers(*self.size):
            self._grow(latest)
        self._overlay_key = None

    def _grow(self, latest: PictureTexture | None) -> None:
        """A texture for pictures as large as this panel, and as any that there was before."""
        width, height = self.size
        if latest is not None:
            width, height = max(width, latest.width), max(height, latest.height)
        if self._coming is not None:
            self._coming.delete()
        self._coming = PictureTexture(width, height, self._registry, self._picture)
        frame = self.editor.viewport.frame
        if frame is not None:
            self._coming.write(frame.pixels)

    def _show_picture(self, frame: Frame | None) -> None:
        if frame is not None and frame.number != self._number:
            self._number = frame.number
            for texture in (self._texture, self._coming):
                if texture is not None:
                    texture.write(frame.pixels)
        if self._coming is not None and self._coming.is_ready():
            self._coming.show()
            if self._texture is not None:
                self._texture.delete()
            self._texture, self._coming = self._coming, None

    @property
    def has_news(self) -> bool:
        """Whether there is a picture that is not on the screen yet."""
        frame = self.editor.viewport.frame
        return frame is not None and frame.number != self._number

    def refresh(self) -> None:
        """Ask for what is to be seen, show what there is."""
        view = self.editor.view(self.size, self.sizes.scale)
        if view is not None:
            self.editor.viewport.show(view)
        frame = self.editor.viewport.frame
        self._show_picture(frame)
        self.compass.refresh(self.size, self._last)
        self.handles.refresh(self.size, self._last)
        self._draw_overlay()

    # -- words over the picture ---------------------------------------------------------------------------------------

    def _draw_overlay(self) -> None:
        editor = self.editor
        drag = editor.drag if editor.drag is not None and editor.drag.begun else None
        label = self._label()
        lock = None if drag is None or drag.along == "free" else drag.along
        opening = None if editor.shown is not None else self._waiting()
        problem = editor.viewport.problem
        muted = editor.shown is not None and editor.shown.muted
        rings = self._rings()
        lit = editor.drag.ring if editor.drag is not None else ring_at(rings, *self._last)
        round_it = None if not rings else (rings[0].points.tobytes(), None if lit is None else lit.name, self._angle)
        key = (self.size, label, lock, editor.hint, opening, problem, muted, self._last if label else None, round_it)
        if key == self._overlay_key:
            return
        self._overlay_key = key
        dpg.delete_item(self._overlay, children_only=True)
        width, height = self.size
        px = self.sizes.px
        for ring in rings:
            self._draw_ring(ring, lit is not None and lit.name == ring.name)
        if opening or problem:
            self._text_box(width / 2, height / 2, list(opening or ()) if problem is None else [problem], centred=True)
        elif editor.hint:
            self.hint.draw(self._overlay, self.size, below=muted)
        if muted:
            self._text_box(px(14), px(34), ["Without the edits (B shows them again)"])
        if label:
            x, y = min(self._last[0] + px(16), width - px(190)), min(self._last[1] + px(14), height - px(40))
            self._text_box(x, y, [label if lock is None else f"{label}   along {lock.upper()}"])

    def _waiting(self) -> tuple[str, ...]:
        """Where there is no scene yet, or where it could not be opened."""
        failed = [message for message in self.editor.messages if message.level == "error"]
        if failed and self.editor.worker.idle:
            return (
                "Nothing is open.",
                "The line below says what went wrong;",
                "File has documents and built-in scenes.",
            )
        return ("Opening the scene …",)

    @property
    def _line(self) -> float:
        return self.sizes.small_font + self.sizes.px(5)

    def _text_box(self, x: float, y: float, lines: list[str], centred: bool = False) -> None:
        px = self.sizes.px
        width = max(text_width(line, self.fonts.small, self.sizes.small_font) for line in lines) + 2 * px(10)
        height = len(lines) * self._line + px(11)
        if centred:
            x, y = x - width / 2, y - height / 2
        dpg.draw_rectangle(
            (x, y), (x + width, y + height), color=(255, 255, 255, 22), fill=(18, 20, 24, 205), rounding=px(6),
            parent=self._overlay,
        )  # fmt: skip
        for k, line in enumerate(lines):
            at = (x + px(10), y + px(7) + k * self._line)
            dpg.draw_text(at, line, size=self.sizes.small_font, color=theme.TEXT, parent=self._overlay)

    def _label(self) -> str | None:
        editor = self.editor
        if editor.drag is not None and editor.drag.ring is not None:
            about = "" if editor.drag.ring.name == "view" else f" about {editor.drag.ring.name.upper()}"
            return f"turned by {np.degrees(self._angle):.0f}°{about}"
        if editor.drag is not None and editor.drag.grab is None:
            return None  # its own panel says it
        if editor.drag is not None and editor.drag.begun:
            return f"{plain(editor.drag.name)}  {editor.drag.t:.2f} s"
        if editor.hovered is None or self._camera_move is not None:
            return None
        if editor.hovered_time is not None:
            return f"{editor.hovered}  at {editor.hovered_time:.2f} s"
        return plain(editor.hovered)

    # -- the mouse ----------------------------------------------------------------------------------------------------

    def pointer(self) -> tuple[float, float]:
        """In pixels of the picture."""
        return pointer_in(self.drawlist)

    def input(self, free: bool) -> None:
        """Once a frame; `free` says that no menu or dialog has the mouse."""
        self._frame += 1
        x, y = self.pointer()
        inside = free and dpg.is_item_hovered(self.drawlist)
        if self._camera_move is not None:
            self._move_camera(x, y)
        elif self.handles.pulling is not None:
            self.handles.go_on(x, y)
        elif self.editor.drag is not None:
            if self.editor.drag.grab is not None:
                self._go_on(x, y)
            elif self.editor.drag.ring is not None:
                self._turn(x, y)
        elif inside:
            self._hover(x, y)
            self._press(x, y)
        elif self.editor.hovered is not None and self._hover_key is not None:
            self.editor.hovered, self.editor.hovered_time, self._hover_key = None, None, None
        self._last = (x, y)

    def wheel(self, notches: float) -> None:
        if dpg.is_item_hovered(self.drawlist):
            self.editor.camera = navigation.wheeled(self.editor.camera, notches)

    def _press(self, x: float, y: float) -> None:
        keys = modifiers()
        for button, number in BUTTONS.items():
            if dpg.is_mouse_button_clicked(number):
                self._camera_move = navigation.move_of(button, keys)
                if self._camera_move is not None:
                    return
                if button == "left":
                    self._take_hold(x, y)
                elif button == "right":
                    self._open_menu(x, y)

    def _move_camera(self, x: float, y: float) -> None:
        editor = self.editor
        if not any(dpg.is_mouse_button_down(number) for number in BUTTONS.values()):
            self._camera_move, editor.moving = None, False
            return
        assert self._camera_move is not None
        dx, dy = x - self._last[0], y - self._last[1]
        if dx or dy:
            editor.moving = True
            editor.camera = navigation.moved(editor.camera, self._camera_move, dx, dy, self.size[1])

    def _hover(self, x: float, y: float) -> None:
        frame = self.editor.viewport.frame
        key = (x, y, None if frame is None else frame.number)
        if frame is None or key == self._hover_key:
            return
        self._hover_key = key
        self.editor.hovered, self.editor.hovered_time = self._under(frame, x, y)

    def _under(self, frame: Frame, x: float, y: float) -> tuple[str | None, float | None]:
        """What is meant under the pointer, and of a point of a flight its time."""
        if self.compass.at(x, y) is not None or self.hint.is_at(x, y):
            return None, None
        camera, size = frame.view.camera, self.size
        flights = [flight_on_screen(path, camera, size) for path in frame.paths]
        hit = under_pointer(frame.bodies, flights, camera, size, x, y, self.sizes.scale)
        if isinstance(hit, FlightPoint):
            return hit.name, hit.time
        if hit is None or "/" not in hit.name:
            return None if hit is None else hit.name, None
        return handle(frame.view, hit.name, hit.point), None

    def _take_hold(self, x: float, y: float) -> None:
        editor, frame = self.editor, self.editor.viewport.frame
        if frame is None or editor.rollout is None or self.compass.click(x, y) or self.hint.click(x, y):
            return
        if self.handles.press(x, y):
            return
        name, when = self._under(frame, x, y)
        ring = ring_at(self._rings(), x, y)
        if ring is not None and editor.selected is not None:
            editor.take(editor.selected, editor.t)
            editor.drag = replace(editor.drag, ring=ring) if editor.drag is not None else None
            self._pressed, self._angle = (x, y), 0.0
            return
        now, (last, frames, place) = time.monotonic(), self._clicked
        soon = now - last < DOUBLE or self._frame - frames <= FRAMES
        double = soon and abs(x - place[0]) + abs(y - place[1]) < 6.0
        self._clicked = (now, self._frame, (x, y))
        if name is None:
            editor.selected = None
            return
        t = editor.t if when is None else when
        if double:
            editor.pin(name, t)
            return
        point = editor.rollout.state(name, t).position
        editor.press(name, t, Grab(editor.camera, self.size, (x, y), point))
        self._pressed = (x, y)

    def _rings(self) -> tuple[Ring, ...]:
        """Around the selection; while it is turned, the one by which it is."""
        editor = self.editor
        if editor.drag is not None:
            return () if editor.drag.ring is None else (editor.drag.ring,)
        if editor.rollout is None or editor.playback.playing:
            return ()
        key = (editor.rollout, editor.selected, editor.t, editor.camera, self.size)
        if self._rings_of is None or self._rings_of[0][0] is not key[0] or self._rings_of[0][1:] != key[1:]:
            self._rings_of = key, rings_around(*key)
        return self._rings_of[1]

    def _turn(self, x: float, y: float) -> None:
        drag = self.editor.drag
        assert drag is not None and drag.ring is not None and self._pressed is not None
        if not dpg.is_mouse_button_down(0):
            self.editor.drop()
            return
        angle = drag.ring.angle(self._pressed, x, y)
        far = abs(x - self._pressed[0]) + abs(y - self._pressed[1]) > THRESHOLD * self.sizes.scale
        if angle != self._angle and (drag.begun or far):
            self._angle = angle
            self.editor.turn(angle)

    def _draw_ring(self, ring: Ring, lit: bool) -> None:
        """The near half strong, the far half a hint; the one in use yellow, as in other editors."""
        colour = theme.PLAYHEAD if lit else theme.AXES.get(ring.name, theme.faded(theme.TEXT, 0.45))
        whole, strong, scale = ring.points.tolist(), ring.near_side().tolist(), self.sizes.scale
        dpg.draw_polyline(whole, color=theme.faded(colour, 0.22), thickness=1.5 * scale, parent=self._overlay)
        if len(strong) > 1:
            dpg.draw_polyline(strong, color=(12, 14, 18, 110), thickness=4.5 * scale, parent=self._overlay)
            dpg.draw_polyline(strong, color=colour, thickness=(3.2 if lit else 2.2) * scale, parent=self._overlay)

    def _go_on(self, x: float, y: float) -> None:
        drag = self.editor.drag
        assert drag is not None and drag.grab is not None
        if not dpg.is_mouse_button_down(0):
            self.editor.drop()
            return
        assert self._pressed is not None
        far = abs(x - self._pressed[0]) + abs(y - self._pressed[1]) > THRESHOLD * self.sizes.scale
        if drag.begun or far:
            keys = modifiers()
            self.editor.pull(x, y, lock_of(drag.grab, x, y, keys.shift, keys.ctrl, drag.key))

    def _open_menu(self, x: float, y: float) -> None:
        frame = self.editor.viewport.frame
        if frame is not None and self.menu is not None:
            name, when = self._under(frame, x, y)
            if ring_at(self._rings(), x, y) is not None:  # it is of what is selected, whatever is behind it
                name, when = self.editor.selected, None
            if name is not None:
                self.editor.selected = name
            self.menu(name, self.editor.t if when is None else when)

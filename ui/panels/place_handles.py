"""The handles of a person who is selected, in the viewport: drawn, pulled, and what is asked for then."""

from __future__ import annotations

from typing import Any

import dearpygui.dearpygui as dpg
import numpy as np

from ui import theme
from ui.editor import Editor
from ui.theme import Colour, Sizes
from ui.view.place_gizmo import Handle, PlaceGizmo, gizmo_of

THRESHOLD = 3.0  # [px] before a press becomes a drag


class PlaceHandles:
    def __init__(self, editor: Editor, sizes: Sizes, drawlist: int | str) -> None:
        self.editor, self.sizes = editor, sizes
        self.gizmo: PlaceGizmo | None = None
        self.pulling: tuple[Handle, PlaceGizmo, tuple[float, float]] | None = None  # from where it was taken
        self._pull = (np.zeros(3), 0.0)
        self._begun = False
        self._made_for: Any = None
        self._key: Any = None
        self._layer = dpg.add_draw_layer(parent=drawlist)

    def refresh(self, size: tuple[int, int], pointer: tuple[float, float]) -> None:
        self._make(size)
        gizmo, lit = self.gizmo, self.at(*pointer)
        key = (id(gizmo), lit, self._pull[0].tobytes(), self._pull[1], self.pulling is not None)
        if key == self._key:
            return
        self._key = key
        dpg.delete_item(self._layer, children_only=True)
        if gizmo is not None:
            self._draw(gizmo.moved(self._pull[0]), lit)

    def _make(self, size: tuple[int, int]) -> None:
        """Where they are; while they are pulled, where they were."""
        editor, rollout = self.editor, self.editor.rollout
        if self.pulling is not None:
            self.gizmo = self.pulling[1]
            return
        if editor.drag is not None or editor.playback.playing or rollout is None:
            self.gizmo, self._made_for = None, None
            return
        key = (id(rollout), editor.selected, editor.t, editor.camera, size)
        if key != self._made_for:
            self._made_for, self.gizmo = key, gizmo_of(rollout, editor.selected, editor.t, editor.camera, size)

    def at(self, x: float, y: float) -> Handle | None:
        if self.pulling is not None:
            return self.pulling[0]
        return None if self.gizmo is None else self.gizmo.handle_at(x, y)

    def press(self, x: float, y: float) -> bool:
        """The button went down; whether it did on a handle."""
        handle = self.at(x, y)
        if handle is None or self.gizmo is None:
            return False
        self.pulling, self._begun = (handle, self.gizmo, (x, y)), False
        return True

    def go_on(self, x: float, y: float) -> None:
        """As long as the button is down, and when it goes up."""
        assert self.pulling is not None
        handle, gizmo, start = self.pulling
        if not dpg.is_mouse_button_down(0):
            self.let_be()
            if self._begun:
                self.editor.drop()
            return
        if self._begun and self.editor.drag is None:  # Escape
            return
        self._begun = self._begun or abs(x - start[0]) + abs(y - start[1]) > THRESHOLD * self.sizes.scale
        if self._begun:
            self._pull = gizmo.pulled(handle, start, x, y)
            self.editor.place_person(gizmo.character, gizmo.centre, *self._pull)

    def let_be(self) -> None:
        self.pulling, self._pull, self._made_for = None, (np.zeros(3), 0.0), None

    def _draw(self, gizmo: PlaceGizmo, lit: Handle | None) -> None:
        scale, text = self.sizes.scale, theme.faded(theme.TEXT, 0.75)
        self._line(gizmo.ring.points, theme.PLAYHEAD if lit == "turn" else theme.AXES["y"], lit == "turn")
        disc = gizmo.disc.tolist()
        fill = theme.faded(theme.PLAYHEAD if lit == "xz" else theme.TEXT, 0.4)
        dpg.draw_polygon(disc, color=theme.PLAYHEAD if lit == "xz" else text, fill=fill, thickness=1.2 * scale,
                         parent=self._layer)  # fmt: skip
        for axis in ("x", "z"):
            colour = theme.PLAYHEAD if lit == axis else theme.AXES[axis]
            shaft, head = gizmo.arrow(axis)
            self._line(shaft, colour, lit == axis)
            dpg.draw_triangle(*head.tolist(), color=colour, fill=colour, parent=self._layer)
        if abs(self._pull[1]) > 0.0:
            self._draw_turn(gizmo)

    def _draw_turn(self, gizmo: PlaceGizmo) -> None:
        """How far it is turned, as a piece of the ring's disc, from where the pointer took it."""
        assert self.pulling is not None
        points, angle = gizmo.ring.points[:-1], self._pull[1]
        start = int(np.linalg.norm(points - self.pulling[2], axis=1).argmin())
        count = round(abs(angle) / (2 * np.pi) * len(points))
        arc = [points[(start + int(np.sign(angle)) * k) % len(points)].tolist() for k in range(count + 1)]
        middle = gizmo.disc[:-1].mean(axis=0).tolist()
        if len(arc) > 1:
            dpg.draw_polygon([middle, *arc, middle], color=theme.faded(theme.PLAYHEAD, 0.6),
                             fill=theme.faded(theme.PLAYHEAD, 0.22), parent=self._layer)  # fmt: skip

    def _line(self, points: Any, colour: Colour, lit: bool) -> None:
        """With a dark rim, so that it is seen before anything."""
        scale = self.sizes.scale
        dpg.draw_polyline(points.tolist(), color=(12, 14, 18, 110), thickness=4.5 * scale, parent=self._layer)
        dpg.draw_polyline(points.tolist(), color=colour, thickness=(3.2 if lit else 2.2) * scale, parent=self._layer)

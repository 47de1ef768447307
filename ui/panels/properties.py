"""The selection in numbers with units: what it is, and where it is at this time."""

from __future__ import annotations

from typing import Any

import dearpygui.dearpygui as dpg
import numpy as np

from hoi_edit.simulation import Rollout
from ui import theme
from ui.editor import Editor
from ui.look import Fonts
from ui.theme import Sizes
from ui.timeline import plain

Row = tuple[str, str]


class Properties:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor = editor
        self._key: Any = None
        self.window = dpg.add_child_window(parent=parent, border=False, always_use_window_padding=True)
        self.title = dpg.add_text("Selection", parent=self.window)
        dpg.bind_item_font(self.title, fonts.bold)
        self.table = dpg.add_table(parent=self.window, header_row=False, policy=dpg.mvTable_SizingFixedFit)
        dpg.add_table_column(parent=self.table, width_fixed=True, init_width_or_weight=sizes.px(104))
        dpg.add_table_column(parent=self.table, width_stretch=True)
        self._cells: list[tuple[int, int, int]] = []

    def refresh(self) -> None:
        editor, rollout = self.editor, self.editor.rollout
        key = (id(rollout), editor.selected, editor.t)
        if key == self._key:
            return
        self._key = key
        if rollout is None:
            return
        title, rows = described(rollout, editor.selected, editor.t)
        dpg.set_value(self.title, title)
        while len(self._cells) < len(rows):  # rows are kept and filled anew: making them each frame is slow
            with dpg.table_row(parent=self.table) as row:
                self._cells.append((int(row), int(dpg.add_text("", color=theme.FAINT)), int(dpg.add_text(""))))
        for k, (row, left, right) in enumerate(self._cells):
            dpg.configure_item(row, show=k < len(rows))
            name, value = rows[k] if k < len(rows) else ("", "")
            dpg.set_value(left, name)
            dpg.set_value(right, value)


def described(rollout: Rollout, name: str | None, t: float) -> tuple[str, list[Row]]:
    """A title and rows of name and value."""
    scene = rollout.model.scene
    if name is None:
        unwanted = sum(event.kind == "impact" and not event.intended for event in rollout.events)
        return scene.name, [
            ("length", f"{scene.end - scene.start:.2f} s"),
            ("contacts", f"{len(scene.contacts)} intended"),
            ("missed", str(len(rollout.missed)) if rollout.missed else "none"),
            ("unwanted", str(unwanted) if unwanted else "none"),
            ("gravity", f"{-scene.gravity[1]:.2f} m/s²"),
        ]
    if "/" in name:
        return plain(name), _state_rows(rollout, name, t)
    if name in rollout.trajectories.chains:
        return name, _thing_rows(rollout, name, t)
    for character in scene.characters:
        if character.name == name:
            mass = float(np.sum(character.skeleton.inertias.mass))
            return name, [
                ("joints", str(len(character.skeleton.names))),
                ("freedom", f"{character.skeleton.n_dofs} degrees"),
                ("mass", f"{mass:.1f} kg"),
                *_material_rows(character.material),
            ]
    fixture = next((own for own in scene.fixtures if own.name == name), None)
    return name, [] if fixture is None else _material_rows(fixture.material)


def _thing_rows(rollout: Rollout, name: str, t: float) -> list[Row]:
    thing = rollout.model.scene.thing(name)
    radius = float(thing.body.radius) if len(thing.body.vertices) == 1 else float(thing.body.reach)
    return [
        ("now", _doing(rollout, name, t)),
        ("mass", _mass(float(np.asarray(thing.body.mass)))),
        ("radius" if len(thing.body.vertices) == 1 else "reach", f"{1000 * radius:.0f} mm"),
        *_material_rows(thing.material),
        *_state_rows(rollout, name, t),
    ]


def _doing(rollout: Rollout, name: str, t: float) -> str:
    chain = rollout.trajectories.chains[name]
    span = chain.span_at(t)
    if span.kind == "held":
        return f"in {plain(rollout.model.world.frame_name(span.frame))}" if span.frame >= 0 else "held"
    return f"flies, {span.end - span.start:.2f} s long" if span.kind == "flight" else "lies or rolls"


def _material_rows(material: Any) -> list[Row]:
    return [
        ("restitution", f"{float(np.asarray(material.restitution)):.2f}"),
        ("friction", f"{float(np.asarray(material.friction)):.2f}"),
    ]


def _state_rows(rollout: Rollout, name: str, t: float) -> list[Row]:
    state = rollout.state(name, t)
    return [
        ("position", f"{_vector(state.position)} m"),
        ("velocity", f"{_vector(state.velocity)} m/s"),
        ("speed", f"{np.linalg.norm(state.velocity):.2f} m/s"),
        ("spin", f"{np.linalg.norm(state.angular_velocity):.1f} rad/s"),
    ]


def _vector(values: Any) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def _mass(kilograms: float) -> str:
    return f"{kilograms:.2f} kg" if kilograms >= 1.0 else f"{1000 * kilograms:.0f} g"

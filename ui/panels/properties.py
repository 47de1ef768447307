"""The selection in numbers with units: what it is, and where it is at this time."""

from __future__ import annotations

from typing import Any

import dearpygui.dearpygui as dpg
import numpy as np

from hoi_edit.simulation import Rollout
from ui import theme
from ui.curves import joint_of
from ui.editor import Editor
from ui.look import Fonts
from ui.theme import Sizes
from ui.timeline import plain

Row = tuple[str, str]
VERBS = {"grasp": "is caught", "release": "is let go", "impact": "touches", "rest": "comes to rest"}


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
        return scene.name, _scene_rows(rollout, t)
    if "/" in name:
        return plain(name), [
            *_held_rows(rollout, name, t),
            *_state_rows(rollout, name, t),
            *_angle_rows(rollout, name, t),
        ]
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
                *_state_rows(rollout, f"{name}/{character.skeleton.names[0]}", t)[:3],
            ]
    fixture = next((own for own in scene.fixtures if own.name == name), None)
    return name, [] if fixture is None else _material_rows(fixture.material)


def _scene_rows(rollout: Rollout, t: float) -> list[Row]:
    scene = rollout.model.scene
    unwanted = sum(event.kind == "impact" and not event.intended for event in rollout.events)
    flying = [own for own, chain in rollout.trajectories.chains.items() if chain.span_at(t).kind == "flight"]
    coming = min((event for event in rollout.events if event.time > t), key=lambda event: event.time, default=None)
    return [
        ("length", f"{scene.end - scene.start:.2f} s"),
        ("gravity", f"{-scene.gravity[1]:.2f} m/s²"),
        ("variables", f"{len(rollout.u)} that edits may change"),
        ("contacts", f"{len(scene.contacts)} intended"),
        ("missed", str(len(rollout.missed)) if rollout.missed else "none"),
        ("unwanted", str(unwanted) if unwanted else "none"),
        ("in the air", ", ".join(flying[:4]) + (" …" if len(flying) > 4 else "") if flying else "nothing"),
        ("next", "nothing" if coming is None else f"{coming.object} {_does(coming.kind)} at {coming.time:.2f} s"),
    ]


def _does(kind: str) -> str:
    return VERBS.get(kind, kind)


def _held_rows(rollout: Rollout, name: str, t: float) -> list[Row]:
    """What a part of a body has in it."""
    held = [
        own
        for own, chain in rollout.trajectories.chains.items()
        if (span := chain.span_at(t)).kind == "held"
        and span.frame >= 0
        and rollout.model.world.frame_name(span.frame) == name
    ]
    return [("holds", ", ".join(held))] if held else []


def _angle_rows(rollout: Rollout, name: str, t: float) -> list[Row]:
    """How the joint of a limb is bent."""
    owner, _, point = name.partition("/")
    character = rollout.model.scene.character(owner)
    topology, joint = character.skeleton.topology, joint_of(character, point)
    pose = rollout.poses(owner, np.array([t]))[0]
    turns = [
        f"{dof.rpartition('.')[2][:1].upper()} {np.degrees(angle):.0f}°"
        for dof, own, kind, angle in zip(topology.dof_names, topology.dof_joints, topology.dof_kinds, pose, strict=True)
        if own == joint and kind == "rotation"
    ]
    return [("bent by", "  ".join(turns))] if turns else []


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

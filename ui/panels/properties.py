"""The selection in numbers with units: what it is, and where it is at this time. What a thing is can be typed anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dearpygui.dearpygui as dpg
import numpy as np
from numpy.typing import NDArray

from hoi_edit import Body
from hoi_edit.rollout import Rollout
from ui import theme
from ui.editor import Editor
from ui.panels.styles import Fonts
from ui.theme import Sizes
from ui.timeline.motion_curves import joint_of
from ui.words import thing_status
from ui.words.names import plain, shortened
from ui.words.problems import is_unwanted
from ui.words.property_fields import AXES, ORDER, Field, fields_of, place_fields

Row = tuple[str, str]
ROW = 27  # [pt] high
LETTERS = 27  # that fit beside the name of a value
VERBS = {"grasp": "is caught", "release": "is let go", "impact": "touches", "rest": "comes to rest"}
VERBS |= {"pass": "is passed to"}


@dataclass
class Input:
    """The widgets of one number, and which it is at the moment."""

    row: int
    name: int
    item: int
    unit: int
    field: Field | None = None
    owner: str | None = None


class Properties:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes = editor, sizes
        self._key: Any = None
        self._shown = (0, 0)  # rows of fields, and of words
        self.window = dpg.add_child_window(parent=parent, border=False, always_use_window_padding=True)
        self.title = dpg.add_text("Selection", parent=self.window)
        dpg.bind_item_font(self.title, fonts.bold)
        self._typed = dpg.add_table(parent=self.window, header_row=False, policy=dpg.mvTable_SizingFixedFit)
        for width in (104, 110, 30):
            dpg.add_table_column(parent=self._typed, width_fixed=True, init_width_or_weight=sizes.px(width))
        self.table = dpg.add_table(parent=self.window, header_row=False, policy=dpg.mvTable_SizingFixedFit)
        dpg.add_table_column(parent=self.table, width_fixed=True, init_width_or_weight=sizes.px(104))
        dpg.add_table_column(parent=self.table, width_stretch=True)
        self._cells: list[tuple[int, int, int]] = []
        self._fields = [self._input(sizes) for _ in (*ORDER, *AXES)]  # above the rest, and hidden where there are none

    def _input(self, sizes: Sizes) -> Input:
        with dpg.table_row(parent=self._typed, show=False) as row:
            name = dpg.add_text("", color=theme.FAINT)
            item = dpg.add_input_text(width=sizes.px(104), auto_select_all=True)
            unit = dpg.add_text("", color=theme.FAINT)
        entry = Input(int(row), int(name), int(item), int(unit))
        with dpg.item_handler_registry() as handlers:  # the edit is made when the field is left, not by each digit
            dpg.add_item_deactivated_after_edit_handler(callback=lambda *_: self._change(entry))
        dpg.bind_item_handler_registry(item, handlers)
        return entry

    def _change(self, entry: Input) -> None:
        typed, field, owner, self._key = str(dpg.get_value(entry.item)), entry.field, entry.owner, None
        if field is None or owner is None:
            return
        number = field.read(typed)
        if number is None:
            stays = f"{field.text} {field.unit}".strip()
            self.editor.say("warning", f"'{typed}' is no number: the {field.name} of {owner} stays {stays}.")
        elif field.differs(number) and field.name in AXES:
            place = [
                entry.field.shown for entry in self._fields if entry.field is not None and entry.field.name in AXES
            ]
            place[AXES.index(field.name)] = number
            self.editor.drag_to(owner, self.editor.t, place)
        elif field.differs(number):
            self.editor.change(owner, field.name, field.value(number))

    def wanted_height(self) -> int:
        """[px] for all rows that there are now."""
        px, (fields, rows) = self.sizes.px, self._shown
        return px(52) + (fields + rows) * px(ROW) + px(8)

    @property
    def is_typed_into(self) -> bool:
        """Whether keys are for a field; also of the one that ends it."""
        return any(dpg.is_item_active(entry.item) or dpg.is_item_deactivated(entry.item) for entry in self._fields)

    def field(self, name: str) -> int:
        """The widget of one of the selection's numbers."""
        return next(entry.item for entry in self._fields if entry.field is not None and entry.field.name == name)

    def _refresh_fields(self, rollout: Rollout) -> None:
        name = self.editor.selected
        owner = next((owner for owner in rollout.model.scene.owners if owner.name == name), None)
        fields = [] if owner is None else fields_of(owner)
        if name is not None and name in rollout.trajectories.chains:
            fields += place_fields(rollout.state(name, self.editor.t).position)
        self._shown = len(fields), self._shown[1]
        for k, entry in enumerate(self._fields):
            dpg.configure_item(entry.row, show=k < len(fields))
            if k >= len(fields):
                entry.field = None
            if k < len(fields) and not dpg.is_item_active(entry.item):
                entry.field, entry.owner = fields[k], name
                dpg.set_value(entry.name, fields[k].name)
                dpg.set_value(entry.item, fields[k].text)
                dpg.set_value(entry.unit, fields[k].unit)

    def refresh(self) -> None:
        editor, rollout = self.editor, self.editor.rollout
        # with what was said last: a number that is refused gives way to the one that holds
        key = (id(rollout), editor.selected, editor.t, id(editor.messages))
        if key == self._key:
            return
        self._key = key
        if rollout is None:
            return
        self._refresh_fields(rollout)
        title, rows = described(rollout, editor.selected, editor.t)
        self._shown = self._shown[0], len(rows)
        dpg.set_value(self.title, shortened(title, LETTERS + 10))
        while len(self._cells) < len(rows):  # rows are kept and filled anew: making them each frame is slow
            with dpg.table_row(parent=self.table) as row:
                self._cells.append((int(row), int(dpg.add_text("", color=theme.FAINT)), int(dpg.add_text(""))))
        for k, (row, left, right) in enumerate(self._cells):
            dpg.configure_item(row, show=k < len(rows))
            name, value = rows[k] if k < len(rows) else ("", "")
            dpg.set_value(left, name)
            dpg.set_value(right, shortened(value, LETTERS))


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
                ("can move in", f"{character.skeleton.n_dofs} ways"),
                ("mass", f"{mass:.1f} kg"),
                *_state_rows(rollout, f"{name}/{character.skeleton.names[0]}", t)[:3],
            ]
    return name, [("place", "never moves")]


def _scene_rows(rollout: Rollout, t: float) -> list[Row]:
    scene = rollout.model.scene
    declared = sum(contact.declared for contact in scene.contacts)
    unwanted = sum(is_unwanted(event, scene) for event in rollout.events)
    flying = [name for name, chain in rollout.trajectories.chains.items() if chain.span_at(t).flies]
    coming = min((event for event in rollout.events if event.time > t), key=lambda event: event.time, default=None)
    return [
        ("length", f"{scene.end - scene.start:.2f} s"),
        ("gravity", f"{-scene.gravity[1]:.2f} m/s²"),
        ("edits change", f"{len(rollout.u)} numbers"),
        ("contacts", f"{len(scene.contacts)} intended"),
        *([("by decree", f"{declared} of them")] if declared else []),
        ("missed", str(len(rollout.missed)) if rollout.missed else "not solved yet" if declared else "none"),
        ("unwanted", str(unwanted) if unwanted else "none"),
        ("in the air", _listed(flying)),
        ("next", "nothing" if coming is None else f"{coming.object} {_does(coming.kind)} at {coming.time:.2f} s"),
    ]


def _listed(names: list[str], letters: int = LETTERS) -> str:
    """As many names as fit, and how many more there are."""
    for count in range(len(names), 0, -1):
        more = f" and {len(names) - count} more" if count < len(names) else ""
        words = ", ".join(names[:count]) + more
        if len(words) <= letters:
            return words
    return f"{len(names)} things" if len(names) > 1 else names[0] if names else "nothing"


def _does(kind: str) -> str:
    return VERBS.get(kind, kind)


def _held_rows(rollout: Rollout, name: str, t: float) -> list[Row]:
    """What a part of a body has in it."""
    held = thing_status.held_in(rollout, name, t)
    return [("holds", ", ".join(held))] if held else []


def _angle_rows(rollout: Rollout, name: str, t: float) -> list[Row]:
    """How the joint of a limb is bent."""
    owner, _, point = name.partition("/")
    character = rollout.model.scene.character(owner)
    topology, joint = character.skeleton.topology, joint_of(character, point)
    pose = rollout.poses(owner, np.array([t]))[0]
    turns = [
        f"{dof.rpartition('.')[2][:1].upper()} {np.degrees(angle):.0f}°"
        for dof, dof_joint, kind, angle in zip(
            topology.dof_names, topology.dof_joints, topology.dof_kinds, pose, strict=True
        )
        if dof_joint == joint and kind == "rotation"
    ]
    return [("bent by", "  ".join(turns))] if turns else []


def _thing_rows(rollout: Rollout, name: str, t: float) -> list[Row]:
    """Where it is has fields of its own."""
    thing = rollout.model.scene.thing(name)
    solid = [_size(thing.body), _turned(rollout.state(name, t).rotation)] if thing.shape.turn_matters else []
    return [("now", thing_status.in_words(rollout, name, t)), *solid, *_state_rows(rollout, name, t)[1:]]


def _size(body: Body) -> Row:
    """Of a rod its length and thickness, of others how far they go along their own axes."""
    vertices, radius = np.asarray(body.vertices, float), float(body.radius)
    if len(vertices) == 2:
        length = float(np.linalg.norm(vertices[1] - vertices[0])) + 2 * radius
        return "size", f"{100 * length:.3g} cm long, {200 * radius:.3g} cm thick"
    sides = np.ptp(vertices, axis=0) + 2 * radius
    return "size", " × ".join(f"{100 * side:.3g}" for side in sides) + " cm"


def _turned(rotation: NDArray[np.float64]) -> Row:
    """About the axes of the world: X first, then Y, then Z."""
    x = np.arctan2(rotation[2, 1], rotation[2, 2])
    y = np.arctan2(-rotation[2, 0], np.hypot(rotation[2, 1], rotation[2, 2]))
    z = np.arctan2(rotation[1, 0], rotation[0, 0])
    return "turned", "  ".join(
        f"{axis} {np.degrees(angle) + 0.0:.0f}°" for axis, angle in zip("XYZ", (x, y, z), strict=True)
    )


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

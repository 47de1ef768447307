"""Dialogs for what comes in: a clip, with its place and its stretch, and a ball, a box or a mesh."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg
import numpy as np

from ui import theme
from ui.editor import Editor
from ui.panels.dialogs import Dialogs, tell
from ui.panels.file_dialog import FileDialog
from ui.panels.menu import palms
from ui.words.names import capital, plain, spoken, without_code
from ui.worker.import_job import (
    CLIPS,
    MESHES,
    UNITS,
    ClipFile,
    ClipWish,
    Kind,
    ThingWish,
    Unsaid,
    free_name,
    look_into,
    names_in,
)

NEW_SCENE, NEW_PERSON = "A new scene", "Another person in this scene"
NOBODY = "nobody: it flies"
FOUND, NO_JOINT = "as it looks", "not known"
SLOPING, LEVEL = "left as it slopes", "turned level"
KEPT, CUT = "left in it", "cut out: the longest stretch is kept"
HULL = "It touches, and is drawn, as its convex hull: holes and hollows are filled."
ASIDE = 0.7  # [m] from the middle of the picture
MILLI = 1e-3  # grams and millimetres, as among the properties
ROUND = {"ball": 50.0, "bat": 33.0}  # [mm] of their radius at first
LABEL = 190  # [pt] of the column of names
ROW = 30  # [pt] of a row
MOST = 3  # notices that are shown


class ImportView:
    def __init__(self, editor: Editor, dialogs: Dialogs, leave: Any) -> None:
        self.editor, self.dialogs, self._leave = editor, dialogs, leave
        self._found: ClipFile | None = None
        self._fields: dict[str, int] = {}

    def refresh(self) -> None:
        """A clip that was looked into gets its dialog."""
        clip, self._found = self._found, None
        if clip is not None:
            self._ask_clip(clip)

    def _folder(self) -> Path:
        """Where the last one came from; at first, where documents are."""
        last, recent = self.editor.preferences.imported_from, self.editor.preferences.recent
        if last and Path(last).is_dir():
            return Path(last)
        return Path(recent[0]).parent if recent else Path.cwd()

    def _remember(self, path: str) -> None:
        self.editor.remember(replace(self.editor.preferences, imported_from=str(Path(path).resolve().parent)))

    def _recent(self) -> list[Path]:
        return [Path(path).parent for path in self.editor.preferences.recent]

    # -- clips --------------------------------------------------------------------------------------------------------

    def choose_clip(self) -> None:
        FileDialog(self.dialogs, "Import a clip", self._folder(), False, self.look, CLIPS, recent=self._recent())

    def look(self, path: str) -> None:
        """Reading takes a while: the worker does it."""
        self._remember(path)

        def read(session: Any, tell: Any) -> None:
            self._found = look_into(path)

        self.editor.edit(f"Reading {Path(path).name}", read)

    def _ask_clip(self, clip: ClipFile) -> None:
        scene = self.editor.scene
        unsaid, told = clip.unsaid, [without_code(notice) for notice in clip.notices[:MOST]]
        asked = 2 + len(unsaid.parts) + unsaid.leaps + unsaid.slopes
        window = self._begin(f"Import {Path(clip.path).name}", 272 + ROW * asked + 40 * len(told))
        words = f"{clip.end - clip.start:.2f} s at {clip.rate:.0f} Hz, {clip.joints} joints."
        dpg.add_text(" ".join([words, *(f"{capital(notice)}." for notice in told)]),
                     parent=window, color=theme.FAINT, wrap=self.dialogs.sizes.px(470))  # fmt: skip
        people = [] if scene is None else [character.name for character in scene.characters]
        into = {NEW_PERSON: None, **{f"In place of {name}'s motion": name for name in people}}
        with self._table(window):
            self._row("It becomes", dpg.add_combo, "as", items=[NEW_SCENE, *into], default_value=NEW_PERSON)
            self._numbers("From, to [s] of the clip", "trim", (clip.start, clip.end))
            self._numbers("Begins at [s]", "at", (0.0 if scene is None else scene.start,))
            self._numbers("Moved by x, z [m]", "move", (0.0, 0.0))
            self._numbers("Turned by [°]", "turn", (0.0,))
            self._row("Its lengths are in", dpg.add_combo, "units", items=[FOUND, *unsaid.units], default_value=FOUND)
            self._row("Up is", dpg.add_combo, "up", items=[FOUND, *unsaid.up], default_value=FOUND)
            for part in unsaid.parts:
                label = f"Its {spoken(part)} is"
                self._row(label, dpg.add_combo, part, items=[NO_JOINT, *unsaid.joints], default_value=NO_JOINT)
            if unsaid.leaps:
                self._row("Its leaps are", dpg.add_combo, "cut", items=[KEPT, CUT], default_value=KEPT)
            if unsaid.slopes:
                self._row("Its floor is", dpg.add_combo, "level", items=[SLOPING, LEVEL], default_value=SLOPING)

        def accept() -> None:
            chosen = dpg.get_value(self._fields["as"])
            wish = ClipWish(
                clip.path, self._values("trim"), self._values("at")[0], self._values("move"), self._values("turn")[0],
                into.get(chosen), self._reading(unsaid),
            )  # fmt: skip
            problem = wish.problem()
            if problem is not None:
                tell(self._words, problem)
                return
            self.dialogs.close()
            if chosen == NEW_SCENE:
                self._leave(lambda: self.editor.worker.stage(Path(clip.path).name, wish.scene))
            else:
                self.editor.edit(f"Importing {Path(clip.path).name}", lambda s, tell: wish.into(s))

        self._end(window, "Import", accept)

    def _reading(self, unsaid: Unsaid) -> dict[str, Any]:
        """What is said about reading a clip, of what could be."""
        chosen = {key: dpg.get_value(field) for key, field in self._fields.items()}
        said = {key: chosen[key] for key in ("units", "up") if chosen[key] != FOUND}
        roles = {part: chosen[part] for part in unsaid.parts if chosen[part] != NO_JOINT}
        answers = {"cut": chosen.get("cut") == CUT, "level": chosen.get("level") == LEVEL}
        yes = {key: True for key, answer in answers.items() if answer}
        return said | ({"roles": roles} if roles else {}) | yes

    # -- things -------------------------------------------------------------------------------------------------------

    def choose_mesh(self) -> None:
        FileDialog(
            self.dialogs, "Add a mesh", self._folder(), False, self._ask_mesh, MESHES,
            recent=self._recent(),
        )  # fmt: skip

    def _ask_mesh(self, path: str) -> None:
        self._remember(path)
        self.ask_thing("mesh", path)

    def ask_thing(self, kind: Kind, path: str = "") -> None:
        editor, scene = self.editor, self.editor.scene
        if scene is None:
            return
        base_name = Path(path).stem if kind == "mesh" else kind
        window = self._begin(f"Add {Path(path).name}" if kind == "mesh" else f"Add a {kind}", 300)
        beside = np.add(editor.camera.target, ASIDE * editor.camera.axes[0])  # not inside of somebody
        place = tuple(round(float(x), 2) for x in beside)
        hands = {NOBODY: None, **{plain(site): site for site in palms(editor)}}
        with self._table(window):
            name = free_name(base_name, names_in(scene))
            self._row("Name", dpg.add_input_text, "name", default_value=name)
            self._numbers("Mass [g]", "mass", (200.0 if kind == "ball" else 1000.0,))
            if kind in ROUND:
                self._numbers("Radius [mm]", "radius", (ROUND[kind],))
            if kind == "bat":
                self._numbers("Length [mm]", "length", (850.0,))
            if kind == "box":
                self._numbers("Width, height, depth [mm]", "sides", (300.0, 300.0, 300.0))
            if kind == "mesh":
                self._row("The file's numbers are in", dpg.add_combo, "unit", items=list(UNITS), default_value="m")
            self._row("At the start held by", dpg.add_combo, "held", items=list(hands), default_value=NOBODY)
            self._numbers("else at x, y, z [m]", "position", place)
            self._numbers("flying at x, y, z [m/s]", "velocity", (0.0, 0.0, 0.0))
            self._numbers("Restitution, friction", "material", (0.5, 0.5))

        if kind == "mesh":
            dpg.add_text(HULL, parent=window, color=theme.FAINT, wrap=self.dialogs.sizes.px(470))

        def accept() -> None:
            restitution, friction = self._values("material")
            wish = ThingWish(
                kind, dpg.get_value(self._fields["name"]), self._values("mass", MILLI)[0],
                self._values("radius", MILLI)[0] if kind in ROUND else 0.05,
                self._values("sides", MILLI) if kind == "box" else (0.3, 0.3, 0.3), path, self._values("position"),
                self._values("velocity"), hands[dpg.get_value(self._fields["held"])], restitution, friction,
                unit=UNITS[dpg.get_value(self._fields["unit"])] if kind == "mesh" else 1.0,
                length=self._values("length", MILLI)[0] if kind == "bat" else 0.85,
            )  # fmt: skip
            problem = wish.problem(names_in(scene))
            if problem is not None:
                tell(self._words, problem)
                return
            self.dialogs.close()
            words = f"Added {wish.name.strip()}."
            editor.edit(f"Adding {wish.name.strip()}", lambda s, tell: wish.into(s), words)

        self._end(window, "Add", accept)

    # -- rows of a dialog ---------------------------------------------------------------------------------------------

    def _begin(self, title: str, height: int) -> int:
        self._fields = {}
        return self.dialogs.begin(title, 500, height)

    def _table(self, window: int) -> Any:
        table = dpg.table(parent=window, header_row=False)
        return _Columns(table, self.dialogs.sizes.px(LABEL))

    def _row(self, label: str, make: Any, key: str, **options: Any) -> None:
        with dpg.table_row():
            dpg.add_text(label, color=theme.FAINT)
            self._fields[key] = int(make(width=-1, **options))

    def _numbers(self, label: str, key: str, values: tuple[float, ...]) -> None:
        if len(values) == 1:
            self._row(label, dpg.add_input_float, key, default_value=values[0], step=0, format="%.4g")
        else:
            padded = [*values, *[0.0] * (4 - len(values))]
            self._row(label, dpg.add_input_floatx, key, default_value=padded, size=len(values), format="%.4g")

    def _values(self, key: str, scale: float = 1.0) -> Any:
        value = dpg.get_value(self._fields[key])
        size = dpg.get_item_configuration(self._fields[key]).get("size")
        return tuple(round(scale * float(x), 6) for x in (value[:size] if isinstance(value, list | tuple) else [value]))

    def _end(self, window: int, label: str, accept: Any) -> None:
        px = self.dialogs.sizes.px
        self._words = dpg.add_text("", parent=window, show=False, color=theme.WARNING, wrap=px(470))
        dpg.add_spacer(parent=window, height=px(4))
        with dpg.group(horizontal=True, parent=window):
            self.accept_button = dpg.add_button(label=label, width=px(100), callback=lambda *_: accept())
            self.dialogs.default(self.accept_button)
            dpg.add_button(label="Cancel", width=px(100), callback=lambda *_: self.dialogs.close())


class _Columns:
    """A table of two columns, names and fields."""

    def __init__(self, table: Any, width: int) -> None:
        self.table, self.width = table, width

    def __enter__(self) -> None:
        self.table.__enter__()
        dpg.add_table_column(width_fixed=True, init_width_or_weight=self.width)
        dpg.add_table_column(width_stretch=True)

    def __exit__(self, *problem: Any) -> None:
        self.table.__exit__(*problem)

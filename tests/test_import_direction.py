"""Who may import whom: `ui` → `hoi_edit` → `rigid` → `kinematics.rotation`, never back; and within each, part by part.

Every import statement counts, also inside functions and under `TYPE_CHECKING`, and so does `import_module("name")`.
Only between the parts of `hoi_edit` may a type be named that stands higher up.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = ("kinematics", "rigid", "hoi_edit", "ui")
OURS = {*PACKAGES, "tests", "bench", "data"}
WINDOW_LIBRARIES = {"dearpygui", "moderngl", "glcontext"}

# For each package, the dotted names of ours, outside itself, that it may import (and all that lies below them).
ALLOWED = {
    "kinematics": (),
    "rigid": tuple(
        f"kinematics.{name}" for name in ("rotation", "rotation_compiled", "packed_motion", "compiled", "errors")
    ),
    "hoi_edit": ("kinematics", "rigid"),
    "ui": ("hoi_edit",),
}
# The parts of `ui`, folders and single modules, from the bottom up: each may import those before it, and itself.
UI_PARTS = (
    "words", "theme", "preferences", "keymap", "shaders", "timeline", "view", "pictures", "worker",
    "editor", "menus", "panels", "app", "command",
)  # fmt: skip
# The parts of `hoi_edit` likewise; "hoi_edit" is what the package itself exports. Of `compiling` some is called by all,
# and the rest calls all.
CORE_PARTS = (
    "version", "reporting", "compiling.compile_jobs", "compiling.runtime", "motions", "scene",
    "simulate", "adjoint", "rollout",
    "truth", "qp", "constraints", "footwork", "edit", "verify", "files", "export", "session", "scenes", "juggling",
    "hoi_edit", "compiling", "commands", "cli", "__main__",
)  # fmt: skip
# The folders of the simulation likewise: kinds of spans know kinds of events, and searches for meetings know what comes
# of them, never the other way round.
SIMULATE_PARTS = ("search", "dynamics", "events", "spans", "meetings", "checks")
# The one door to the window: (module, name), and only inside a function, so that importing the module opens nothing.
DOOR = ("hoi_edit.export.ui_bridge", "ui")


# The verifier is worth something only as long as it computes everything itself. Constraints are records to it.
VERIFIER = "hoi_edit.verify"
NOT_VERIFIED_BY_THEMSELVES = (
    "hoi_edit.qp", "hoi_edit.adjoint", "hoi_edit.edit.sqp", "hoi_edit.motions.frame_motion",
    "hoi_edit.simulate.search", "hoi_edit.simulate.spans", "hoi_edit.simulate.events",
    "hoi_edit.simulate.meetings", "hoi_edit.simulate.run",
    "hoi_edit.simulate.loop", "hoi_edit.simulate.context", "hoi_edit.simulate.dynamics",
    "hoi_edit.simulate.world", "hoi_edit.simulate.packed_layouts",
    "hoi_edit.simulate.packed_states", "hoi_edit.simulate.contact_laws",
    "kinematics.forward", "kinematics.chains", "rigid.impact", "rigid.impact_compiled", "rigid.free_flight",
    "rigid.ballistics", "rigid.air_compiled", "rigid.tumble", "rigid.distance", "rigid.distance_compiled",
    "rigid.time_of_impact", "rigid.roots", "rigid.convex",
)  # fmt: skip


def below(name: str, parent: str) -> bool:
    return name == parent or name.startswith(parent + ".")


def imported_names(node: ast.AST, package: str) -> list[str]:
    """Full dotted names that one syntax node imports; `package` is where relative imports start."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) - level + 1]) if level else ""
            source = ".".join(part for part in (base, module) if part)
            return [f"{source}.{alias.name}" for alias in names]
        case ast.Call(
            func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return [name]
    return []


def imports(
    tree: ast.AST, package: str, in_function: bool = False, types: bool = True
) -> Iterator[tuple[int, str, bool]]:
    """(line, dotted name, is it inside a function) of every import below `tree`; without `types`, of those that run."""
    for node in ast.iter_child_nodes(tree):
        if not types and isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        for name in imported_names(node, package):
            yield getattr(node, "lineno", 0), name, in_function
        deferred = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from imports(node, package, deferred, types)


def is_below_in_window(module: str, name: str) -> bool:
    """Whether one part of `ui` may import another."""
    importer, imported = (dotted.split(".")[1:2] for dotted in (module, name))
    return bool(importer and imported) and UI_PARTS.index(imported[0]) <= UI_PARTS.index(importer[0])


def core_part(name: str) -> str:
    """Which part of `hoi_edit` a dotted name belongs to."""
    parts = name.split(".")[1:3]
    return next((part for part in (".".join(parts), *parts[:1]) if part in CORE_PARTS), "hoi_edit")


def upwards(source: str, module: str, is_package: bool = False) -> set[tuple[str, str]]:
    """(module, part) for each import in the text of a module of `hoi_edit` that points to a higher part."""
    package = module if is_package else module.rpartition(".")[0]
    here = CORE_PARTS.index(core_part(module))
    parts = {
        core_part(name) for _, name, _ in imports(ast.parse(source), package, types=False) if below(name, "hoi_edit")
    }
    return {(module, part) for part in parts if CORE_PARTS.index(part) > here}


def is_allowed(module: str, name: str, in_function: bool) -> bool:
    package, root = module.split(".")[0], name.split(".")[0]
    if below(module, VERIFIER) and any(below(name, other) for other in NOT_VERIFIED_BY_THEMSELVES):
        return False
    if root in WINDOW_LIBRARIES:
        return package == "ui"
    if package == root == "ui":
        return is_below_in_window(module, name)
    if root not in OURS or root == package:
        return True
    if in_function and module == DOOR[0] and below(name, DOOR[1]):
        return True
    return any(below(name, allowed) for allowed in ALLOWED[package])


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """One line for each import in the text of `module` that the rules forbid."""
    package = module if is_package else module.rpartition(".")[0]
    return [
        f"{module}:{line} imports {name}"
        for line, name, in_function in imports(ast.parse(source), package)
        if not is_allowed(module, name, in_function)
    ]


def modules() -> Iterator[tuple[Path, str, bool]]:
    for package in PACKAGES:
        for path in sorted((REPOSITORY / package).rglob("*.py")):
            parts = path.relative_to(REPOSITORY).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            yield path, ".".join(parts[:-1] if is_package else parts), is_package


def test_every_package_is_looked_at() -> None:
    assert {module.split(".")[0] for _, module, _ in modules()} == set(PACKAGES)


def test_imports_point_in_one_direction() -> None:
    found = [
        line for path, module, is_package in modules() for line in violations(path.read_text(), module, is_package)
    ]
    assert not found, "\n".join(found)


def test_the_parts_of_the_window_are_all_in_their_order() -> None:
    parts = {
        path.stem for path in (REPOSITORY / "ui").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert parts - {"__init__"} == set(UI_PARTS)


def test_the_parts_of_the_core_are_all_in_their_order() -> None:
    folder = REPOSITORY / "hoi_edit"
    parts = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert parts - {"__init__"} == {part.split(".")[0] for part in CORE_PARTS} - {"hoi_edit"}


def test_parts_of_the_core_import_only_what_is_below_them() -> None:
    seen = set()
    for path, module, is_package in modules():
        if below(module, "hoi_edit"):
            seen |= upwards(path.read_text(), module, is_package)
    assert seen == set()


def test_folders_of_the_simulation_import_only_what_is_below_them() -> None:
    for path, module, _ in modules():
        here = module.split(".")[2:3] if below(module, "hoi_edit.simulate") else []
        for _, name, _ in imports(ast.parse(path.read_text()), module.rpartition(".")[0], types=False):
            there = name.split(".")[2:3] if below(name, "hoi_edit.simulate") else []
            if {*here, *there} <= set(SIMULATE_PARTS) and here and there:
                assert SIMULATE_PARTS.index(there[0]) <= SIMULATE_PARTS.index(here[0]), f"{module} imports {name}"


def test_no_two_modules_import_each_other_in_the_window() -> None:
    """Within a folder too, and also under `TYPE_CHECKING` or in functions: `TopologicalSorter` raises on a cycle."""
    sources = {module: (path, is_package) for path, module, is_package in modules() if below(module, "ui")}
    graph = {}
    for module, (path, is_package) in sources.items():
        package = module if is_package else module.rpartition(".")[0]
        names = [name for _, name, _ in imports(ast.parse(path.read_text()), package)]
        graph[module] = {other for name in names for other in (name, name.rpartition(".")[0]) if other in sources}
    assert len(list(TopologicalSorter(graph).static_order())) == len(sources)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("kinematics.spline", "import rigid"),
        ("kinematics.spline", "from hoi_edit import scene"),
        ("kinematics.spline", "def late():\n    import ui.view.camera"),
        ("rigid.free_flight", "import kinematics"),
        ("rigid.free_flight", "from kinematics import Skeleton"),
        ("rigid.free_flight", "from kinematics.skeleton import Skeleton"),
        ("rigid.free_flight", "import kinematics.rotations_of_another_kind"),
        ("hoi_edit.session", "def late():\n    from ui import app"),
        ("hoi_edit.session", "import importlib\nimportlib.import_module('ui.app')"),
        ("hoi_edit.session", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import ui"),
        ("hoi_edit.session", "import tests.helpers"),
        ("hoi_edit.export.ui_bridge", "from ui import app"),
        ("hoi_edit.export.ui_bridge", "class Door:\n    import ui"),
        ("hoi_edit.export.ui_bridge", "def window():\n    import dearpygui.dearpygui"),
        ("hoi_edit.cli", "def window():\n    from ui import app"),
        ("hoi_edit.export.picture", "import moderngl"),
        ("hoi_edit.export.picture", "from ...ui import renderer"),
        ("hoi_edit.verify.independent_contact", "from rigid.impact_compiled import surface_impact"),
        ("hoi_edit.verify.gradient_checks", "from hoi_edit import adjoint"),
        ("ui.view.viewport", "from kinematics import rotation"),
        ("ui.view.viewport", "from ui import editor"),
        ("ui.words.names", "from ui.timeline.lanes import Lane"),
        ("ui.timeline.lanes", "def late():\n    from ui.panels import styles"),
        ("ui.worker.session_thread", "from ui.editor.editor_state import EditorState"),
        ("ui.view.viewport", "async def late():\n    import rigid.free_flight"),
    ],
)
def test_a_wrong_import_is_caught(module: str, source: str) -> None:
    assert len(violations(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("kinematics.io.bvh_read", "from ..rotation import exp\nfrom . import asf_amc\nimport numpy"),
        ("rigid.free_flight", "from kinematics import rotation"),
        ("rigid.free_flight", "from kinematics.rotation import exp\nimport kinematics.rotation as rotation"),
        ("hoi_edit.scene", "import kinematics\nfrom rigid.body import Body\nfrom .controls import Controls"),
        ("hoi_edit.export.ui_bridge", "def window():\n    from ui import app"),
        ("ui.view.renderer", "import moderngl\nimport hoi_edit as hoi\nfrom . import camera"),
        ("ui.panels.menu", "from ui.menus import context_menu\nfrom ui.words.names import plain"),
    ],
)
def test_a_right_import_passes(module: str, source: str) -> None:
    assert violations(source, module) == []


@pytest.mark.parametrize(
    ("module", "source", "part"),
    [
        ("hoi_edit.qp.step", "from hoi_edit.edit.sqp import solve", "edit"),
        ("hoi_edit.export.glb", "def late():\n    from hoi_edit import EditSession", "hoi_edit"),
        ("hoi_edit.files.container", "import hoi_edit", "hoi_edit"),
        ("hoi_edit.motions.base", "from ..scene import Scene", "scene"),
        ("hoi_edit.rollout", "from hoi_edit.compiling.warm_up import warm_up", "compiling"),
        ("hoi_edit.compiling.runtime", "from hoi_edit.motions import Motion", "motions"),
    ],
)
def test_an_import_from_a_higher_part_is_caught(module: str, source: str, part: str) -> None:
    assert upwards(source, module) == {(module, part)}


def test_what_is_below_and_types_from_above_may_be_imported() -> None:
    assert not upwards(
        "from hoi_edit.qp import solve\nfrom hoi_edit.edit.problem import EditProblem", "hoi_edit.edit.sqp"
    )
    assert not upwards("if TYPE_CHECKING:\n    from hoi_edit.session import EditSession", "hoi_edit.edit.sqp")


def test_a_relative_import_starts_at_the_package() -> None:
    """`from .x` means another thing in `a/__init__.py` than in `a/b.py`."""
    assert violations("from .ui import x", "hoi_edit", is_package=True) == []
    assert violations("from ..ui import x", "hoi_edit.motions", is_package=True) == []
    assert violations("from ...ui import x", "hoi_edit.motions.layer") == ["hoi_edit.motions.layer:1 imports ui.x"]


def test_importing_the_core_loads_neither_window_nor_plots() -> None:
    program = "import hoi_edit, json, sys; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    answer = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    loaded = set(json.loads(answer.stdout))
    assert "hoi_edit" in loaded
    assert loaded.isdisjoint({"ui", "matplotlib", "PIL", "pygltflib", *WINDOW_LIBRARIES})

"""Whether what a file holds is a history: what is not as it must be is told when it is opened, in one sentence that
names the entry, and not by whatever stumbles over it later.

Calls come to be Python (`session.script()`): they may only be of edits that there are, with arguments that these have.
"""

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from hoi_edit.edit.document import EDITS, OPEN
from hoi_edit.files.codec import shown
from hoi_edit.qp import Freedom
from hoi_edit.scene import Scene
from hoi_edit.scene.arguments import are_numbers, is_number, is_text
from hoi_edit.scene.controls import Layout, initial_controls
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.trajectory import Node
from kinematics.errors import HoiError


def check_history(parts: Mapping[str, Any], kind: type) -> None:
    """Of the parts of a document, with steps of this kind."""
    for name, wanted in (("scenes", Scene), ("steps", kind)):
        items = parts[name]
        if not isinstance(items, tuple) or not items:
            raise HoiError(f"{name} is {shown(items)}; there must be a list of them, and one at least")
        for k, item in enumerate(items):
            if not isinstance(item, wanted):
                raise HoiError(f"{name}[{k}] is {shown(item)}, which is none")
    now, count = parts["now"], len(parts["steps"])
    if not _is_number_below(now, count):
        raise HoiError(f"its history has {count} steps, and says that step {shown(now)} is shown")
    sizes = [_size(scene, f"scenes[{k}]") for k, scene in enumerate(parts["scenes"])]
    for k, step in enumerate(parts["steps"]):
        for problem in _problems(step, k, parts["scenes"], sizes):
            raise HoiError(f"steps[{k}].{problem}")


def _problems(step: Any, k: int, scenes: tuple[Scene, ...], sizes: list[int]) -> Iterator[str]:
    """What is wrong with a step; each is looked for only where what came before is right."""
    if not is_text(step.label):
        yield f"label is {shown(step.label)}; it must be text"
    yield from _of_call(step.method, step.arguments, first=k == 0)
    if not _is_number_below(step.scene, len(scenes)):
        yield f"scene is {shown(step.scene)}; there are {len(scenes)} scenes, counted from 0"
    scene, size = scenes[step.scene], sizes[step.scene]
    if not are_numbers(step.u, (size,)):
        yield f"u is {shown(step.u)}; scene {scene.name!r} has {size} numbers"
    yield from _of_nodes(step.nodes, scene)
    for what in ("constraints", "switched_off"):
        yield from _of_constraints(what, getattr(step, what))
    if not isinstance(step.freedom, Freedom):
        yield f"freedom is {shown(step.freedom)}, which is none"
    if not isinstance(step.loose, tuple) or not all(map(is_text, step.loose)):
        yield f"loose is {shown(step.loose)}; it must be a list of names"


def _of_call(method: Any, arguments: Any, first: bool) -> Iterator[str]:
    known = (OPEN,) if first else EDITS
    if not is_text(method) or method not in known:
        yield f"method is {shown(method)}, which is no edit; choose from: {', '.join(known)}"
    if not isinstance(arguments, dict):
        yield f"arguments is {shown(arguments)}; it must be values by name"
    names = _arguments(method)
    for name in arguments:
        if name not in names:
            choices = ", ".join(names) or "nothing"
            yield f"arguments has {shown(name)}, which {method} does not take; it takes {choices}"
    if first and "scene" not in arguments:
        yield "arguments lacks 'scene', which was opened"
    for name in names:
        if name.startswith("*") and not isinstance(arguments.get(name), tuple):
            yield f"arguments[{name!r}] is {shown(arguments.get(name))}; it must be a list"


@cache
def _arguments(method: str) -> tuple[str, ...]:
    """What an edit can be given, as calls have it."""
    from hoi_edit.session import EditSession  # which opens files

    if method == OPEN:
        return ("scene", "units", "up", "roles", "cut", "level")
    if method == "free":
        return tuple(field.name for field in fields(Freedom))
    parameters = [*inspect.signature(getattr(EditSession, method)).parameters.values()][1:]
    several = inspect.Parameter.VAR_POSITIONAL
    return tuple(
        f"*{parameter.name}" if parameter.kind is several else parameter.name
        for parameter in parameters
        if parameter.name != "progress"
    )


def _size(scene: Scene, place: str) -> int:
    """How many numbers a scene's controls have."""
    try:
        return Layout.of(initial_controls(scene)).size
    except Exception as error:  # of values that no check of its own is about
        why = " ".join(str(error).split()) or type(error).__name__
        raise HoiError(f"{place} has no controls: {why[:300]}") from error


def _of_nodes(nodes: Any, scene: Scene) -> Iterator[str]:
    if not isinstance(nodes, dict):
        yield f"nodes is {shown(nodes)}; it must be nodes by the names of contacts"
    known = {contact.id for contact in scene.contacts}
    for name, node in nodes.items():
        if name not in known:
            yield f"nodes has {shown(name)}, which is no contact of scene {scene.name!r}"
        if not isinstance(node, Node) or not is_number(node.time) or not _has_a_state(node):
            yield f"nodes[{name!r}] has no time, and no state (18 numbers) or pose"


def _has_a_state(node: Node) -> bool:
    if node.state is not None:
        return are_numbers(node.state, (STATE.width,))
    return are_numbers(node.position, (3,)) and are_numbers(node.rotation, (3, 3))


def _of_constraints(what: str, constraints: Any) -> Iterator[str]:
    if not isinstance(constraints, tuple):
        yield f"{what} is {shown(constraints)}; it must be a list of constraints"
    for k, constraint in enumerate(constraints):
        if not callable(getattr(constraint, "rows", None)):
            yield f"{what}[{k}] is {shown(constraint)}, which is no constraint"


def _is_number_below(value: Any, count: int) -> bool:
    return type(value) is int and 0 <= value < count

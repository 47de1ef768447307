"""A thing becomes another one of its kind: heavier, larger, bouncier or rougher; people and what stands still become
bouncier or rougher. What is kept is kept: hands and what they throw follow. What is too much for one go is approached
by and by, so that no contact is lost on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hoi_edit.constraints.lying import lying
from hoi_edit.edit.document import Document
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.plan_solver import Solved, run
from hoi_edit.edit.problem import EditProblem, surface_of
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.report import Report, changes
from hoi_edit.rollout import Model
from hoi_edit.scene import Character, Fixture, Held, Scene, Thing
from kinematics.errors import HoiError, unknown
from rigid.air import Air

SMALLEST = 1.0 / 16.0  # of the way
Owner = Thing | Character | Fixture


def values_of(owner: Owner) -> dict[str, float]:
    """What can be changed of something, as it is: a mass only things have, and a radius only balls."""
    material = owner.material
    numbers = {"restitution": material.restitution, "friction": material.friction}
    if isinstance(owner, Thing):
        numbers = {"mass": owner.body.mass, **numbers}
        if owner.shape.by_centre:
            numbers["radius"] = owner.body.radius
    return {name: float(np.asarray(value)) for name, value in numbers.items()}


def owner_of(scene: Scene, name: str) -> Owner:
    """Who or what has a material of its own."""
    for owner in scene.owners:
        if owner.name == name:
            return owner
    whole, slash, _ = name.partition("/")
    if slash and whole in [character.name for character in scene.characters]:
        raise HoiError(f"{name!r} has no material of its own: all of {whole!r} is of one, which can be changed")
    raise unknown("thing, person or fixture", name, [owner.name for owner in scene.owners])


def checked(scene: Scene, thing: Owner, wanted: Mapping[str, float]) -> dict[str, float]:
    """The numbers that are to be others, or one sentence about what is wrong with them."""
    now = values_of(thing)
    if not wanted:
        raise HoiError(f"nothing is to change about {thing.name!r}; give one of: {', '.join(now)}")
    for name, value in wanted.items():
        if name not in now:
            raise HoiError(f"the {name} of {thing.name!r} cannot be changed: it is no ball; what can: {', '.join(now)}")
        good, words = {
            "restitution": (0.0 <= value <= 1.0, "from 0 to 1"),
            "friction": (value >= 0.0, "0 or more"),
        }.get(name, (value > 0.0, "more than 0"))
        if not (np.isfinite(value) and good):
            raise HoiError(f"the {name} of {thing.name!r} must be {words}, not {value:g}")
    if "radius" in wanted and wanted["radius"] != now["radius"] and _is_held(scene, thing.name):
        raise HoiError(f"the radius of {thing.name!r} cannot be changed: hands that hold it lie on its surface")
    return {name: float(value) for name, value in wanted.items()}


def is_so(scene: Scene, name: str, wanted: Mapping[str, float]) -> bool:
    """Whether what is wanted of something is what it is already."""
    owner = owner_of(scene, name)
    now = values_of(owner)
    return all(now[what] == value for what, value in checked(scene, owner, wanted).items())


def _is_held(scene: Scene, thing: str) -> bool:
    grasps = [contact for contact in scene.contacts if contact.holds and contact.object == thing]
    return bool(grasps) or isinstance(scene.thing(thing).start, Held)


def altered(owner: Owner, wanted: Mapping[str, float]) -> Owner:
    """The same with other numbers."""
    if isinstance(owner, Thing):
        return altered_thing(owner, wanted)
    return replace(owner, material=replace(owner.material, **wanted))


def altered_thing(thing: Thing, wanted: Mapping[str, float]) -> Thing:
    """Moments of inertia follow, and so does what the air does to it."""
    values = {**values_of(thing), **wanted}
    was, body = values_of(thing), thing.body
    heavier, larger = values["mass"] / was["mass"], values.get("radius", 1.0) / was.get("radius", 1.0)
    moments = np.asarray(body.moments, float) * heavier * larger**2
    radius = values.get("radius", body.radius)
    material = replace(thing.material, restitution=values["restitution"], friction=values["friction"])
    return replace(
        thing,
        body=replace(body, mass=values["mass"], radius=radius, moments=moments),
        material=material,
        air=_in_air(thing.air, heavier, larger),
    )


def _in_air(air: Air | None, heavier: float, larger: float) -> Air | None:
    """Drag goes with the area, lift also with the radius, both against the mass."""
    if air is None:
        return None
    drag, magnus = np.asarray(air.drag, float), np.asarray(air.magnus, float)
    return replace(air, drag=drag * larger**2 / heavier, magnus=magnus * larger**3 / heavier)


def changed(
    model: Model, document: Document, iterate: Iterate, name: str, wanted: Mapping[str, float],
    progress: Listener | None = None,
) -> Solved:  # fmt: skip
    """All of it or, with a report of what holds it back, nothing."""
    owner = owner_of(model.scene, name)
    goal = checked(model.scene, owner, wanted)
    _check_locks(model, document, iterate, name, goal)
    start, share, piece = values_of(owner), 0.0, 1.0
    model_now, now, here, report = model, document, iterate, Report(True, 0.0, 0)
    while share < 1.0 and piece >= SMALLEST:
        next_share = min(share + piece, 1.0)
        between = {what: start[what] + next_share * (value - start[what]) for what, value in goal.items()}
        fresh, moved, aim = _with(model_now, now, here, altered(owner, goal if next_share == 1.0 else between))
        kept = EditProblem.of(fresh, aim, now.freedom, now.loose)
        report, solved, met = run(kept, moved, aim, now.constraints, f"change {name}", progress)
        if report.converged:
            model_now, now, here, share, piece = fresh, solved, met, next_share, 1.5 * piece
        else:
            piece *= 0.5
    if share < 1.0:
        return report, document, iterate
    return replace(report, events_changed=changes(iterate.rollout, here.rollout)), now, here


def _check_locks(model: Model, document: Document, iterate: Iterate, name: str, goal: Mapping[str, float]) -> None:
    """What lies on something is higher above it with another radius."""
    if "radius" not in goal or name not in [constraint.thing for constraint in lying(iterate.rollout)]:
        return
    place = model.layout[f"{name}.position"]
    locked = [lock.name for lock in document.freedom.locks if place.meant_by(lock.name)]
    if locked:
        raise HoiError(
            f"the radius of {name!r} cannot be changed while {locked[0]!r} is locked: it lies on something, and would "
            "start higher or lower; unlock it first"
        )
    window = document.freedom.window
    if window is not None and window.start > model.scene.start:
        raise HoiError(
            f"the radius of {name!r} cannot be changed in a window that begins at {window.start:g} s: it lies on "
            "something, and would start higher or lower; open the window first: session.window()"
        )


def _with(model: Model, document: Document, iterate: Iterate, owner: Owner) -> tuple[Model, Document, Iterate]:
    """The document with another thing, person or fixture of the same name. Each flight sets out as before, so that
    every contact is still there; what no longer goes on from one flight to the next is for the solver to join."""
    scene = _scene_with(model.scene, owner)
    fresh = Model.of(scene)
    u = iterate.u.copy()
    for block in fresh.layout.blocks:  # laws of intended contacts are variables: bent ones stay bent by as much
        kind = block.name.rpartition(".")[2]
        if kind in ("restitution", "friction"):
            value = u[block.indices] + fresh.start[block.indices] - model.start[block.indices]
            u[block.indices] = np.clip(value, 0.0, 1.0 if kind == "restitution" else None)
    for constraint in lying(iterate.rollout):
        if constraint.thing == owner.name:  # it goes on to lie there, whatever its size
            place = fresh.layout[f"{constraint.thing}.position"].indices
            u[place] = constraint.lifted(fresh, u[place])
    fresh_iterate = _with_contacts(Iterate.at(fresh, u, iterate.nodes, iterate.times).timed(), iterate)
    return fresh, replace(document, scene=scene, u=u, nodes=dict(iterate.nodes)), fresh_iterate


def _with_contacts(fresh_iterate: Iterate, iterate: Iterate) -> Iterate:
    """The same, with things led to contacts that are not met as they were: a ball of another size lies elsewhere."""
    lost = [contact for contact in iterate.rollout.happened if contact not in fresh_iterate.rollout.happened]
    surfaces = {contact: surface_of(iterate.rollout, contact) for contact in lost}
    led = {contact: surface for contact, surface in surfaces.items() if surface is not None}
    return (
        Iterate.at(fresh_iterate.rollout.model, fresh_iterate.u, fresh_iterate.nodes, iterate.times, led)
        if led
        else fresh_iterate
    )


def _scene_with(scene: Scene, owner: Owner) -> Scene:
    def swapped(those: Sequence[Any]) -> list[Any]:
        return [owner if other.name == owner.name else other for other in those]

    return replace(
        scene,
        characters=swapped(scene.characters),
        things=swapped(scene.things),
        fixtures=swapped(scene.fixtures),
    )

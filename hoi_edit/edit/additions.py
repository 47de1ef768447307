"""Edits of the scene itself: another thing, another person, or a recorded motion for one who is there."""

import os
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hoi_edit.edit.body_replacement import on_new_body
from hoi_edit.edit.document import Document, carried_over
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.plan_solver import on_scene
from hoi_edit.edit.progress import Listener, Progress, tell
from hoi_edit.edit.report import only_declared
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Character, Contact, Fixture, Flying, Held, Scene, Thing, ground, named
from hoi_edit.scene.plausibility import check_person, check_sense
from kinematics import clip_tools
from kinematics.clip import Clip
from kinematics.errors import DoubtfulClip, HoiError
from kinematics.io import missing_parts, read_clip
from kinematics.io.conventions import UNITS, UP_AXES
from kinematics.leaps import leaps
from kinematics.levelling import floor_slope
from kinematics.numpy_forward import world_frames
from kinematics.rotation import Floats

CLIPS = (".bvh", ".amc")
SHOULDERS = 0.3  # [m] between two people, below which they are inside each other


def with_thing(
    model: Model, document: Document, iterate: Iterate, thing: Thing, progress: Listener | None = None
) -> tuple[Document, Iterate]:
    """The document with one more thing; whatever it does not touch is as it was."""
    if not isinstance(thing, Thing):
        raise HoiError(
            f"{thing!r} is no thing; give one such as hoi.Thing('ball4', hoi.ball(0.1, 0.04), hoi.Flying([0, 1, 0.3]))"
        )
    checked = replace(model.scene, things=[*model.scene.things, thing])  # what is wrong with it, if anything is
    scene = replace(checked, things=[*model.scene.things, _of_arrays(thing)])
    check_sense(scene)
    return _with(scene, model, document, iterate, f"add {thing.name}", progress, [thing.name])


def with_fixture(
    model: Model, document: Document, iterate: Iterate, fixture: Fixture, progress: Listener | None = None
) -> tuple[Document, Iterate]:
    """The document with one more thing that never moves: a table, a wall; whatever does not meet it is as it was."""
    if not isinstance(fixture, Fixture):
        raise HoiError(
            f"{fixture!r} is no fixture; give one such as hoi.Fixture('table', hoi.RoundedBox([0.4, 0.4, 0.3], 0.0), "
            "[0, 0.4, 0.6])"
        )
    checked = replace(model.scene, fixtures=[*model.scene.fixtures, fixture])  # what is wrong with it, if anything is
    scene = replace(checked, fixtures=[*model.scene.fixtures, _fixture_of_arrays(fixture)])
    return _with(scene, model, document, iterate, f"add {fixture.name}", progress)


def _with(
    scene: Scene, model: Model, document: Document, iterate: Iterate, what: str, progress: Listener | None,
    strict: bool | Collection[str] = True,
) -> tuple[Document, Iterate]:  # fmt: skip
    """The document on a scene with more in it, which must not start inside anything."""
    tell(progress, Progress(what, 1, 2, float("nan")))
    _, fresh, fresh_iterate = on_scene(scene, model, document, iterate, strict=strict)
    tell(progress, Progress(what, 2, 2, float("nan")))
    return fresh, fresh_iterate


def with_character(
    model: Model, document: Document, iterate: Iterate, character: Character, progress: Listener | None = None
) -> tuple[Document, Iterate]:
    """The document with one more person."""
    check_person(character)
    end = max(model.scene.end, float(character.motion.end))  # nobody's clip is cut short
    scene = replace(model.scene, characters=[*model.scene.characters, character], end=end)
    return _with(scene, model, document, iterate, f"add {character.name}", progress)


def with_motion(
    model: Model, document: Document, iterate: Iterate, name: str, clip: Clip, progress: Listener | None = None
) -> tuple[Document, Iterate, tuple[Finding, ...]]:
    """Somebody of the scene, moving as in a clip; and what that does to the plan and to what is kept.

    What this person is meant to catch or kick is declared: it happens by decree until the plan is solved, since the new
    motion knows nothing of it.
    """
    old = model.scene.character(name)
    person = Character.of(name, clip, material=old.material)
    check_person(person)
    people = [person if other.name == name else other for other in model.scene.characters]
    contacts = [
        _declared(model.scene, contact) if _is_of(contact, name) else contact for contact in model.scene.contacts
    ]
    end = max(model.scene.end, float(person.motion.end))
    happening = _caught_as_before(replace(model.scene, characters=people, contacts=contacts, end=end), model.scene)
    contacts = [happening.get(contact.id, contact) for contact in contacts]
    scene = replace(model.scene, characters=people, contacts=contacts, end=end)
    what = f"another motion for {name}"
    tell(progress, Progress(what, 1, 3, float("nan")))
    fresh = Model.of(scene)
    u = carried_over(iterate.u, model.layout, fresh.layout, fresh.start)
    for block in fresh.layout.blocks:  # the changes were to another motion
        if block.name.partition(".")[0] == name:
            u[block.indices] = fresh.start[block.indices]
    concerned = {contact.object for contact in contacts if _is_of(contact, name)} | {
        thing.name for thing in scene.things if isinstance(thing.start, Held) and _holds(thing.start, name)
    }
    nodes = {
        contact.id: iterate.nodes[contact.id]
        for contact in contacts
        if contact.object not in concerned and contact.id in iterate.nodes
    }
    fresh.simulate(u, nodes, strict=True)  # nobody is put where a thing starts
    tell(progress, Progress(what, 2, 3, float("nan")))
    fresh_iterate = Iterate.at(fresh, u, nodes, {}).timed()
    tell(progress, Progress(what, 3, 3, float("nan")))
    moved = replace(document, scene=scene, u=u, nodes=dict(fresh_iterate.rollout.nodes))
    fitting, told = on_new_body(moved, fresh_iterate.rollout, name)
    return fitting, fresh_iterate, (*only_declared(scene), *told)


def reading(
    units: str | float | None,
    up: str | None,
    roles: Mapping[str, str | None] | None,
    cut: bool | None,
    level: bool | None,
) -> dict[str, Any]:
    """What is said about reading a clip, as options of `read_clip`."""
    named = None if roles is None else dict(roles)
    options = {"units": units, "up": up, "roles": named, "cut": cut or None, "level": level or None}
    return {name: value for name, value in options.items() if value is not None}


def clip_from(
    path: str | os.PathLike[str],
    trim: tuple[float, float] | None = None,
    at: float | None = None,
    move: tuple[float, float] = (0.0, 0.0),
    turn: float = 0.0,
    **reading: Any,
) -> Clip:
    """A clip's file, perhaps a stretch of it [s], beginning at a time [s], moved on the ground [m] and turned there;
    `reading` are options of `read_clip`."""
    clip = read_clip(path, **reading)
    if trim is not None:
        clip = clip_tools.trim(clip, *trim)
    if at is not None:
        clip = clip_tools.offset(clip, at - clip.start)
    if turn != 0.0 or any(x != 0.0 for x in move):
        clip = clip_tools.place(clip, (move[0], 0.0, move[1]), turn)
    return clip


@dataclass(frozen=True)
class Unsaid:
    """What may have to be said about reading a clip: the choices, and what nothing in the file tells."""

    units: tuple[str, ...]
    up: tuple[str, ...]
    joints: tuple[str, ...]
    parts: tuple[str, ...]  # hands and feet that no name tells
    leaps: bool  # whether there is something to cut
    slopes: bool  # whether its floor does

    @staticmethod
    def of(clip: Clip) -> "Unsaid":
        skeleton = clip.skeleton
        frames = world_frames(skeleton, clip.poses)
        slopes = floor_slope(dict(skeleton.roles), *frames, clip.frame_time) is not None
        parts = tuple(missing_parts(skeleton))
        return Unsaid(tuple(UNITS), UP_AXES, skeleton.names, parts, bool(leaps(clip, frames[0])), slopes)


def left_out(scene: Scene, clip: Clip) -> tuple[str, ...]:
    """One sentence about the part of a clip that a scene has no time for, none if there is room for all of it."""
    a_row = clip.frame_time  # a clip that ends within a row of the scene's end is all there
    if clip.start > scene.start - a_row and clip.end < scene.end + a_row:
        return ()
    shown = max(clip.start, scene.start), min(clip.end, scene.end)
    seen = f"only {shown[0]:g} to {shown[1]:g} s of it are" if shown[0] < shown[1] else "none of it is"
    runs = f"the clip runs from {clip.start:g} to {clip.end:g} s and the scene from {scene.start:g} to {scene.end:g} s"
    return (f"{runs}, so {seen} seen; trim= and at= choose the stretch",)


def longer(before: Scene, after: Scene) -> tuple[str, ...]:
    """One sentence if a scene has grown with a clip."""
    if after.end <= before.end:
        return ()
    return (f"the scene, which ended at {before.end:g} s, now goes on to {after.end:g} s, as far as the clip",)


def on_top_of(seen: Rollout, name: str, clip: Clip) -> tuple[str, ...]:
    """One sentence if somebody new begins where somebody else is, as bodies pass through each other unnoticed."""
    scene, level = seen.model.scene, np.array([1.0, 0.0, 1.0])
    t = min(max(clip.start, scene.start), scene.end)
    roots = {
        character.name: seen.state(f"{character.name}/{character.skeleton.names[0]}", t).position
        for character in scene.characters
    }
    here = roots.pop(name)
    apart = {other: float(np.linalg.norm((root - here) * level)) for other, root in roots.items()}
    if not apart or min(apart.values()) >= SHOULDERS:
        return ()
    nearest = min(apart, key=lambda other: apart[other])
    where = f"{name} is in the same place as {nearest} at {t:.2f} s ({apart[nearest]:.2f} m apart)"
    return (f"{where}, and people pass through each other; move= puts somebody elsewhere",)


def scene_of(path: str | os.PathLike[str], **reading: Any) -> Scene:
    """Somebody who moves as in a clip, on level ground: what to begin with; `reading` are options of `read_clip`."""
    clip = clip_from(path, **reading)
    for doubt in clip.doubts:
        warnings.warn(doubt, DoubtfulClip, stacklevel=3)
    if clip.n_frames < 2:
        raise HoiError(f"{os.fspath(path)}: it has one row; a scene needs a motion of two or more")
    name = Path(path).stem
    return Scene([Character.of(free_name(name, []), clip)], [], [ground()], start=clip.start, end=clip.end, name=name)


def free_name(wanted: str, taken: list[str]) -> str:
    """A name like the one that is wanted, that nobody has."""
    base = wanted.replace("/", "_").strip() or "thing"
    name, number = base, 2
    while name in taken:
        name, number = f"{base.rstrip('0123456789')}{number}", number + 1
    return name


def names_in(scene: Scene) -> list[str]:
    return [owner.name for owner in scene.owners] + [contact.id for contact in scene.contacts]


def _is_of(contact: Contact, name: str) -> bool:
    return any(other.partition("/")[0] == name for other in named(contact.other))


def _holds(start: Held, name: str) -> bool:
    return any(by.partition("/")[0] == name for by in named(start.by))


def _declared(scene: Scene, contact: Contact) -> Contact:
    """Contacts of balls can be declared, and grasps; others stay, and are missed if they do not happen."""
    inside = scene.start <= contact.time <= scene.end
    may_be = contact.catches or (contact.bounces and scene.thing(contact.object).shape.any_prescribed)
    return replace(contact, declared=True, taken=False) if inside and may_be else contact


def _caught_as_before(scene: Scene, old: Scene) -> dict[str, Contact]:
    """Catches of what is no ball, as they were planned, that the new motion makes as well: those need no decree."""
    hulls = {thing.name for thing in scene.things if not thing.shape.any_prescribed}
    caught = [contact for contact in old.contacts if contact.object in hulls and not contact.at_its_time]
    flown = {contact.id: contact for contact in caught if contact.catches and not contact.declared}
    if not flown:
        return {}
    alone = Model.of(replace(scene, contacts=[flown.get(contact.id, contact) for contact in scene.contacts]))
    happened = alone.simulate(alone.start).happened
    return {name: contact for name, contact in flown.items() if name in happened}


def _of_arrays(thing: Thing) -> Thing:
    """With arrays where somebody wrote lists, as a script does."""
    body = replace(thing.body, **{name: np.asarray(getattr(thing.body, name), float) for name in
                                  ("vertices", "moments", "mesh_centre", "mesh_rotation")})  # fmt: skip
    return replace(thing, body=body, start=_start_of_arrays(thing.start))


def _fixture_of_arrays(fixture: Fixture) -> Fixture:
    shape = replace(fixture.shape, core=np.asarray(fixture.shape.core, float))
    place, turn = (np.asarray(numbers, float) for numbers in (fixture.position, fixture.rotation))
    return replace(fixture, shape=shape, position=place, rotation=turn)


def _start_of_arrays(start: Flying | Held) -> Flying | Held:
    def array(numbers: Any) -> Floats:
        return np.asarray(numbers, float)

    if isinstance(start, Held):
        place = None if start.position is None else array(start.position)
        return replace(start, position=place, rotation=array(start.rotation))
    return Flying(array(start.position), array(start.velocity), array(start.rotation), array(start.angular_velocity))

"""What can be written down and cannot be meant: who makes a scene is told; from a file it is opened all the same."""

import warnings

import numpy as np

from hoi_edit.motions import Layer
from hoi_edit.scene.scene import PLANE, Character, Fixture, Flying, Held, Scene, Thing
from hoi_edit.scene.validation import check_within
from kinematics.body_measures import ANKLE, stature
from kinematics.errors import FloatingPerson, HoiError
from kinematics.numpy_forward import world_positions
from kinematics.rotation import Floats
from kinematics.spline import design

SMALLEST, TALLEST, USUAL = 0.3, 4.0, 1.7  # [m] of a person
BESIDE = 0.5  # [m] between a thing and the hand that holds it
HOVERING = 0.25  # [m] between the lowest foot, at its lowest, and what is below it
LOOKS = 200  # at a motion
TURNS = 4.0 * np.pi  # [rad] that no joint goes round


def check_sense(scene: Scene) -> None:
    """What is allowed and cannot be meant is told to who makes a scene; files that hold it are opened all the same."""
    for character in scene.characters:
        check_person(character)
        warn_of_hovering(scene, character)
    for thing in scene.things:
        start = thing.start
        if isinstance(start, Held):
            _check_room(scene, thing, start)
            _check_near(scene, thing, start)
            if start.release is not None and not scene.start < start.release <= scene.end:
                raise HoiError(
                    f"thing {thing.name!r} is to be released at {start.release:g} s, but the scene runs from "
                    f"{scene.start:g} s to {scene.end:g} s; give a time in it, None for never, or let it start Flying"
                )
        else:
            _check_above_ground(scene, thing, start)
    for contact in scene.contacts:
        check_within(scene, contact)


def _check_above_ground(scene: Scene, thing: Thing, start: Flying) -> None:
    """The ground is a slab, but there is nothing below it to be in: who is there went through."""
    for fixture in scene.fixtures:
        core = np.asarray(fixture.shape.core, float)
        if fixture.name == "ground" and min(core[0], core[2]) >= PLANE / 2:
            height = (np.asarray(fixture.rotation).T @ (np.asarray(start.position) - fixture.position))[1] - core[1]
            if height < -2.0 * core[1]:  # what is in the slab is told when it is simulated, as with any other body
                raise HoiError(
                    f"thing {thing.name!r} starts {-height:.3g} m below the top of 'ground'; move it above that"
                )


def _check_room(scene: Scene, thing: Thing, start: Held) -> None:
    """Two things that lie on one site, or at one place of it, are inside each other."""
    for other in scene.things:
        if other is thing:
            return  # those after it look at this one
        held = other.start
        if isinstance(held, Held) and held.carrier == start.carrier:
            other_place, place = (
                np.zeros(0) if start_in_hand.position is None else start_in_hand.position
                for start_in_hand in (held, start)
            )
            if np.array_equal(other_place, place):
                raise HoiError(
                    f"things {other.name!r} and {thing.name!r} start at one place in {start.carrier!r}; give one of "
                    "them another position, relative to its segment"
                )


def _check_near(scene: Scene, thing: Thing, start: Held) -> None:
    """What is held is where the hand is, with some part of it."""
    if start.position is None:
        return
    character, _, _ = scene.place(start.carrier)
    site = next((own for own in character.skeleton.sites if own.name == start.carrier.partition("/")[2]), None)
    if site is None:
        return  # told when it is asked where the thing lies
    away = float(np.linalg.norm(np.asarray(start.position) - site.position)) - thing.body.reach
    if away > BESIDE:
        raise HoiError(
            f"thing {thing.name!r} is {away:.2f} m away from {start.carrier!r}, which is to hold it; its position "
            "is in metres, from the joint of that hand and along its axes: leave it out to lay the thing on the palm"
        )


def check_person(character: Character) -> None:
    """Somebody as small as a mouse or as tall as a house is in other units, and who bends by 70 rad is in degrees."""
    height = stature(character.skeleton)
    if height is not None and not SMALLEST <= height <= TALLEST:
        short = f"{character.name} is {height:.3g} m tall, and people are {SMALLEST:g} to {TALLEST:g} m"
        factor = f"{USUAL / height:.3g} times as many metres per unit"
        raise HoiError(
            f"{short}: its clip is in other units; read it with units='cm' or another name, or with {factor}"
        )
    poses, topology = _poses(character), character.skeleton.topology
    if poses is None:
        return
    middle = np.median(poses, axis=0)
    for dof, (joint, kind) in enumerate(zip(topology.dof_joints, topology.dof_kinds, strict=True)):
        if kind == "rotation" and topology.parents[joint] >= 0 and abs(middle[dof]) > TURNS:
            raise HoiError(
                f"{character.name}'s {topology.dof_names[dof]} is {middle[dof]:.3g}: angles are in radians; "
                "np.deg2rad makes them of degrees"
            )


def warn_of_hovering(scene: Scene, character: Character) -> None:
    """One sentence about somebody whose feet never come down to anything."""
    poses = _poses(character)
    feet = [joint for role, joint in character.skeleton.roles if role.endswith(("_foot", "_toes"))]
    height = stature(character.skeleton)
    if poses is None or not feet or height is None or not scene.fixtures:
        return
    places = world_positions(character.skeleton, poses)[:, feet].reshape(-1, 3)
    above = np.min([_clearance(fixture, places) for fixture in scene.fixtures], axis=0).min() - ANKLE * height
    if HOVERING < above < np.inf:
        warnings.warn(
            f"{character.name} is never nearer than {above:.2f} m to what is below; if that is not meant, "
            f"clip_tools.place(clip, (0, {-above:.2f}, 0)) puts the clip on the ground",
            FloatingPerson,
            stacklevel=5,
        )


def warn_of_lifting(name: str, rise: float) -> None:
    """One sentence about somebody who is put into the air, or into the ground."""
    if abs(rise) > HOVERING:
        where = f"{name} is put {abs(rise):.2f} m {'above' if rise > 0 else 'below'} what it stands on"
        warnings.warn(
            f"{where}; by= is x, y (up) and z, so (x, 0, z) stays on the ground", FloatingPerson, stacklevel=3
        )


def _poses(character: Character) -> Floats | None:
    """Some poses (K, D) of a recorded motion."""
    motion = character.motion
    if not isinstance(motion, Layer):
        return None
    times = np.linspace(motion.start, motion.end, LOOKS)
    source = design(motion.source_grid, times) @ np.asarray(motion.source)
    return np.asarray(source + design(motion.grid, times) @ np.asarray(motion.opening))


def _clearance(fixture: Fixture, places: Floats) -> Floats:
    """How high places (K, 3) are above the top of a fixture; infinite beside it and below."""
    local = (places - np.asarray(fixture.position)) @ np.asarray(fixture.rotation)
    half = np.asarray(fixture.shape.core) + float(np.asarray(fixture.shape.radius))
    over = np.all(np.abs(local[:, [0, 2]]) <= half[[0, 2]], axis=1)
    # who stands in it a little stands on it
    return np.where(over & (local[:, 1] > 0.0), np.maximum(local[:, 1] - half[1], 0.0), np.inf)

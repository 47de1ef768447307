"""A scene of balls and meshes as a MuJoCo model: the same shapes, laws and motions with time steps and soft contacts.

A soft contact is a damped spring. Its damping is chosen so that an undisturbed bounce has the restitution of ours, and
how long a bounce takes, π/ω, is its error: stiffer springs come closer and want shorter steps.
"""

from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import jax.numpy as jnp
import numpy as np
import scipy.optimize

from hoi_edit.rollout import Model
from hoi_edit.scene import PLANE, Character, Scene, Thing
from hoi_edit.scene.controls import Controls, contact_material
from rigid.body import is_ball
from rigid.distance import RoundedBox
from rigid.impact import Material

HEAVY = 1e7  # [kg] and [kg m²]: a body part is not moved by a ball
LIGHTER = 1e-4  # each part than the one that carries it: nor is that moved by it
DEADEST = 0.999  # damping ratio
SOLID = "0.9999 0.9999 0.001 0.5 2"  # impedance: all of the contact is spring


@dataclass(frozen=True)
class Softness:
    """Of all contacts."""

    stiffness: float  # ω [rad/s]
    step: float  # [s]
    grip: float = 3.0  # of ω: how fast friction stops slip
    cone: str = "elliptic"  # of friction; MJX has no derivative there where nothing slips, but has one for "pyramidal"

    @property
    def bounce(self) -> float:
        """How long a bounce takes [s]."""
        return float(np.pi / self.stiffness)


def restitution(damping: float) -> float:
    """Of a bounce on a spring of this damping ratio, which ends when the force would pull."""
    s = np.sqrt(1.0 - damping**2)
    phase = np.arctan2(2.0 * damping * s, 2.0 * damping**2 - 1.0)
    return float(-np.exp(-damping / s * phase) * (np.cos(phase) - damping / s * np.sin(phase)))


def damping_for(e: float) -> float:
    """The damping ratio; no spring that swings at all is deader than 0.14."""
    if e >= 1.0 or e <= restitution(DEADEST):
        return 0.0 if e >= 1.0 else DEADEST
    return float(scipy.optimize.brentq(lambda z: restitution(z) - e, 1e-9, DEADEST))


def mujoco_scene(scene: Scene, soft: Softness) -> Any:
    """The model. An intended contact has its own law, all others that of the materials."""
    import mujoco

    root = ElementTree.Element("mujoco")
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="false")
    gravity = _text(scene.gravity)
    ElementTree.SubElement(root, "option", timestep=repr(soft.step), gravity=gravity, cone=soft.cone, tolerance="1e-14")
    assets = ElementTree.SubElement(root, "asset")
    world = ElementTree.SubElement(root, "worldbody")
    surfaces: list[tuple[str, str, Material]] = []  # geom, owner as an event names it, material
    for fixture in scene.fixtures:
        _geom(world, fixture.name, fixture.shape, fixture.position, fixture.rotation)
        surfaces.append((fixture.name, fixture.name, fixture.material))
    for character in scene.characters:
        surfaces += _character(world, character)
    for thing in scene.things:
        _thing(world, assets, thing)
    laws = {contact.carrier: contact_material(scene, contact) for contact in scene.contacts}
    pairs = ElementTree.SubElement(root, "contact")
    for k, thing in enumerate(scene.things):
        others = [*surfaces, *((other.name, other.name, other.material) for other in scene.things[k + 1 :])]
        for geom, owner, material in others:
            e, mu = laws.get(owner) or _product(thing.material, material)
            _pair(pairs, thing.name, geom, e, mu, soft)
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))


def _product(a: Material, b: Material) -> tuple[float, float]:
    e, mu = (np.asarray(x) * np.asarray(y) for x, y in ((a.restitution, b.restitution), (a.friction, b.friction)))
    return float(e), float(mu)


def _pair(parent: Any, a: str, b: str, e: float, mu: float, soft: Softness) -> None:
    spring = f"{-(soft.stiffness**2)!r} {-2.0 * damping_for(e) * soft.stiffness!r}"
    # what friction is asked for beyond its cone lifts the ball, as the convex model has it: so it must not ask for much
    grip = f"-1 {-soft.grip * soft.stiffness!r}"
    friction = f"{max(mu, 1e-5)} {max(mu, 1e-5)} 1e-5 1e-5 1e-5"
    ElementTree.SubElement(parent, "pair", geom1=a, geom2=b, solref=spring, solreffriction=grip, solimp=SOLID,
                           friction=friction, condim="3")  # fmt: skip


def _thing(world: Any, assets: Any, thing: Thing) -> None:
    body = ElementTree.SubElement(world, "body", name=thing.name)
    ElementTree.SubElement(body, "freejoint")
    inertia = _text(np.asarray(thing.body.moments))
    ElementTree.SubElement(body, "inertial", pos="0 0 0", mass=repr(float(thing.body.mass)), diaginertia=inertia)
    if is_ball(thing.body):
        _geom(body, thing.name, RoundedBox(np.zeros(3), thing.body.radius), np.zeros(3), np.eye(3))
        return
    # its corners are about its centre of mass and along its principal axes already
    ElementTree.SubElement(assets, "mesh", name=thing.name, vertex=_text(np.ravel(thing.body.vertices)))
    ElementTree.SubElement(body, "geom", name=thing.name, type="mesh", mesh=thing.name, contype="0", conaffinity="0")


def _character(world: Any, character: Character) -> list[tuple[str, str, Material]]:
    skeleton, surfaces = character.skeleton, []
    bodies, weights = {-1: world}, {-1: HEAVY / LIGHTER}
    for i, parent in enumerate(skeleton.topology.parents):
        name = f"{character.name}/{skeleton.names[i]}"
        bodies[i] = ElementTree.SubElement(
            bodies[parent], "body", name=name, pos=_text(skeleton.offset[i]), gravcomp="1"
        )
        weights[i] = LIGHTER * weights[parent]
        inertia = _text([weights[i]] * 3)
        ElementTree.SubElement(bodies[i], "inertial", pos="0 0 0", mass=repr(weights[i]), diaginertia=inertia)
        for dof in skeleton.dofs_of(i):
            kind = "hinge" if skeleton.topology.dof_kinds[dof] == "rotation" else "slide"
            ElementTree.SubElement(bodies[i], "joint", type=kind, axis=_text(skeleton.axis[dof]))
        for k, shape in enumerate(s for s in skeleton.shapes if s.segment == i):
            _geom(bodies[i], f"{name}{k}", RoundedBox.of(shape.kind, shape.size), shape.position, shape.rotation)
            surfaces.append((f"{name}{k}", name, character.material))
    return surfaces


def _geom(parent: Any, name: str, shape: RoundedBox, position: Any, rotation: Any) -> None:
    core, radius = np.asarray(shape.core), float(np.asarray(shape.radius))
    R, p = np.asarray(rotation), np.asarray(position)
    if core[0] >= PLANE:
        kind, size, p, R = "plane", [5.0, 5.0, 1.0], p + core[1] * np.eye(3)[1], R @ _Z_TO_Y
    elif not core.any():
        kind, size = "sphere", [radius]
    elif radius > 0.0:
        kind, size, R = "capsule", [radius, float(core[1])], R @ _Z_TO_Y
    else:
        kind, size = "box", [float(x) for x in core]
    axes = _text([*R[:, 0], *R[:, 1]])
    ElementTree.SubElement(parent, "geom", name=name, type=kind, size=_text(size), pos=_text(p), xyaxes=axes,
                           contype="0", conaffinity="0")  # fmt: skip


_Z_TO_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # MuJoCo's planes and capsules look along Z


def start(model: Model, controls: Controls) -> tuple[Any, Any]:
    """MuJoCo's qpos and qvel of a scene's start: characters first, then things; traceable."""
    q, v = [], []
    for character in model.scene.characters:
        pose, rate = pose_and_rate(character, controls.motions[character.name], model.scene.start)
        q.append(pose)
        v.append(rate)
    for thing in model.scene.things:
        own = controls.starts[thing.name]
        q += [jnp.asarray(own.position), jnp.array([1.0, 0.0, 0.0, 0.0])]
        v += [jnp.asarray(own.velocity), jnp.asarray(own.spin)]
    return jnp.concatenate(q), jnp.concatenate(v)


def pose_and_rate(character: Character, parameters: Any, t: Any) -> tuple[Any, Any]:
    from hoi_edit.motions import joint_state

    state = joint_state(character.motion, parameters, t)
    return state.q, state.rate


def _text(vector: Any) -> str:
    return " ".join(repr(float(x)) for x in vector)

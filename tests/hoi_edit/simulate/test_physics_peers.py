"""The same bounces in MuJoCo, whose contacts are stiff springs: the stiffer they are, the closer it comes to us."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from hoi_edit.rollout import Model
from hoi_edit.scene import Contact, Flying, Scene, Thing
from hoi_edit.truth import truth_scenes as scenes
from hoi_edit.truth.difference_quotients import state_at
from hoi_edit.truth.paddle_rig import rig, still
from hoi_edit.truth.truth_scenes import flying
from kinematics.rotation import Floats
from rigid.body import mesh
from rigid.impact import Material
from tests.mjcf import Softness, mujoco_scene, start

pytestmark = pytest.mark.peers

STIFFNESSES = (1e3, 4e3)
LEFT = 2e-3  # [m] and [m/s] after extrapolation to infinite stiffness


def in_mujoco(scene: Scene, thing: str, time: float, soft: Softness) -> Floats:
    """[position, velocity] (6,) of a thing."""
    mujoco = pytest.importorskip("mujoco", reason="a peer: `make peers` installs it")
    engine = mujoco_scene(scene, soft)
    data = mujoco.MjData(engine)
    model = Model.of(scene)
    data.qpos[:], data.qvel[:] = start(model, model.layout.unflatten(model.start))
    for _ in range(round(time / soft.step)):
        mujoco.mj_step(engine, data)
    at = engine.body(thing).dofadr[0]
    return np.concatenate([data.body(thing).xpos, data.qvel[at : at + 3]])


def steadily_moving_paddle() -> Scene:
    """Rising and tilting at constant rates, which MuJoCo can do without being told."""
    character = rig(still(0.0), lambda t: 0.4 + 0.5 * t, lambda t: 0.1 + 0.4 * t, still(0.0), 1.4)
    touch = Contact("hit", "ball", "rig/paddle", 0.3, restitution=0.8, friction=3.0)
    thing = flying((0.06, 1.0, 0.02), (0.3, 0.0, 0.1))
    return Scene(characters=[character], things=[thing], contacts=[touch], end=0.6)


def gripping_balls() -> Scene:
    a, b = scenes.glancing().things
    return Scene(things=[replace(a, material=Material(0.9, 2.0)), replace(b, material=Material(0.9, 2.0))], end=1.0)


def meshes() -> Scene:
    """A corner of a stone on the face of a slab, without friction: in MuJoCo, too, they touch in one point."""
    smooth = Material(0.9, 0.0)
    shape = trimesh.creation.icosahedron()
    stone = mesh(0.5, trimesh.Trimesh(shape.vertices * [0.12, 0.08, 0.1], shape.faces))
    slab = mesh(0.9, trimesh.creation.box((0.6, 0.2, 0.4)))
    spin = np.array([1.5, 0.0, 2.0])  # else it would come down on an edge
    a = Thing("a", stone, Flying(np.array([0.05, 1.5, 0.02]), np.array([0.1, -2.0, 0.0]), np.eye(3), spin), smooth)
    b = Thing("b", slab, Flying(np.array([0.0, 1.0, 0.0])), smooth)
    return Scene(things=[a, b], end=0.4)


@pytest.mark.parametrize(
    ("scene", "thing", "time", "grip"),
    [
        pytest.param(scenes.drop(), "ball", 0.6, 3.0, id="ball on plane"),
        pytest.param(scenes.floor_bounce(0.8, 0.01), "ball", 0.7, 0.12, id="oblique, sliding"),
        pytest.param(scenes.floor_bounce(0.8, 5.0), "ball", 0.7, 3.0, id="oblique, sticking"),
        pytest.param(scenes.head_on(), "a", 0.5, 3.0, id="ball on ball, head on"),
        pytest.param(gripping_balls(), "b", 0.4, 3.0, id="ball on ball, glancing"),
        pytest.param(steadily_moving_paddle(), "ball", 0.5, 3.0, id="ball on a moving box"),
        pytest.param(meshes(), "a", 0.25, 0.12, id="mesh on mesh"),
    ],
)
def test_mujoco_comes_closer_to_us_the_stiffer_it_is(scene: Scene, thing: str, time: float, grip: float) -> None:
    model = Model.of(scene)
    ours = state_at(model.simulate(model.start), thing, time)
    soft, stiff = (in_mujoco(scene, thing, time, Softness(w, 0.002 / w, grip)) - ours for w in STIFFNESSES)
    print(f"\n{soft.round(5)} at ω = {STIFFNESSES[0]:g}/s, {stiff.round(5)} at {STIFFNESSES[1]:g}/s")
    # a bounce takes π/ω, and gravity pulls meanwhile: a difference of first order in 1/ω, and nothing beyond it
    assert np.abs(soft).max() <= 2.0 * (9.81 + np.abs(ours[3:]).max()) * np.pi / STIFFNESSES[0]
    assert np.abs(stiff + (stiff - soft) / 3.0).max() <= LEFT

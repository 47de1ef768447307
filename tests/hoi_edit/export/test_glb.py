"""GLB files as others read them: trimesh for geometry at rest, and a small player of our own for what moves."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

import hoi_edit as hoi
from hoi_edit.export.glb_check import Played
from hoi_edit.export.solid_meshes import body_mesh, shape_mesh
from hoi_edit.session import EditSession
from kinematics.human import human42
from tests.hoi_edit.export.exported_scenes import falling, holding


@pytest.fixture(scope="module")
def held() -> EditSession:
    return holding()


def as_trimesh(points: np.ndarray, triangles: np.ndarray) -> trimesh.Trimesh:
    return trimesh.Trimesh(points, triangles, process=False)


@pytest.mark.parametrize(
    ("body", "volume"),
    [
        (hoi.ball(1.0, 0.1), 4 / 3 * np.pi * 0.1**3),
        (hoi.capsule(1.0, 0.1, 0.4), np.pi * 0.1**2 * 0.8 + 4 / 3 * np.pi * 0.1**3),
        (hoi.box(1.0, (0.1, 0.2, 0.3)), 8 * 0.1 * 0.2 * 0.3),
    ],
)
def test_meshes_of_things_are_closed_and_as_large_as_they_should_be(body: hoi.Thing, volume: float) -> None:
    mesh = body_mesh(body)  # type: ignore[arg-type]
    solid = trimesh.Trimesh(mesh.points, mesh.triangles)  # merges vertices that differ in their normals
    assert solid.is_watertight and solid.is_winding_consistent
    assert solid.volume == pytest.approx(volume, rel=0.04)
    faces = as_trimesh(mesh.points, mesh.triangles)
    across = np.sum(faces.face_normals[:, None] * mesh.normals[mesh.triangles], axis=-1)
    assert across.min() > 0.8  # normals point out of the faces they belong to


def test_meshes_of_a_body_are_closed() -> None:
    for shape in human42().shapes:
        mesh = shape_mesh(shape)
        assert trimesh.Trimesh(mesh.points, mesh.triangles).is_watertight


def test_another_reader_finds_everything_at_rest(held: EditSession, tmp_path: Path) -> None:
    (written,) = held.export(tmp_path / "a.glb", ground=True)
    scene = trimesh.load(tmp_path / "a.glb")
    assert isinstance(scene, trimesh.Scene)
    assert {"ann", "ann body", "ball", "ground", "right_hand"} <= set(scene.graph.nodes)
    assert scene.graph["ball"][0][:3, 3] == pytest.approx(held.state("ball", 0.0).position, abs=1e-6)
    ball = scene.geometry["ball"]
    assert np.linalg.norm(ball.vertices, axis=1) == pytest.approx(np.full(len(ball.vertices), 0.037), abs=1e-6)
    body = scene.geometry["ann"].bounds
    assert 1.5 < body[1, 1] - body[0, 1] < 2.0  # a person, in metres, Y up
    skeleton = held.scene.characters[0].skeleton
    place = scene.graph["right_hand"][0][:3, 3]
    assert place == pytest.approx(skeleton.rest_positions()[skeleton.segment("right_hand")], abs=1e-6)
    assert "1 character, 1 thing" in written.contents
    held.export(tmp_path / "b.glb")
    without = trimesh.load(tmp_path / "b.glb")
    assert isinstance(without, trimesh.Scene) and "ground" not in without.graph.nodes


def test_joints_and_things_move_as_the_session_says(held: EditSession, tmp_path: Path) -> None:
    held.export(tmp_path / "a.glb", start=0.2, end=0.9)
    played = Played(tmp_path / "a.glb")
    ball, hand = played.node("ball"), played.node("right_hand")
    assert 0.5 in played.keys(ball).round(6)  # the moment it is let go
    for t in (0.2, 0.45, 0.5, 0.75):
        for node, name in ((ball, "ball"), (hand, "ann/right_hand")):
            place, turn = played.frames(node, np.array([t]))
            state = held.state(name, t)
            assert place[0] == pytest.approx(state.position, abs=2e-5)
            assert turn[0] == pytest.approx(state.rotation, abs=2e-5)
    between = held.state("ball", 0.703).position
    assert played.frames(ball, np.array([0.703]))[0][0] == pytest.approx(between, abs=1e-3)


def test_skinned_vertices_go_with_their_joints(held: EditSession, tmp_path: Path) -> None:
    """The format's own rule for skins: joint matrix times inverse bind matrix times vertex."""
    held.export(tmp_path / "a.glb")
    played = Played(tmp_path / "a.glb")
    (skin,), t = played.file.skins, np.array([0.5])
    attributes = played.file.meshes[0].primitives[0].attributes
    points, joints = played.array(attributes.POSITION), played.array(attributes.JOINTS_0)[:, 0].astype(int)
    assert np.array_equal(played.array(attributes.WEIGHTS_0), np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1)))
    inverse = played.array(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
    skeleton = held.scene.characters[0].skeleton
    shape = next(shape for shape in skeleton.shapes if shape.segment == skeleton.segment("right_hand"))
    own = np.flatnonzero(joints == shape.segment)
    place, turn = played.frames(skin.joints[shape.segment], t)
    local = points[own] @ inverse[shape.segment, :3, :3].T + inverse[shape.segment, :3, 3]
    world = local @ turn[0].T + place[0]
    state = held.state("ann/right_hand", 0.5)
    middle = state.position + state.rotation @ np.asarray(shape.position)
    assert (world.min(axis=0) + world.max(axis=0)) / 2 == pytest.approx(middle, abs=1e-5)


def test_numbers_are_as_the_format_wants_them(tmp_path: Path) -> None:
    session = falling()
    session.export(tmp_path / "a.glb", rate=30.0)
    played = Played(tmp_path / "a.glb")
    (animation,) = played.file.animations
    assert len(animation.channels) == 6  # place and turn of three things
    for channel in animation.channels:
        sampler = animation.samplers[channel.sampler]
        times, values = played.array(sampler.input)[:, 0], played.array(sampler.output)
        assert np.diff(times).min() > 0 and times[0] == 0.0 and len(times) == len(values)
        accessor = played.file.accessors[sampler.input]
        assert accessor.min == [times[0]] and accessor.max == [times[-1]]
        if channel.target.path == "rotation":
            assert np.abs(np.linalg.norm(values, axis=1) - 1.0).max() < 1e-6
            assert np.sum(values[1:] * values[:-1], axis=1).min() > 0.0
    assert "wall" in [node.name for node in played.file.nodes]
    colours = {tuple(material.pbrMetallicRoughness.baseColorFactor) for material in played.file.materials}
    assert len(colours) == 4


def test_a_bounce_is_not_cut_off(tmp_path: Path) -> None:
    session = falling()
    session.export(tmp_path / "a.glb", rate=10.0)
    played = Played(tmp_path / "a.glb")
    (bounce,) = (event for event in session.rollout.events if event.object == "ball" and event.kind == "impact")
    lowest = played.frames(played.node("ball"), np.array([bounce.time]))[0][0, 1]
    assert lowest == pytest.approx(0.1, abs=1e-5)  # it does touch the ground

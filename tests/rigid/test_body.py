"""Bodies against trimesh's mass properties and against points drawn from inside them; bad input gives one sentence."""

import warnings
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from kinematics.errors import HoiError, TouchesByHull
from rigid.body import Body, ball, box, capsule, flight_inertia, free, mesh
from rigid.free_flight import Asymmetric, State, Top


def wedge() -> trimesh.Trimesh:
    """A lopsided closed mesh, far from its origin and from its principal axes."""
    points = np.random.default_rng(3).normal(size=(12, 3)) * [0.1, 0.2, 0.35]
    shape = trimesh.convex.convex_hull(points)
    turn = np.eye(4)
    turn[:3, :3], turn[:3, 3] = Rotation.from_rotvec([0.5, -0.8, 0.3]).as_matrix(), [1.0, -2.0, 0.5]
    return shape.apply_transform(turn)


def test_a_ball_and_a_shell() -> None:
    np.testing.assert_allclose(ball(0.12, 0.035).moments, 0.4 * 0.12 * 0.035**2)
    np.testing.assert_allclose(ball(0.12, 0.035, hollow=True).moments, 2.0 / 3.0 * 0.12 * 0.035**2)


def test_a_capsules_moments_are_those_of_all_its_points() -> None:
    """Integrated over slices along Y, each a disc: exact but for the quadrature."""
    r, h = 0.3, 0.5
    nodes, weights = np.polynomial.legendre.leggauss(40)
    pieces = [(0.0, h), (h, h + r)]
    y = np.concatenate([0.5 * (b - a) * nodes + 0.5 * (a + b) for a, b in pieces])
    w = np.concatenate([0.5 * (b - a) * weights for a, b in pieces])
    disc = np.where(y < h, r**2, r**2 - np.maximum(y - h, 0.0) ** 2)
    mass = np.sum(w * disc)
    along, across = np.sum(w * disc * disc / 2) / mass, np.sum(w * disc * (disc / 4 + y**2)) / mass
    np.testing.assert_allclose(capsule(2.0, r, h).moments, 2.0 * np.array([across, along, across]), rtol=1e-12)


def test_a_box_is_its_mesh() -> None:
    half = np.array([0.1, 0.3, 0.2])
    made, read = box(1.5, half), mesh(1.5, trimesh.creation.box(2 * half))
    np.testing.assert_allclose(made.moments, read.moments, rtol=1e-12)
    assert {tuple(v) for v in np.round(made.vertices, 12)} == {tuple(v) for v in np.round(read.vertices, 12)}
    np.testing.assert_array_equal(read.mesh_rotation, np.eye(3))


def test_a_mesh_lies_about_its_centre_along_its_principal_axes() -> None:
    shape = wedge()
    body = mesh(2.0, shape)
    own = trimesh.Trimesh(body.from_mesh(shape.vertices), shape.faces)
    np.testing.assert_allclose(own.center_mass, 0.0, atol=1e-14)
    np.testing.assert_allclose(own.moment_inertia * 2.0 / own.volume, np.diag(body.moments), atol=1e-14)
    assert np.linalg.det(body.mesh_rotation) == pytest.approx(1.0)
    assert own.volume > 0.0 and len(body.vertices) == len(shape.vertices)
    assert body.reach == pytest.approx(np.linalg.norm(own.vertices, axis=1).max())


def test_a_mesh_file_is_the_same_body(tmp_path: Path) -> None:
    shape = wedge()
    path = tmp_path / "wedge.ply"
    shape.export(path)
    assert isinstance(mesh(2.0, path), Body)
    np.testing.assert_allclose(mesh(2.0, str(path)).moments, mesh(2.0, shape).moments, rtol=1e-5)  # written in float32


def test_a_mesh_turned_inside_out_is_the_same_body() -> None:
    shape = wedge()
    inside_out = trimesh.Trimesh(shape.vertices, shape.faces[:, ::-1], process=False)
    np.testing.assert_allclose(mesh(2.0, inside_out).moments, mesh(2.0, shape).moments, rtol=1e-12)


def test_a_dented_mesh_touches_with_its_hull() -> None:
    cube = trimesh.creation.box((1, 1, 1))
    apart = np.concatenate([cube.vertices, cube.vertices + np.array([3.0, 0.0, 0.0])])
    dumbbell = trimesh.Trimesh(apart, np.concatenate([cube.faces, cube.faces + 8]), process=False)
    with pytest.warns(TouchesByHull, match="the mesh mesh touches by its convex hull, of which hollows are 50%"):
        assert len(mesh(1.0, dumbbell).vertices) == 8


def test_of_convex_meshes_nothing_is_warned() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(mesh(1.0, trimesh.creation.icosphere(subdivisions=2)).vertices) == 162


def test_equal_moments_fly_as_a_top() -> None:
    stick, brick = flight_inertia(capsule(1.0, 0.1, 0.4)), flight_inertia(box(1.0, [0.1, 0.2, 0.3]))
    assert isinstance(stick, Top) and stick.axis.tolist() == [0.0, 1.0, 0.0]
    plate = flight_inertia(box(1.0, [0.2, 0.2, 0.1]))
    assert isinstance(plate, Top) and plate.axis.tolist() == [0.0, 0.0, 1.0]
    assert isinstance(flight_inertia(ball(1.0, 0.1)), Top)
    assert isinstance(brick, Asymmetric)


def test_an_impulse_sees_inertia_in_world_axes() -> None:
    R = jnp.asarray(Rotation.from_rotvec([0.4, -1.0, 0.7]).as_matrix())
    body = box(1.5, [0.1, 0.3, 0.2])
    seen = free(body, State(jnp.ones(3), R, jnp.zeros(3), jnp.zeros(3)))
    np.testing.assert_allclose(np.linalg.inv(seen.inverse_inertia), R @ np.diag(body.moments) @ R.T, atol=1e-14)
    np.testing.assert_allclose(seen.velocity_at(jnp.zeros(3)), 0.0)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_sizes_and_masses_are_positive_numbers(bad: float) -> None:
    for make in (
        lambda: ball(bad, 0.1),
        lambda: ball(0.1, bad),
        lambda: capsule(0.1, bad, 0.1),
        lambda: capsule(0.1, 0.1, bad),
        lambda: box(0.1, [0.1, bad, 0.1]),
        lambda: mesh(bad, wedge()),
    ):
        with pytest.raises(HoiError, match=r"^the [a-z ]+ of .* must be a positive number, not \S+$"):
            make()


def test_meshes_that_are_no_solids(tmp_path: Path) -> None:
    cube = trimesh.creation.box((1, 1, 1))
    nan = trimesh.Trimesh(np.where(np.arange(24).reshape(8, 3) == 7, np.nan, cube.vertices), cube.faces, process=False)
    flat = trimesh.Trimesh(cube.vertices * [1.0, 1.0, 0.0], cube.faces, process=False)
    opened = trimesh.Trimesh(cube.vertices, cube.faces[:-1], process=False)
    for shape, sentence in (
        (nan, "finite"),
        (flat, "is flat"),
        (opened, "is not closed"),
        (trimesh.Trimesh(), "must have"),
    ):
        with pytest.raises(HoiError, match=sentence):
            mesh(1.0, shape)
    junk = tmp_path / "junk.stl"
    junk.write_bytes(b"not a mesh at all")
    for path, sentence in (
        (tmp_path / "none.obj", "there is no mesh file"),
        (junk, "cannot be read as a mesh|must have"),
    ):
        with pytest.raises(HoiError, match=sentence):
            mesh(1.0, path)
    with pytest.raises(HoiError, match="three numbers"):
        box(1.0, [0.1, 0.2])

"""The built-in body and the one that file skeletons get: proportions, masses, shapes and sites."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kinematics.anthropometry import DE_LEVA
from kinematics.errors import HoiError
from kinematics.forward import Frames, forward
from kinematics.human import human42, standing

HUMAN = human42()


@pytest.fixture(scope="module")
def upright() -> Frames:
    return jax.jit(forward)(HUMAN, jnp.asarray(standing(HUMAN)))


def site_position(frames: Frames, name: str) -> np.ndarray:
    site = HUMAN.site(name)
    return np.asarray(frames.position[site.segment] + frames.rotation[site.segment] @ site.position)


def test_has_42_degrees_of_freedom_with_sane_limits() -> None:
    assert HUMAN.n_dofs == 42
    per_joint = [len(HUMAN.dofs_of(j, "rotation")) for j in range(len(HUMAN.names))]
    assert per_joint[0] == 3 and set(per_joint[1:]) == {1, 2, 3}
    hinges = [d for d, kind in enumerate(HUMAN.topology.dof_kinds) if kind == "rotation"][3:]
    assert np.all(HUMAN.limits[hinges, 0] < 0.0) and np.all(HUMAN.limits[hinges, 1] > 0.0)
    assert np.all(np.isfinite(HUMAN.limits[hinges]))


@pytest.mark.parametrize(("joint", "wrong_way"), [("left_forearm", 0.5), ("right_shank", -0.5)])
def test_elbows_and_knees_bend_one_way(joint: str, wrong_way: float) -> None:
    low, high = HUMAN.limits[HUMAN.dof(f"{joint}.Xrotation")]
    assert not low <= wrong_way <= high
    assert low <= -wrong_way <= high


def test_mass_and_centre_are_a_standing_adults(upright: Frames) -> None:
    inertias = human42(mass=80.0).inertias
    assert inertias.mass.sum() == pytest.approx(80.0)
    limb = HUMAN.inertias.mass[HUMAN.segment("left_thigh")] / HUMAN.inertias.mass.sum()
    assert limb == pytest.approx(DE_LEVA["thigh"].mass, rel=1e-3)
    centres = np.asarray(upright.position) + np.einsum("jik,jk->ji", upright.rotation, HUMAN.inertias.centre)
    centre = HUMAN.inertias.mass @ centres / HUMAN.inertias.mass.sum()
    assert 0.54 < centre[1] / 1.75 < 0.58  # anthropometry: 55 to 57 % of stature
    assert abs(centre[0]) < 1e-9


def test_inertias_are_possible_bodies() -> None:
    for mass, inertia in zip(HUMAN.inertias.mass, HUMAN.inertias.inertia, strict=True):
        principal = np.linalg.eigvalsh(inertia)
        assert mass > 0.05 and np.all(principal > 0)
        assert principal[2] <= principal[0] + principal[1] + 1e-12  # no mass distribution breaks the triangle rule


def test_thigh_inertia_is_the_published_one() -> None:
    segment = HUMAN.segment("left_thigh")
    length = np.linalg.norm(HUMAN.offset[HUMAN.segment("left_shank")])
    mass = HUMAN.inertias.mass[segment]
    expected = mass * (length * np.array([0.329, 0.149, 0.329])) ** 2
    np.testing.assert_allclose(np.diag(HUMAN.inertias.inertia[segment]), expected, rtol=1e-12)


def test_stands_on_the_ground_at_full_height(upright: Frames) -> None:
    assert site_position(upright, "head")[1] == pytest.approx(1.75, abs=0.01)
    for side in ("left", "right"):
        assert site_position(upright, f"{side}_sole")[1] == pytest.approx(0.0, abs=2e-3)


def test_every_site_faces_out_of_its_shape() -> None:
    for site in HUMAN.sites:
        assert site.shape is not None
        shape = HUMAN.shapes[site.shape]
        assert shape.segment == site.segment
        np.testing.assert_allclose(site.rotation.T @ site.rotation, np.eye(3), atol=1e-12)
        assert (site.position - shape.position) @ site.rotation[:, 2] > 0.0


def test_palms_face_each_other_and_turn_up_with_the_forearm(upright: Frames) -> None:
    assert HUMAN.site("left_palm").rotation[:, 2] @ [-1.0, 0.0, 0.0] > 0.99
    assert HUMAN.site("right_palm").rotation[:, 2] @ [1.0, 0.0, 0.0] > 0.99
    q = standing(HUMAN)
    q[HUMAN.dof("left_forearm.Xrotation")] = -np.pi / 2
    q[HUMAN.dof("left_forearm.Yrotation")] = np.pi / 2
    frames = jax.jit(forward)(HUMAN, jnp.asarray(q))
    palm = HUMAN.site("left_palm")
    np.testing.assert_allclose(frames.rotation[palm.segment] @ palm.rotation[:, 2], [0.0, 1.0, 0.0], atol=1e-9)


def test_left_and_right_are_mirror_images() -> None:
    mirror = np.array([-1.0, 1.0, 1.0])
    for site in HUMAN.sites:
        if site.name.startswith("left_"):
            other = HUMAN.site(site.name.replace("left", "right"))
            np.testing.assert_allclose(other.position, mirror * site.position, atol=1e-12)


@pytest.mark.parametrize(("height", "mass"), [(0.1, 70.0), (1.8, 2.0), (9.0, 70.0)])
def test_impossible_bodies_are_refused(height: float, mass: float) -> None:
    with pytest.raises(HoiError, match="must be between"):
        human42(height, mass)


def test_unknown_names_list_the_choices() -> None:
    with pytest.raises(HoiError, match=r"unknown site 'left_tail'; choose from: head, chest, left_palm"):
        HUMAN.site("left_tail")
    with pytest.raises(HoiError, match=r"unknown body point 'tail'"):
        HUMAN.point("tail")
    assert HUMAN.point("right_hand")[0] == HUMAN.segment("right_hand")

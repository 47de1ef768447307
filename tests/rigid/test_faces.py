"""The sides of bodies: how many there are, which looks where, what a body can lie on."""

import numpy as np

from rigid.body import Body, ball, box, capsule
from rigid.faces import face_towards, faces_of, stands_on


def wedge() -> Body:
    """Taller than wide, and leaning so far that it cannot stand on its bottom."""
    bottom = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.1, 0.0, 0.1], [0.0, 0.0, 0.1]])
    corners = np.concatenate([bottom, bottom + [0.3, 0.4, 0.0]])
    return Body(corners - corners.mean(axis=0), 0.0, 1.0, np.ones(3), np.zeros(3), np.eye(3))


def test_a_box_has_six_sides_with_four_corners_each() -> None:
    faces = faces_of(box(1.0, [0.1, 0.2, 0.3]))
    assert sorted(np.round(face.normal).tolist() for face in faces) == sorted(
        [*np.eye(3).tolist(), *(-np.eye(3)).tolist()]
    )
    assert {len(face.corners) for face in faces} == {4}
    assert sorted(round(face.height(), 9) for face in faces) == [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]
    assert all(map(stands_on, faces))


def test_what_is_round_has_a_side_wherever_one_looks() -> None:
    assert not faces_of(capsule(1.0, 0.05, 0.2)) and not faces_of(ball(1.0, 0.1))
    side = face_towards(capsule(1.0, 0.05, 0.2), np.array([1.0, 3.0, 0.0]))
    np.testing.assert_allclose(side.normal, [1.0, 0.0, 0.0])
    np.testing.assert_allclose(side.nearest(np.array([0.4, 0.1, 0.2]), 0.0), [0.05, 0.1, 0.0])


def test_the_nearest_place_of_a_side_keeps_off_its_edges() -> None:
    top = face_towards(box(1.0, [0.2, 0.1, 0.2]), np.array([0.1, 1.0, 0.0]))
    np.testing.assert_allclose(top.nearest(np.array([0.05, 0.4, 0.03]), 0.05), [0.05, 0.1, 0.03])
    far = top.nearest(np.array([1.0, 0.4, 0.0]), 0.05)
    assert far[1] == 0.1 and 0.1 < far[0] < 0.2


def test_a_leaning_body_is_not_laid_on_what_it_would_tip_off() -> None:
    down = np.array([0.0, -1.0, 0.0])
    assert face_towards(wedge(), down).normal @ down > 0.99
    stable = face_towards(wedge(), down, stable=True)
    assert stands_on(stable) and stable.normal @ down < 0.99

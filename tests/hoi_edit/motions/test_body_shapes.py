"""Frames of a rollout's bodies, and the shapes on them, are those of its poses."""

import numpy as np

import hoi_edit as hoi
from hoi_edit.export.sampling import joint_frames
from hoi_edit.motions.body_shapes import placed_shapes, world_shapes


def test_segments_carry_the_shapes_of_the_pose() -> None:
    session = hoi.open("juggle3")
    character, times = session.scene.characters[0], np.array([0.0, 1.234, 9.9])
    position, rotation = joint_frames(session.rollout, character, times)
    parameters = session.rollout.controls.motions["juggler"]
    poses = np.stack([np.asarray(character.motion.pose(parameters, t)) for t in times])
    for placed, posed in zip(
        placed_shapes(character.skeleton, position, rotation), world_shapes(character.skeleton, poses), strict=True
    ):
        assert placed.kind == posed.kind
        assert np.allclose(placed.position, posed.position, atol=1e-9)
        assert np.allclose(placed.rotation, posed.rotation, atol=1e-9)
    hand = session.state("juggler/right_hand", 1.234)
    k = character.skeleton.names.index("right_hand")
    assert np.allclose(position[1, k], hand.position) and np.allclose(rotation[1, k], hand.rotation)

"""Frames of a rollout's bodies, and the shapes on them, are those of its poses."""

from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.export.body_shapes import placed_shapes, world_shapes
from hoi_edit.export.sampling import joint_frames


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


def test_a_session_knows_whether_it_is_saved(tmp_path: Path) -> None:
    ball = hoi.Thing("ball", hoi.ball(0.4, 0.1), hoi.Flying(np.array([0.0, 1.0, 0.0])))
    session = hoi.EditSession(hoi.Scene(things=[ball], end=0.3))
    seen = [session.unsaved]
    for step in (lambda: session.lock("ball"), session.undo, session.redo, lambda: session.save(tmp_path / "a.hoi")):
        step()
        seen.append(session.unsaved)
    assert seen == [False, True, False, True, False]
    session.undo()
    assert session.unsaved and not hoi.EditSession.load(tmp_path / "a.hoi", recover=False).unsaved
    assert hoi.EditSession.saved(tmp_path / "a.hoi").now == 1

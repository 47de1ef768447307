"""The layer of edits muted, compared with its source, and baked into clips."""

from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.scenes.resources import clip_path
from hoi_edit.session import EditSession
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.io import read_bvh, read_clip, write_bvh


@pytest.fixture(scope="module")
def clip() -> Clip:
    return read_clip(clip_path("juggling_mime"))


@pytest.fixture(scope="module")
def session(clip: Clip) -> EditSession:
    """A hand dragged at 1 s, in a window."""
    scene = hoi.Scene([hoi.Character("juggler", clip.skeleton, hoi.Layer.over(clip))], end=3.0)
    session = hoi.open(scene)
    session.window(0.5, 1.5)
    assert session.drag(
        "juggler/right_hand", 1.0, session.state("juggler/right_hand", 1.0).position + [0.1, 0.1, 0.0]
    ).converged
    return session


def test_a_muted_session_shows_its_source_and_an_edit_shows_itself(session: EditSession) -> None:
    edited, source = session.state("juggler/right_hand", 1.0).position, session.source
    u = session.u
    session.mute()
    assert session.rollout is source is session.source
    assert np.linalg.norm(session.state("juggler/right_hand", 1.0).position - edited) == pytest.approx(np.sqrt(0.02))
    assert np.array_equal(session.u, u)  # only what is shown has changed
    session.mute(False)
    assert np.array_equal(session.state("juggler/right_hand", 1.0).position, edited)
    session.mute()
    session.lock("juggler/head")
    assert session.rollout is not source
    session.undo()


def test_the_largest_changes_are_named_with_their_times(session: EditSession) -> None:
    seen = session.compare()
    assert "right_hand" in seen.joints[0].name
    hand = next(own for own in seen.joints if own.name == "juggler/right_hand")
    assert hand.distance >= np.sqrt(0.02) - 1e-6 and hand.time == pytest.approx(1.0, abs=0.05)
    assert all(0.5 < own.time < 1.5 for own in seen.joints if own.distance > 1e-6)
    moved = [own.distance for own in seen.joints]
    assert moved == sorted(moved, reverse=True)
    assert "juggler/right_hand by 14" in str(seen) and len(str(seen.largest(2)).splitlines()) == 2
    while session.undo():
        pass
    assert str(session.compare()) == "nothing has changed" and not session.compare().joints
    while session.redo():
        pass
    session.undo()  # the lock of another test


def test_contacts_and_things_are_compared() -> None:
    session = hoi.open("juggle3")
    assert session.drag("ball2", 4.0, session.state("ball2", 4.0).position + [0.0, 0.2, 0.0]).converged
    seen = session.compare()
    assert seen.things[0].name == "ball2" and seen.things[0].distance > 0.19
    assert any(abs(own.shift) > 1e-6 for own in seen.contacts)


def test_what_came_in_later_is_named_and_not_compared() -> None:
    session = hoi.open("juggle3")
    assert session.drag("ball2", 4.0, session.state("ball2", 4.0).position + [0.0, 0.1, 0.0]).converged
    session.add_thing(hoi.Thing("ball4", hoi.ball(0.1, 0.04), hoi.Flying(np.array([2.5, 1.0, 0.3]))))
    session.import_clip(clip_path("stand_mime"), name="guest", move=(3.0, 0.0))
    seen = session.compare()
    assert seen.things[0].name == "ball2" and seen.added == ("guest", "ball4")
    assert not any(own.name.startswith(("ball4", "guest")) for own in (*seen.joints, *seen.things))
    assert str(seen).splitlines()[:2] == ["guest is new", "ball4 is new"]


def test_a_bake_is_the_edit_and_leaves_the_source_as_it_was(session: EditSession, clip: Clip, tmp_path: Path) -> None:
    rows, controls = clip.poses.copy(), np.array(session.scene.characters[0].motion.parameters())
    own, back = session.bake(), session.bake("juggler", clip)
    assert np.array_equal(clip.poses, rows) and np.array_equal(
        session.scene.characters[0].motion.parameters(), controls
    )
    assert own.n_frames == clip.n_frames and own.frame_time == pytest.approx(clip.frame_time)
    assert np.abs(own.poses - back.poses).max() < 1e-12
    changed = np.abs(back.poses - rows).max(axis=1)
    outside = (clip.times < 0.5) | (clip.times > 1.5)
    assert changed[outside].max() < 1e-12 < 1e-2 < changed.max()
    again = hoi.open(hoi.Scene([hoi.Character("juggler", own.skeleton, hoi.Layer.over(own))], end=3.0))
    assert (
        np.abs(
            again.state("juggler/right_hand", 1.0).position - session.state("juggler/right_hand", 1.0).position
        ).max()
        < 1e-4
    )
    write_bvh(clip, tmp_path / "source.bvh")
    write_bvh(back, tmp_path / "baked.bvh")
    before, after = (read_bvh(tmp_path / f"{name}.bvh", raw=True).source_rows for name in ("source", "baked"))
    assert before is not None and after is not None
    assert np.array_equal(before[outside], after[outside]) and not np.array_equal(before, after)


def test_mistakes_are_told(session: EditSession, clip: Clip) -> None:
    with pytest.raises(HoiError, match="ann, bob"):
        hoi.open("passing6").bake()
    with pytest.raises(HoiError, match="nobody"):
        session.bake("nobody")


def test_what_came_and_went_is_named() -> None:
    things = [
        hoi.Thing(name, hoi.ball(0.1, 0.05), hoi.Flying(np.array([x, 2.0, 0.0]))) for x, name in enumerate(("a", "b"))
    ]
    session = hoi.open(hoi.Scene(things=things, end=0.4))
    session.add_thing(hoi.Thing("c", hoi.ball(0.1, 0.05), hoi.Flying(np.array([3.0, 2.0, 0.0]))))
    session.remove_thing("a")
    compared = session.compare()
    assert (compared.added, compared.removed) == (("c",), ("a",))
    assert str(compared.largest()) == "c is new\na is gone"
    assert repr(compared) == "<comparison: new: c; gone: a>"
    assert session.drag("b", 0.3, session.state("b", 0.3).position + [0.1, 0.0, 0.0]).converged
    assert "1 thing changed" in repr(session.compare()) and "most of all b, by " in repr(session.compare())

"""What can be written down and cannot be meant is answered in one sentence, before anything is simulated."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.scenes.resources import clip_path
from kinematics import clip_tools
from kinematics.clip import Clip
from kinematics.human import human42
from kinematics.io import read_clip
from tests.kinematics.io.rigs import RIGS, rig_bvh
from tests.kinematics.io.samples import written


@pytest.fixture(scope="module")
def clip() -> Clip:
    return clip_tools.trim(read_clip(clip_path("stand_mime")), 0.0, 1.0)


def opened(clip: Clip, *things: hoi.Thing, fixture: hoi.Fixture | None = None) -> hoi.EditSession:
    fixtures = [hoi.ground(), *([] if fixture is None else [fixture])]
    return hoi.open(hoi.Scene([hoi.Character.of("ann", clip)], list(things), fixtures, end=1.0))


def ball(place: list[float] | None) -> hoi.Thing:
    held = hoi.Held("ann/right_palm", position=None if place is None else np.array(place))
    return hoi.Thing("ball", hoi.ball(0.1, 0.04), held)


def in_degrees(clip: Clip) -> Clip:
    poses = np.array(clip.poses)
    poses[:, clip.skeleton.dof("left_forearm.Xrotation")] = -70.0
    return replace(clip, poses=poses, source_rows=None)


def scaled(clip: Clip, size: float) -> Clip:
    skeleton = replace(clip.skeleton, offset=size * clip.skeleton.offset)
    return replace(clip, skeleton=skeleton, source_rows=None)


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda clip: opened(scaled(clip, 0.05)), r"ann is 0\.08\d+ m tall, .* units='cm' or another"),
        (lambda clip: opened(scaled(clip, 5.0)), r"ann is 8\.\d+ m tall, and people are 0.3 to 4 m"),
        (lambda clip: opened(in_degrees(clip)), "ann's left_forearm.Xrotation is -70: angles are in radians"),
        (lambda clip: opened(clip, ball([0.0, 3.0, 0.0])), r"'ball' is 3\.\d+ m away from 'ann/right_palm'"),
        (lambda clip: clip_tools.place(clip, turn=-70.0), r"-70 degrees are -1\.2217 rad"),
        (lambda clip: opened(clip).bend("ann/left_forearm.Xrotation", 0.5, -70.0), "-70 degrees are -1.2217 rad"),
    ],
)
def test_one_sentence_says_what_is_amiss(clip: Clip, ask: Callable[[Clip], object], answer: str) -> None:
    with pytest.raises(hoi.HoiError, match=answer) as told:
        ask(clip)
    assert "\n" not in str(told.value)


def test_what_is_held_a_little_off_the_palm_is_held(clip: Clip) -> None:
    palm = human42().site("right_palm").position
    assert opened(clip, ball([*(palm + [0.0, 0.0, 0.2])])).scene.things
    assert opened(clip, ball(None)).scene.things


def test_somebody_in_the_air_is_told_unless_something_is_below(clip: Clip) -> None:
    lifted = clip_tools.place(clip, (0.0, 1.0, 0.0))
    with pytest.warns(hoi.FloatingPerson, match=r"ann is never nearer than 0\.9\d m to what is below"):
        opened(lifted)
    stage = replace(hoi.ground(), name="stage", position=np.zeros(3))  # a slab of 2 m about the ground
    opened(lifted, fixture=stage)
    with pytest.warns(hoi.FloatingPerson, match="ann is put 1.00 m above what it stands on"):
        opened(clip).place("ann", by=[0.0, 1.0, 0.0])


def test_a_clip_is_read_as_is_said(tmp_path: Path) -> None:
    rig = next(rig for rig in RIGS if rig.house == "Unreal")
    text = rig_bvh(rig).replace("hand_l", "grip_a").replace("hand_r", "grip_b")
    path = written(tmp_path, text)
    roles = {"left_hand": "grip_a", "right_hand": "grip_b"}
    with pytest.warns(hoi.DoubtfulClip, match="no joint is known to be its left hand or right hand"):
        unknown = hoi.open(path)
    with pytest.raises(hoi.HoiError, match=r"recognised as right_hand: .* roles=\{'right_hand': 'grip_b'\}"):
        unknown.state("clip/right_palm", 0.1)
    session = hoi.open(path, units="cm", up="y", roles=roles)
    assert np.isfinite(session.state("clip/right_palm", 0.1).position).all()
    assert f"units='cm', up='y', roles={roles!r})" in session.script()
    session.import_clip(path, name="bob", move=(1.5, 0.0), units=0.0125, roles=roles)
    tall, taller = (session.state(f"{name}/head", 0.1).position[1] for name in ("clip", "bob"))
    assert taller == pytest.approx(1.25 * tall, rel=0.02) and "units=0.0125" in session.script()
    session.save(tmp_path / "mine.hoi")
    again = hoi.open(tmp_path / "mine.hoi")
    assert again.script() == session.script()
    with pytest.raises(hoi.HoiError, match="units= is about reading a clip, and juggle3 is none"):
        hoi.open("juggle3", units="cm")
    with pytest.raises(hoi.HoiError, match=r"clip is 17\d m tall"):
        hoi.open(path, units="m", roles=roles)

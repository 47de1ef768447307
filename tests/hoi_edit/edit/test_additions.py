"""Things and motions that come into a scene while it is edited: one step each, undone to the bit, kept in files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.additions import free_name
from hoi_edit.scenes.resources import clip_path
from hoi_edit.truth.paddle_rig import rig, still
from hoi_edit.verify import measures
from kinematics import clip_tools
from kinematics.io import read_clip
from tests.ui import garden


def thing(name: str, x: float, vx: float = 0.0) -> hoi.Thing:
    start = hoi.Flying(np.array([x, 1.0, 0.0]), np.array([vx, 2.0, 0.0]))
    return hoi.Thing(name, hoi.ball(0.4, 0.1), start)


def session() -> hoi.EditSession:
    return hoi.EditSession(hoi.Scene(things=[thing("ball", 0.0)], fixtures=[hoi.ground()], end=0.6, name="small"))


def flat() -> hoi.Character:
    return rig(still(0.0), still(1.0), still(0.0), still(0.0), end=0.8)


@pytest.fixture(scope="module")
def performer() -> hoi.EditSession:
    return hoi.open(str(clip_path("stand_mime")))


def test_a_thing_joins_and_what_it_does_not_touch_is_as_it_was() -> None:
    own = session()
    own.drag("ball", t=0.3, to=own.state("ball", 0.3).position + [0.0, 0.1, 0.0])
    before, was = own.document, own.state("ball", 0.5)
    assert own.add_thing(thing("second", 2.0)) == ()
    assert [one.name for one in own.scene.things] == ["ball", "second"]
    assert np.array_equal(own.state("ball", 0.5).position, was.position)
    fall = 1.0 + 2.0 * 0.3 - 0.5 * 9.81 * 0.3**2
    assert own.state("second", 0.3).position == pytest.approx([2.0, fall, 0.0])
    own.drag("second", t=0.3, to=[2.0, fall + 0.1, 0.0])  # and is edited like any other
    assert own.undo() and own.undo() and own.document is before
    assert own.history[2].label == "add second"


def test_what_is_wrong_with_something_new_is_told_in_a_sentence() -> None:
    own, ball, box = session(), hoi.ball(0.4, 0.1), hoi.RoundedBox(np.ones(3), 0.0)
    words: Any = "here"
    for new, what in (
        (hoi.Thing("second", words, hoi.Flying(np.zeros(3))), "the body of thing 'second' is 'here'"),
        (hoi.Thing("second", ball, hoi.Flying(words)), "'second' has a place or velocity 'here'"),
        (hoi.Fixture("wall", words), "the shape of fixture 'wall' is 'here'"),
        (hoi.Fixture("wall", hoi.RoundedBox(words, 0.0)), "the half extents of fixture 'wall' are 'here'"),
        (hoi.Fixture("wall", box, words), "the position of fixture 'wall' is 'here'"),
    ):
        with pytest.raises(hoi.HoiError, match=what):
            own.add_thing(new) if isinstance(new, hoi.Thing) else own.add_fixture(new)
    assert own.now == 0


def test_a_thing_that_gets_in_the_way_is_told() -> None:
    told = session().add_thing(thing("second", 0.5, vx=-2.0))
    assert any(own.kind == "hits" and {own.name, own.partner} == {"ball", "second"} for own in told)


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ([2.0, 0.0, 0.0], "'second' starts 100 mm inside 'ground'"),
        ([0.05, 1.0, 0.0], "'ball' and 'second' start inside"),
    ],
)
def test_a_thing_that_would_start_inside_something_is_refused_as_when_a_scene_is_opened(
    where: list[float], what: str
) -> None:
    own, inside = session(), hoi.Thing("second", hoi.ball(0.4, 0.1), hoi.Flying(np.array(where)))
    with pytest.raises(hoi.HoiError, match=what) as told:
        own.add_thing(inside)
    assert len(own.history) == 1
    with pytest.raises(hoi.HoiError) as also:
        hoi.open(hoi.Scene(things=[*own.scene.things, inside], fixtures=[hoi.ground()], end=0.6))
    assert str(also.value) == str(told.value)


def test_a_shelf_joins_with_what_lies_on_it_and_goes_again(tmp_path: Path) -> None:
    own = session()
    shelf = hoi.Fixture("shelf", hoi.RoundedBox(np.array([0.4, 0.1, 0.4]), 0.0), np.array([2.0, 0.4, 0.0]))
    with pytest.raises(hoi.HoiError, match="no fixture; give one such as"):
        own.add_fixture(thing("second", 2.0))  # type: ignore[arg-type]
    assert own.add_fixture(shelf) == ()
    lies = hoi.Flying(np.array([2.0, 0.6, 0.0]))
    own.add_thing(hoi.Thing("box", hoi.box(1.0, [0.1] * 3), lies, hoi.Material(0.0, 0.5)))
    assert own.state("box", 0.5).position == pytest.approx([2.0, 0.6, 0.0], abs=1e-4)  # on the shelf
    fresh = session()
    exec(own.script().replace("hoi.open(scene)", "fresh"), {"fresh": fresh})
    assert np.array_equal(fresh.state("box", 0.5).position, own.state("box", 0.5).position)
    with pytest.raises(hoi.HoiError, match="unknown fixture 'rack'; choose from: ground, shelf"):
        own.remove_fixture("rack")
    own.remove_fixture("shelf")
    assert [one.name for one in own.scene.fixtures] == ["ground"] and own.state("box", 0.5).position[1] < 0.2
    own.save(tmp_path / "a.hoi")
    again = hoi.open(tmp_path / "a.hoi")
    assert again.history[1].label == "add shelf" and again.undo() and "shelf" in str(again.scene.fixtures)


def test_a_wall_in_the_way_of_a_ball_is_told() -> None:
    wall = hoi.Fixture("wall", hoi.RoundedBox(np.array([0.1, 1.0, 1.0]), 0.0), np.array([0.5, 1.0, 0.0]))
    own = hoi.EditSession(hoi.Scene(things=[thing("ball", 0.0, vx=2.0)], fixtures=[hoi.ground()], end=0.6))
    (told,) = own.add_fixture(wall)
    assert (told.kind, told.name, told.partner) == ("hits", "ball", "wall") and own.state("ball", 0.6).position[0] < 0.3


def test_nobody_is_put_where_a_thing_starts(performer: hoi.EditSession) -> None:
    own = performer.copy()
    where = own.state("stand_mime/head", 0.0).position
    with pytest.raises(hoi.HoiError, match=r"'ball' starts .* inside 'stand_mime/head'"):
        own.add_thing(hoi.Thing("ball", hoi.ball(0.1, 0.03), hoi.Flying(where)))
    own.add_thing(hoi.Thing("ball", hoi.ball(0.1, 0.03), hoi.Flying(where + [1.5, 0.0, 0.0])))
    with pytest.raises(hoi.HoiError, match=r"'ball' starts .* inside 'twin/head'"):
        own.import_clip(clip_path("stand_mime"), name="twin", move=(1.5, 0.0))
    with pytest.raises(hoi.HoiError, match=r"'ball' starts .* inside 'stand_mime/head'"):
        own.import_clip(clip_path("stand_mime"), onto="stand_mime", move=(1.5, 0.0))


def test_names_that_are_taken_are_refused_and_others_found() -> None:
    own = session()
    with pytest.raises(hoi.HoiError, match="'ball'"):
        own.add_thing(thing("ball", 1.0))
    assert len(own.history) == 1
    assert free_name("ball", ["ball"]) == "ball2" and free_name("ball2", ["ball", "ball2"]) == "ball3"
    assert free_name("a/b", []) == "a_b"


def test_it_is_kept_in_files_and_in_scripts(tmp_path: Path) -> None:
    own = session()
    own.add_thing(hoi.Thing("box", hoi.box(1.0, [0.1, 0.2, 0.3]), hoi.Flying(np.array([2.0, 1.0, 0.0]))))
    own.save(tmp_path / "a.hoi")
    again = hoi.open(tmp_path / "a.hoi")
    assert np.array_equal(again.state("box", 0.2).position, own.state("box", 0.2).position)
    fresh = session()
    exec(own.script().replace("hoi.open(scene)", "fresh"), {"fresh": fresh})
    assert np.array_equal(fresh.state("box", 0.2).position, own.state("box", 0.2).position)
    assert np.array_equal(fresh.scene.thing("box").body.moments, own.scene.thing("box").body.moments)


def test_a_copy_goes_its_own_way() -> None:
    own = session()
    other = own.copy()
    other.add_thing(thing("second", 2.0))
    assert own.now == 0 and other.now == 1 and other.file is None
    assert own.document is other.history[0].document


def test_a_clip_alone_makes_a_scene(performer: hoi.EditSession) -> None:
    clip = read_clip(clip_path("stand_mime"))
    scene = performer.scene
    assert scene.name == "stand_mime" and [own.name for own in scene.fixtures] == ["ground"]
    assert (scene.start, scene.end) == (clip.start, clip.end)
    assert "hoi.open(" in performer.script() and "stand_mime.bvh" in performer.script()


def test_somebody_joins_trimmed_placed_and_turned(performer: hoi.EditSession) -> None:
    own = performer.copy()
    path = clip_path("catch_mime")
    own.import_clip(path, trim=(0.5, 1.5), at=0.0, move=(1.5, -0.5), turn=np.pi / 2)
    assert [person.name for person in own.scene.characters] == ["stand_mime", "catch_mime"]
    clip = clip_tools.offset(clip_tools.trim(read_clip(path), 0.5, 1.5), -0.5)
    clip = clip_tools.place(clip, (1.5, 0.0, -0.5), np.pi / 2)
    root = own.scene.characters[1].skeleton.names[0]
    place = own.state(f"catch_mime/{root}", 0.25).position
    assert place == pytest.approx(clip_tools.root_positions(clip_tools.resample(clip, 60.0))[15], abs=1e-3)
    own.import_clip(path)
    assert own.scene.characters[2].name == "catch_mime2"
    assert own.undo() and own.undo() and own.document is performer.document


def test_somebody_takes_over_another_motion(performer: hoi.EditSession) -> None:
    own = performer.copy()
    hand = "stand_mime/right_palm"
    own.drag(hand, t=0.5, to=own.state(hand, 0.5).position + [0.0, 0.05, 0.0])
    own.import_clip(clip_path("catch_mime"), onto="stand_mime")
    alone = hoi.open(str(clip_path("catch_mime")))
    assert np.allclose(own.state(hand, 0.5).position, alone.state("catch_mime/right_palm", 0.5).position)
    with pytest.raises(hoi.HoiError, match="'nobody'"):
        own.import_clip(clip_path("catch_mime"), onto="nobody")


def test_what_somebody_catches_waits_for_the_new_motion_to_be_solved() -> None:
    own = hoi.EditSession(garden.scene())
    assert own.grasp("ball", "mime/right_palm", garden.CATCH).converged
    own.import_clip(clip_path("stand_mime"), onto="mime", turn=0.1)
    (catch,) = own.scene.contacts
    assert catch.declared and catch.id in own.rollout.happened  # by decree, so that it can be seen
    assert own.solve().converged
    assert not own.scene.contacts[0].declared and catch.id in own.rollout.happened
    assert own.undo() and own.undo() and not own.scene.contacts[0].declared


def test_what_was_kept_of_the_old_body_is_made_anew_or_taken_out_and_told() -> None:
    """A rig of four degrees of freedom gets a body of 42: what was made for the first cannot go on."""
    rigid = hoi.Thing("ball", hoi.ball(0.1, 0.03), hoi.Flying(np.array([5.0, 3.0, 0.0])))
    own = hoi.EditSession(hoi.Scene([flat()], [rigid], [hoi.ground()], end=0.8, name="rig"))
    for constraint in (
        hoi.JointLimits.of(own.rollout, "rig"),
        hoi.Pin("rig/palm", 0.3, position=own.state("rig/palm", 0.3).position),
        hoi.HandAcceleration("rig/head", 0.5),
        hoi.FootPlant("rig", "head", np.array([0.3]), own.state("rig/head", 0.3).position[None]),
        hoi.Pin("ball", 0.3, position=own.state("ball", 0.3).position),
    ):
        assert own.add(constraint).converged
    for name in ("rig/palm", "ball"):
        off = hoi.Pin(name, 0.5, position=own.state(name, 0.5).position)
        assert own.add(off).converged
        own.switch_off(off)
    own.lock("rig/paddle")
    own.lock("rig/head", span=(0.0, 0.1))
    told = own.import_clip(clip_path("catch_mime"), onto="rig")
    assert [kept.label for kept in own.document.constraints] == [
        "joint limits of rig", "acceleration of rig/head", "pin of ball at 0.30 s",
    ]  # fmt: skip
    assert [kept.label for kept in own.document.switched_off] == ["pin of ball at 0.50 s"]
    limits = own.document.constraints[0]
    assert isinstance(limits, hoi.JointLimits) and limits.low.shape == (own.scene.characters[0].skeleton.n_dofs,)
    assert [lock.name for lock in own.document.freedom.locks] == ["rig/head"]
    expected = ("joint limits of rig: made anew", "pin of rig/palm at 0.30 s: taken out",
                "acceleration of rig/head: up to", "head of rig on the ground: taken out",
                "the lock of rig/paddle: taken out")  # fmt: skip
    for words in expected:
        assert any(words in str(finding) for finding in told), words
    hand = "rig/right_palm"
    assert own.drag(hand, t=0.4, to=own.state(hand, 0.4).position + [0.0, 0.03, 0.0]).converged
    assert list(measures(own))  # which the old limits would end with an error


def test_contacts_that_are_only_declared_are_told_at_every_door(tmp_path: Path) -> None:
    own = hoi.EditSession(garden.scene())
    assert own.grasp("ball", "mime/right_palm", garden.CATCH).converged
    assert "solve()" not in repr(own) and not own.export(tmp_path / "a.csv")[0].notes
    told = own.import_clip(clip_path("stand_mime"), onto="mime", turn=0.1)
    for words in (str(told[0]), repr(own), own._repr_html_(), str(own.export(tmp_path / "a.csv")[0])):
        assert "contact catch1 is only declared" in words and "session.solve()" in words


@pytest.mark.parametrize("name", ["nothing.bvh", "nothing.amc", "picture.png"])
def test_a_clip_that_is_missing_or_none_is_one_sentence(performer: hoi.EditSession, tmp_path: Path, name: str) -> None:
    with pytest.raises(hoi.HoiError, match=name):
        performer.copy().import_clip(tmp_path / name)


def test_what_reading_a_clip_decided_and_how_far_the_scene_has_grown_is_told(performer: hoi.EditSession) -> None:
    own = performer.copy()
    notices = read_clip(clip_path("kick_mime")).notices
    assert notices and [*map(str, own.import_clip(clip_path("kick_mime"), move=(2.0, 0.0)))] == [*notices]
    (told,) = own.import_clip(clip_path("juggling_mime"), move=(-2.0, 0.0))
    assert "which ended at 6 s, now goes on to 8 s" in str(told) and own.scene.end == 8.0
    (told,) = own.import_clip(clip_path("catch_mime"), at=-50.0, move=(0.0, 2.0))
    assert "none of it is seen" in str(told) and own.scene.end == 8.0


def test_somebody_on_top_of_somebody_else_is_told(performer: hoi.EditSession) -> None:
    own = performer.copy()
    (told,) = own.import_clip(clip_path("stand_mime"), name="twin")
    assert "twin is in the same place as stand_mime at 0.00 s (0.00 m apart)" in str(told) and "move=" in str(told)
    assert own.import_clip(clip_path("stand_mime"), name="third", move=(1.0, 0.0)) == ()


@pytest.mark.parametrize("turn", [90, -180.0])
def test_a_turn_in_degrees_is_told_in_radians(performer: hoi.EditSession, turn: float) -> None:
    own = performer.copy()
    for edit in (
        lambda: own.import_clip(clip_path("stand_mime"), turn=turn),
        lambda: own.place("stand_mime", turn=turn),
    ):
        with pytest.raises(hoi.HoiError, match=f"in radians; {turn:g} degrees are {np.deg2rad(turn):.4f} rad"):
            edit()
    assert own.now == 0
    own.import_clip(clip_path("stand_mime"), move=(1.5, 0.0), turn=2.0 * np.pi)  # all the way round is a turn

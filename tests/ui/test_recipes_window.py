"""Recipes from recorded clips, made with nothing but the mouse in the real window; each is verified as a document."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hoi_edit.verify import verify
from tests.ui import recipes, screen
from tests.ui.juggling import is_orange, look_away, viewport_of
from tests.ui.screen import Hand, pixels, window_of

pytestmark = screen.WINDOW
CLIPS = {
    "ann": "cmu_141_10_toss_and_catch", "pitcher": "cmu_124_01_baseball_pitch", "kicker": "cmu_10_05_soccer_kick",
    "porter": "cmu_115_06_pick_up_box_knees", "batter": "cmu_124_07_baseball_swing",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(mocap: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Clips by the names of who is in them."""
    folder = tmp_path_factory.mktemp("clips")
    for who, clip in CLIPS.items():
        shutil.copyfile(mocap / f"{clip}.bvh", folder / f"{who}.bvh")
    return folder


@pytest.fixture(scope="module")
def hand(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hand]:
    with window_of(str(folder / "ann.bvh"), tmp_path_factory) as hand:
        yield hand


def begin_with(hand: Hand, folder: Path, who: str) -> None:
    editor = hand.app.editor
    if editor.shown.title != who:
        editor.open(str(folder / f"{who}.bvh"))
        hand.until(lambda: editor.shown.title == who, "the clip is open")
        hand.settle()


def happens(hand: Hand) -> list[tuple[str, str | None]]:
    """What is meant, in order."""
    return [(event.kind, event.other) for event in hand.app.editor.rollout.events if event.intended]


def is_right(hand: Hand) -> bool:
    """What `hoi-edit check` says of the document."""
    session = hand.app.editor.worker._session
    assert session is not None
    return verify(session, print)


def ball_is_seen(hand: Hand, t: float) -> bool:
    recipes.go_to(hand, t)
    look_away(hand)
    return is_orange(pixels(), hand.where("ball", hand.app.editor.t))


def test_a_toss_from_one_hand_to_the_other(hand: Hand, folder: Path) -> None:
    begin_with(hand, folder, "ann")
    before = pixels()
    recipes.give_ball(hand, "ann", "right")
    recipes.throw(hand, "ann", "right", 1.5, "ann's left hand")
    assert happens(hand) == [("release", "ann/RightHand"), ("grasp", "ann/LeftHand")]
    assert hand.app.editor.shown.now == 2 and hand.app.editor.status.startswith("ball is thrown to ann's left palm.")
    assert is_right(hand) and ball_is_seen(hand, 1.7)
    assert np.abs(viewport_of(hand, pixels()) - viewport_of(hand, before)).max() > 60


def test_two_people_pass_a_ball(hand: Hand, folder: Path) -> None:
    begin_with(hand, folder, "pitcher")
    editor = hand.app.editor
    recipes.bring(hand, folder, "ann")
    assert editor.selected == "ann"
    recipes.place(hand, (0.6, 3.3), quarters=-1)
    assert editor.shown.labels[2:] == ("place ann", "place ann") and editor.status == "ann is turned by -90°."
    recipes.give_ball(hand, "pitcher", "right")
    recipes.throw(hand, "pitcher", "right", 3.6, "ann's left hand")
    assert happens(hand) == [("release", "pitcher/RightHand"), ("grasp", "ann/LeftHand")]
    assert is_right(hand)
    hand.app.act("frame_all")
    assert ball_is_seen(hand, 4.0)


def test_a_kick_is_meant_and_then_dragged_into_a_goal(hand: Hand, folder: Path) -> None:
    begin_with(hand, folder, "kicker")
    app, editor = hand.app, hand.app.editor
    recipes.go_to(hand, 2.5)
    app.act("side")
    app.act("frame_all")
    editor.camera = editor.camera.dolly(1.8)
    hand.settle()
    recipes.kick(hand, "kicker", "right", 2.5)
    assert [event for event in happens(hand) if event[0] == "impact"] == [("impact", "kicker/RightFoot")]
    was = editor.rollout.state("ball", 2.6).position
    recipes.pull_ball(hand, 2.6, (-20.0, -40.0))
    now = editor.rollout.state("ball", editor.t).position
    assert now[1] > was[1] + 0.2 and editor.status.startswith(("Moved ball at 2.6", "It came as near"))
    assert is_right(hand) and ball_is_seen(hand, 2.6)


def test_a_box_is_picked_up_carried_and_put_down(hand: Hand, folder: Path) -> None:
    begin_with(hand, folder, "porter")
    before = pixels()
    recipes.carry_box(hand, "porter", 0.82, 2.4)
    rollout = hand.app.editor.rollout
    assert [kind for kind, _ in happens(hand)][:1] == ["grasp"] and hand.app.editor.shown.now == 3
    carried, laid = rollout.state("box", 1.8), rollout.state("box", rollout.model.scene.end)
    assert carried.position[1] > 0.5 and laid.position[1] == pytest.approx(0.15, abs=1e-4)
    assert np.abs(laid.velocity).max() < 1e-9 and is_right(hand)
    recipes.go_to(hand, 1.8)
    look_away(hand)
    x, y = (round(v) for v in hand.where("box", 1.8))
    around = pixels()[y - 40 : y + 40, x - 40 : x + 40].reshape(-1, 3)  # arms are before its middle
    assert np.mean(around[:, 0] > around[:, 1] + 40) > 0.2  # a box is red here
    assert np.abs(viewport_of(hand, pixels()) - viewport_of(hand, before)).max() > 60


def colour_around(hand: Hand, thing: str, t: float) -> np.ndarray:
    """(N, 3) of the picture about the middle of a thing."""
    recipes.go_to(hand, t)
    look_away(hand)
    x, y = (round(v) for v in hand.where(thing, t))
    return pixels()[y - 12 : y + 12, x - 12 : x + 12].reshape(-1, 3)


def test_a_bag_is_slung_over_a_shoulder(hand: Hand, folder: Path) -> None:
    begin_with(hand, folder, "porter")
    hand.app.editor.go_to(0)
    hand.settle()
    recipes.sling_bag(hand, "porter", 0.82, 2.3)
    editor = hand.app.editor
    assert [kind for kind, _ in happens(hand)] == ["grasp", "grasp"] and editor.shown.now == 3
    assert editor.status.startswith("porter's right shoulder takes bag.")
    rollout = editor.rollout
    shoulder, bag = (rollout.state(name, rollout.model.scene.end).position for name in ("porter/right_shoulder", "bag"))
    assert np.linalg.norm(bag - shoulder) < 0.2 and is_right(hand)
    hand.app.act("front")
    hand.app.act("frame_all")
    seen = colour_around(hand, "bag", 2.8)
    assert np.mean(np.ptp(seen, axis=1) > 60) > 0.3  # a colour, where people and ground are grey


def test_a_bat_is_taken_up_and_a_ball_hit(hand: Hand, folder: Path) -> None:
    begin_with(hand, folder, "batter")
    recipes.open_stretch(hand, folder, "batter", 1.6, 4.0)
    editor = hand.app.editor
    assert editor.playback.end == pytest.approx(2.4, abs=0.02)
    recipes.bat_a_ball(hand, "batter", 0.6, 1.15)
    assert happens(hand) == [("grasp", "batter/RightHand"), ("impact", "bat")] and editor.shown.now == 5
    rollout = editor.rollout
    before, after = (rollout.state("ball", t).velocity for t in (1.13, 1.17))
    assert float(before[[0, 2]] @ after[[0, 2]]) < 0.0 and is_right(hand)  # it goes back to where it came from
    hand.app.act("top")
    hand.app.act("frame_all")
    seen = colour_around(hand, "bat", 1.1)
    assert np.mean(np.ptp(seen, axis=1) > 60) > 0.2

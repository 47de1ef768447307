"""Holds, touches and people in the real window, with nothing but the mouse: each test looks at document and pixels."""

from typing import Any

import numpy as np
import pytest

from hoi_edit.rollout import Rollout
from tests.ui import handing, screen
from tests.ui.juggling import viewport_of
from tests.ui.screen import Hand, beginning, choose_at, choose_open, offered, on_lane, pixels, xdotool

pytestmark = screen.WINDOW
SHOWN = handing


def events(rollout: Rollout, kind: str) -> list[tuple[str, str | None, Any]]:
    return [(own.object, own.other, pytest.approx(own.time, abs=0.02)) for own in rollout.events if own.kind == kind]


def colour_at(shot: np.ndarray, at: tuple[float, float]) -> np.ndarray:
    x, y = (round(v) for v in at)
    return np.asarray(shot[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3).mean(axis=0))


def is_bar(shot: np.ndarray, at: tuple[float, float]) -> bool:
    """Whether there is a bar in a thing's colour, or only the lane."""
    colour = colour_at(shot, at)
    return bool(colour.max() - colour.min() > 40)


def is_clip(shot: np.ndarray, at: tuple[float, float]) -> bool:
    """Whether there is the grey bar of a clip, or only the lane."""
    return bool(colour_at(shot, at).mean() > 45)


def draw(hand: Hand, name: str, start: float, end: float) -> None:
    """Drag along a lane, from a time to another one."""
    (x, y), (goal, _) = on_lane(hand, name, start), on_lane(hand, name, end)
    hand.drag((x, y), (goal - x, 0.0))


def test_the_end_of_a_bar_is_dragged_and_the_ball_is_let_go_there(hand: Hand) -> None:
    editor = hand.app.editor
    later = on_lane(hand, "ann/right_hand", 1.5)
    assert is_bar(pixels(), later) and events(editor.rollout, "release") == []
    draw(hand, "ann/right_hand", handing.END, 1.0)
    hand.settle()
    assert events(editor.shown.rollout, "release") == [("ball", "ann/right_hand", 1.0)]
    assert editor.status.startswith("ball is let go at 1.00 s; it was held to the end.")
    assert editor.shown.labels[1:] == ("let go of ball at 1.00 s",) and not is_bar(pixels(), later)
    draw(hand, "ann/right_hand", 1.0, 0.7)  # by now a mark is there
    hand.settle()
    assert events(editor.shown.rollout, "release") == [("ball", "ann/right_hand", 0.7)]
    for _ in range(2):
        hand.key("ctrl+z")
        hand.settle()
    assert events(editor.rollout, "release") == [] and editor.shown.now == 0
    hand.move(5, screen.HEIGHT - 5)
    assert is_bar(pixels(), later)


def test_a_hold_is_drawn_moved_cut_and_deleted(hand: Hand) -> None:
    editor, lane = hand.app.editor, "bob/left_hand"
    empty = pixels()
    hand.move(*on_lane(hand, lane, 0.4))
    assert editor.status == "bob's left hand holds nothing here; drag along its lane to have it hold something"
    draw(hand, lane, 0.4, 1.2)  # asks of what
    assert hand.app._has_popup() and beginning(hand, "ball, passed on by ann's right hand, 1.")
    choose_open(hand, beginning(hand, "stray, "))
    assert events(editor.rollout, "grasp") == [("stray", "bob/left_hand", 0.4)]
    assert events(editor.rollout, "release") == [("stray", "bob/left_hand", 1.2)]
    hand.move(5, screen.HEIGHT - 5)
    hand.settle()
    at = on_lane(hand, lane, 1.1)
    assert is_bar(pixels(), at) and not is_bar(empty, at)

    draw(hand, lane, 0.8, 0.76)  # its middle
    hand.settle()
    assert "held from 0.3" in editor.status and editor.shown.labels[-1].startswith("move the hold of stray to 0.3")
    assert events(editor.rollout, "grasp") == [("stray", "bob/left_hand", 0.36)]
    assert events(editor.rollout, "release") == [("stray", "bob/left_hand", 1.16)]

    choose_at(hand, on_lane(hand, lane, 0.9), "Let stray go here, at 0.90 s")
    assert events(editor.rollout, "release") == [("stray", "bob/left_hand", 0.9)]
    assert not is_bar(pixels(), at)

    hand.click(*on_lane(hand, lane, 0.7))
    assert editor.selected == "stray" and editor.chosen is not None and editor.t == pytest.approx(0.7, abs=0.02)
    hand.key("Delete")
    hand.settle()
    assert events(editor.rollout, "grasp") == [] and editor.exists("stray") and not editor.scene.contacts
    assert editor.status.startswith("Deleted the catch of stray by bob's left hand at 0.3")
    hand.key("ctrl+z")
    hand.settle()
    assert events(editor.rollout, "grasp") == [("stray", "bob/left_hand", 0.36)]


def test_a_ball_is_thrown_to_somebody_by_a_right_click_on_the_hand(hand: Hand) -> None:
    editor = hand.app.editor
    start = pixels()
    editor.playback = editor.playback.at(0.8)
    hand.settle()
    hand.click(*on_lane(hand, "ann/right_hand", 0.8), button=3)
    hand.steps(4)
    choose_open(hand, beginning(hand, "Throw ball to bob's left hand, 1."))
    assert editor.status.startswith("ball is thrown to bob's left palm.")
    ((_, thrower, thrown),) = events(editor.rollout, "release")
    ((_, catcher, caught),) = events(editor.rollout, "grasp")
    assert (thrower, catcher, thrown) == ("ann/right_hand", "bob/left_hand", 0.8) and len(editor.shown.labels) == 2
    hand.move(5, screen.HEIGHT - 5)
    hand.settle()
    shot = pixels()
    assert np.abs(viewport_of(hand, shot) - viewport_of(hand, start)).max() > 60
    assert is_bar(shot, on_lane(hand, "bob/left_hand", handing.END - 0.1)) and caught.expected > 1.1


def test_what_is_only_just_held_or_from_the_start_is_grey_and_says_why(hand: Hand) -> None:
    hand.click(*on_lane(hand, "ann/right_hand", 0.004), button=3)
    hand.steps(4)
    grey = [label for label in offered(hand) if label.startswith(("Let ball go here", "Delete this hold"))]
    assert grey == [
        "Let ball go here: it is only just held, from 0.00 s on",
        "Delete this hold: it is in the hand from the start; let it go earlier instead",
    ]
    hand.key("Escape")
    hand.click(*on_lane(hand, "ann/right_hand", 0.5))
    hand.key("Delete")
    hand.settle()
    assert "in the hand from the start" in hand.app.editor.status and hand.app.editor.exists("ball")


def test_a_touch_by_chance_is_meant_by_one_click_on_its_mark(hand: Hand) -> None:

    editor = hand.app.editor
    mark = next(own for own in editor.layout.marks if own.unwanted and own.other == "bob/head")
    at = on_lane(hand, "stray", mark.time)
    assert colour_at(pixels(), at)[0] > colour_at(pixels(), at)[1] + 60  # red
    hand.click(*at, button=3)
    hand.steps(4)
    entry = beginning(hand, "Mean its touch of bob's head")
    choose_open(hand, entry)
    (contact,) = editor.scene.contacts
    assert (contact.object, contact.other) == ("stray", "bob/head") and "edits keep it" in editor.status
    hand.move(5, screen.HEIGHT - 5)
    hand.settle()
    colour = colour_at(pixels(), at)
    assert colour.max() - colour.min() < 60  # no warning any more
    draw(hand, "stray", mark.time, mark.time + 0.04)  # and it is moved in time as others are
    hand.settle()
    assert events(editor.rollout, "impact")[0] == ("stray", "bob/head", mark.time + 0.04)


def test_somebody_is_moved_and_turned_by_handles_on_the_ground(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    app, editor = hand.app, hand.app.editor
    choose_at(hand, hand.where("bob/chest", editor.t), "Place bob: move and turn all of them")
    assert editor.selected == "bob"
    root, corner = (
        f"bob/{editor.scene.character('bob').skeleton.names[0]}",
        np.array(dpg.get_item_rect_min(app.viewport.drawlist)),
    )
    was, before, gizmo = editor.rollout.state(root, editor.t), pixels(), app.viewport.handles.gizmo
    _, head = gizmo.arrow("x")
    hand.drag(tuple(corner + head[0]), (40.0, 8.0))
    hand.settle()
    now = editor.rollout.state(root, editor.t)
    moved = now.position - was.position
    assert moved[0] > 0.1 and np.allclose(moved[1:], 0.0, atol=1e-9) and editor.shown.labels[1:] == ("place bob",)
    assert editor.status.startswith("bob stands ") and np.abs(viewport_of(hand, pixels() - before)).max() > 60
    ring = app.viewport.handles.gizmo.ring.points
    hand.drag(tuple(corner + ring[44]), tuple(ring[52] - ring[44]))
    hand.settle()
    turn = editor.rollout.state(root, editor.t).rotation @ now.rotation.T
    assert np.arctan2(turn[0, 2], turn[0, 0]) == pytest.approx(8 * 2 * np.pi / 72, abs=0.06)
    assert np.allclose(editor.rollout.state(root, editor.t).position, now.position, atol=1e-6)  # about where bob stands
    assert editor.status.startswith("bob is turned by ")
    for _ in range(2):
        hand.key("ctrl+z")
        hand.settle()
    assert np.allclose(editor.rollout.state(root, editor.t).position, was.position, atol=1e-12)


def test_a_clip_is_shifted_trimmed_and_stretched_by_its_bar_and_its_owner_renamed(hand: Hand) -> None:
    editor = hand.app.editor

    def pull(start: float, end: float) -> Any:
        """A drag along the lane of bob's clip; from when to when it goes then."""
        (x, y), (goal, _) = (on_lane(hand, "bob", t) for t in (start, end))
        hand.drag((x, y), (goal - x, 0.0))
        editor.selected = None  # whose lane would be lighter
        hand.settle()
        motion = editor.scene.character("bob").motion
        return pytest.approx((motion.start, motion.end), abs=0.02)

    ends_at, free = editor.scene.character("bob").motion.end, on_lane(hand, "bob", 0.1)
    assert is_clip(pixels(), free)
    assert pull(1.0, 1.3) == (0.3, ends_at + 0.3) and editor.playback.end == pytest.approx(ends_at + 0.3, abs=0.02)
    assert not is_clip(pixels(), on_lane(hand, "bob", 0.1))
    assert pull(0.3, 0.5) == (0.5, ends_at + 0.3) and "is trimmed" in editor.status
    xdotool("keydown", "shift")
    assert pull(0.5, 0.2) == (0.2, ends_at + 0.3) and "is stretched" in editor.status
    xdotool("keyup", "shift")
    choose_at(hand, on_lane(hand, "bob", 1.0), "Rename bob …")
    hand.steps(4)
    hand.write("rob")
    hand.key("Return")
    hand.settle()
    assert [person.name for person in editor.scene.characters] == ["ann", "rob"] and editor.selected == "rob"
    assert editor.status == "bob is called rob now." and editor.shown.now == 4
    for _ in range(4):
        hand.key("ctrl+z")
        hand.settle()
    assert editor.playback.end == handing.END and editor.exists("bob")

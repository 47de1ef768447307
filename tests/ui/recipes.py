"""Recipes that are made with nothing but the mouse, step by step; tests and pictures of the docs make the same ones."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.ui.screen import Hand, beginning, choose_file, choose_open, on_lane, press

Look = Callable[[str], None]  # at the window, after a step that has a name


def look_on(name: str) -> None:
    """Nobody takes a picture."""


def lane_of(hand: Hand, who: str, side: str) -> str:
    """The lane of somebody's hand."""
    world = hand.app.editor.rollout.model.world
    return str(world.frame_name(world.frame(f"{who}/{side}_palm")))


def offer(hand: Hand, at: tuple[float, float], words: str) -> str:
    """A right click, and the entry that begins so; it is not chosen yet."""
    hand.click(*at, button=3)
    hand.steps(4)
    return beginning(hand, words)


def go_to(hand: Hand, t: float) -> None:
    """A click on the ruler."""
    import dearpygui.dearpygui as dpg

    view = hand.app.timeline
    left, top = dpg.get_item_rect_min(view.drawlist)
    hand.click(left + view.scale.x(t), top + 8)
    hand.settle()


def in_picture(hand: Hand, place: np.ndarray) -> np.ndarray:
    """(2,) [px] of a place of the world on the screen."""
    import dearpygui.dearpygui as dpg

    pixel = hand.app.editor.camera.project(place, *hand.app.viewport.size)[:2]
    return np.asarray(pixel + np.array(dpg.get_item_rect_min(hand.app.viewport.drawlist)))


def give_ball(hand: Hand, who: str, side: str) -> None:
    """Draw a hold all along the lane of a hand, and say that it is of a new ball."""
    editor, lane = hand.app.editor, lane_of(hand, who, side)
    (x, y), (end, _) = on_lane(hand, lane, editor.playback.start), on_lane(hand, lane, editor.playback.end)
    hand.drag((x + 1, y), (end - x, 0.0))
    hand.steps(3)
    choose_open(hand, "a new ball")


def throw(hand: Hand, who: str, side: str, t: float, to: str, look: Look = look_on) -> None:
    """Right-click on the bar of a hold at a time, and say to whom the ball flies from there."""
    entry = offer(hand, on_lane(hand, lane_of(hand, who, side), t), f"Throw ball to {to}")
    look("menu")
    choose_open(hand, entry)
    hand.move(5, 795)
    hand.settle()


def bring(hand: Hand, folder: Path, name: str) -> None:
    """Import a clip as somebody new."""
    choose_file(hand, "import_clip", f"{name}.bvh", folder)
    hand.until(lambda: hand.app.dialogs.is_open, "the clip has been read")
    hand.steps(6)
    press(hand, hand.app.imports.accept_button)
    hand.settle()


def place(hand: Hand, by: tuple[float, float], quarters: int, look: Look = look_on) -> None:
    """Pull the disc at the feet of who is selected, and turn the ring by quarters, seen from above."""
    app = hand.app
    app.act("top")
    _frame(hand, 2.5)
    here = app.viewport.handles.gizmo.centre
    start, goal = in_picture(hand, here), in_picture(hand, here + [by[0], 0.0, by[1]])
    hand.drag(tuple(start), tuple(goal - start))
    hand.settle()
    _frame(hand, 1.5)
    gizmo = app.viewport.handles.gizmo
    corner = in_picture(hand, gizmo.centre) - gizmo.disc[:-1].mean(axis=0)
    first, last = (corner + gizmo.ring.points[(9 + 18 * k) % 72] for k in (0, quarters))
    hand.drag(tuple(first), tuple(last - first))
    hand.settle()
    look("placed")


def _frame(hand: Hand, room: float) -> None:
    """Everybody in sight, and so many times as much around them."""
    hand.app.act("frame_all")
    hand.app.editor.camera = hand.app.editor.camera.dolly(room)
    hand.settle()


def kick(hand: Hand, who: str, side: str, t: float, look: Look = look_on) -> None:
    """Lay a ball before a foot, and mean what happens then."""
    go_to(hand, t)
    foot = hand.app.editor.rollout.state(f"{who}/{side}_instep", t).position
    entry = offer(hand, tuple(in_picture(hand, foot)), "Lay a new ball before it")
    look("menu")
    choose_open(hand, entry)
    touch = next(mark for mark in hand.app.editor.layout.marks if mark.unwanted)
    entry = offer(hand, on_lane(hand, "ball", touch.time), "Mean its touch of")
    look("mean")
    choose_open(hand, entry)
    hand.move(5, 795)
    hand.settle()


def carry_box(hand: Hand, who: str, low: float, down: float, look: Look = look_on) -> None:
    """Lay a box below the hands of who bends down to it, have both take it there, and put it down later."""
    go_to(hand, low)
    lane = lane_of(hand, who, "right")
    choose_open(hand, offer(hand, on_lane(hand, lane, low), "Lay a new box below both hands"))
    choose_open(hand, offer(hand, on_lane(hand, "box", low), f"Pick it up with both hands of {who}"))
    entry = offer(hand, on_lane(hand, "box", down), "Put box down here")
    look("menu")
    choose_open(hand, entry)
    hand.move(5, 795)
    hand.settle()


def sling_bag(hand: Hand, who: str, low: float, up: float, look: Look = look_on) -> None:
    """Lay a bag below the hand of who bends down to it, pick it up with that hand, and lay it on the shoulder later."""
    go_to(hand, low)
    choose_open(hand, offer(hand, on_lane(hand, lane_of(hand, who, "right"), low), "Lay a new bag below it"))
    choose_open(hand, offer(hand, on_lane(hand, "bag", low), f"Pick it up with {who}'s right hand"))
    entry = offer(hand, on_lane(hand, "bag", up), f"Pass bag onto {who}'s right shoulder")
    look("menu")
    choose_open(hand, entry)
    hand.move(5, 795)
    hand.settle()


def open_stretch(hand: Hand, folder: Path, name: str, start: float, end: float) -> None:
    """Import a stretch of a clip as a scene of its own."""
    import dearpygui.dearpygui as dpg

    choose_file(hand, "import_clip", f"{name}.bvh", folder)
    hand.until(lambda: hand.app.dialogs.is_open, "the clip has been read")
    hand.steps(6)
    fields = hand.app.imports._fields
    press(hand, fields["as"])
    hand.steps(3)
    (left, _), (_, bottom) = dpg.get_item_rect_min(fields["as"]), dpg.get_item_rect_max(fields["as"])
    hand.click(left + 20, bottom + 14)  # the first of what it rolls down
    hand.steps(3)
    (left, top), (_, bottom) = dpg.get_item_rect_min(fields["trim"]), dpg.get_item_rect_max(fields["trim"])
    for _ in range(2):  # a double click marks what is there
        hand.click(left + 20, 0.5 * (top + bottom))
    for number in (start, end):
        hand.write(f"{number:g}")
        hand.key("Tab")  # to the next number, which it marks
    press(hand, hand.app.imports.accept_button)
    hand.settle()


def bat_a_ball(hand: Hand, who: str, taken: float, struck: float, look: Look = look_on) -> None:
    """Put a shelf below a hand and a bat onto it, pick that up, have a ball pitched at it, and mean what happens."""
    go_to(hand, taken)
    lane = lane_of(hand, who, "right")
    choose_open(hand, offer(hand, on_lane(hand, lane, taken), "Put a new shelf below it"))
    choose_open(hand, offer(hand, on_lane(hand, lane, taken), "Lay a new bat below it, on shelf"))
    entry = offer(hand, on_lane(hand, "bat", taken), f"Pick it up with {who}'s right hand")
    look("menu")
    choose_open(hand, entry)
    choose_open(hand, offer(hand, on_lane(hand, "bat", struck), "Pitch a new ball at bat"))
    touch = next(mark for mark in hand.app.editor.layout.marks if mark.unwanted)
    entry = offer(hand, on_lane(hand, "ball", touch.time), "Mean its touch of bat")
    look("mean")
    choose_open(hand, entry)
    hand.move(5, 795)
    hand.settle()


def pull_ball(hand: Hand, t: float, by: tuple[float, float], look: Look = look_on) -> None:
    """Drag the ball in its later flight to where it should go."""
    go_to(hand, t)
    at = in_picture(hand, hand.app.editor.rollout.state("ball", t).position)
    hand.drag(tuple(at), by)
    hand.settle()
    look("pulled")

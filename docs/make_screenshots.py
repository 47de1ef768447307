"""Pictures of the editor in several states, taken from the real window on a virtual screen.

python docs/make_screenshots.py [NAME …]        into docs/pictures; needs Xvfb, xdotool and ImageMagick
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.ui import screen
from tests.ui.screen import Hand, pixels, virtual_screen

PICTURES = Path(__file__).resolve().parent / "pictures"
MOMENT = 1.05  # [s] at which a ball is high in the air


def place(hand: Hand, name: str, t: float) -> tuple[float, float]:
    import dearpygui.dearpygui as dpg

    view, editor = hand.app.viewport, hand.app.editor
    x, y, _ = editor.camera.project(editor.rollout.state(name, t).position, *view.size)
    left, top = dpg.get_item_rect_min(view.drawlist)
    return float(x + left), float(y + top)


def opened(hand: Hand) -> None:
    hand.app.editor.hint = True


def no_hint(hand: Hand) -> None:
    hand.app.editor.hint = False


def dragged(hand: Hand) -> None:
    """A ball on its way, with the button still down."""
    at = place(hand, "ball1", MOMENT)
    hand.move(*at)
    hand.press()
    for k in range(1, 9):
        hand.move(at[0] + 9 * k, at[1] - 5 * k)
    hand.until(lambda: hand.app.editor.worker.live is not None and _is_met(hand), "the drag has arrived")
    hand.steps(10)
    hand.app.editor.moving = False


def after(hand: Hand) -> None:
    hand.release()
    hand.settle()
    hand.app.editor.drop()
    hand.move(30, screen.HEIGHT - 8)


def flight(hand: Hand) -> None:
    hand.move(*place(hand, "ball1", 1.22))
    hand.steps(6)


def limb(hand: Hand) -> None:
    at = place(hand, "juggler/right_hand", MOMENT)
    hand.drag(at, (-60.0, -20.0))
    hand.settle()


def pins(hand: Hand) -> None:
    editor = hand.app.editor
    editor.pin("ball2", 1.3)
    editor.pin("juggler/left_hand", MOMENT)
    hand.settle()
    editor.selected = "ball2"


def curves(hand: Hand) -> None:
    """The curves of an elbow, one of which has been dragged."""
    import dearpygui.dearpygui as dpg

    app = hand.app
    app.editor.selected, app.editor.curves = "juggler/right_forearm", True
    app.timeline.zoom(app.timeline.scale.x(MOMENT), 5)
    hand.settle()
    plot, scale = app.curves.plots[0], app.timeline.scale
    left, top = dpg.get_item_rect_min(app.curves.drawlist)
    hand.drag((left + scale.x(1.5), top + plot.axis.y(plot.curves[0].at(1.5))), (0.0, -22.0))
    hand.settle()


def timeline(hand: Hand) -> None:
    hand.app.editor.curves = False
    hand.app.timeline.zoom(hand.app.timeline.scale.x(MOMENT), -9)


def right_click(hand: Hand) -> None:
    hand.click(*place(hand, "ball1", MOMENT), button=3)
    hand.steps(6)


def keys(hand: Hand) -> None:
    hand.app._close_popup()
    hand.steps(4)
    hand.app.act("keys")
    hand.steps(6)


def tab(name: str) -> Callable[[Hand], None]:
    def show(hand: Hand) -> None:
        import dearpygui.dearpygui as dpg

        dpg.set_value(hand.app.tab_bar, hand.app.tab_items[name])
        hand.steps(4)

    return show


def other_scene(name: str, t: float) -> Callable[[Hand], None]:
    def show(hand: Hand) -> None:
        app = hand.app
        app.dialogs.close()
        app._close_popup()
        before = app.editor.shown
        app.editor.open(name)
        hand.until(lambda: app.editor.shown is not before and app.editor.shown.title == name, f"{name} is open")
        hand.settle()
        app.editor.playback = app.editor.playback.at(t)
        app.editor.frame_all()

    return show


# name, what to do, and whether to wait until everything is still
STATES: tuple[tuple[str, tuple[Callable[[Hand], None], ...], bool], ...] = (
    ("editor", (opened,), True),
    ("editor_flight", (no_hint, flight), True),
    ("editor_drag", (dragged,), False),
    ("editor_dragged", (after, tab("History")), True),
    ("editor_limb", (limb,), True),
    ("editor_curves", (curves,), True),
    ("editor_pins", (timeline, pins, tab("Kept")), True),
    ("editor_menu", (right_click,), True),
    ("editor_keys", (keys,), True),
    ("editor_soccer", (other_scene("soccer", 1.3),), True),
    ("editor_passing", (other_scene("passing6", 2.2), tab("Freedom")), True),
)


def _is_met(hand: Hand) -> bool:
    live = hand.app.editor.worker.live
    return live is not None and live.report.residual < 1e-3


def save(name: str, picture: np.ndarray) -> None:
    path = PICTURES / f"{name}.jpg"
    Image.fromarray(picture.astype(np.uint8)).save(path, quality=86, optimize=True)
    print(f"{path.name}: {path.stat().st_size // 1024} kB", flush=True)


def main(only: list[str]) -> None:
    screen.WIDTH, screen.HEIGHT = 1400, 880
    with virtual_screen(), tempfile.TemporaryDirectory() as folder:
        os.environ["HOI_EDIT_CONFIG"] = folder
        from ui.app import App

        app: Any = App("juggle3", screen.WIDTH, screen.HEIGHT)
        hand = Hand(app)
        hand.until(lambda: app.editor.shown is not None, "the scene is open")
        hand.settle()
        app.editor.playback = app.editor.playback.at(MOMENT)
        app.editor.camera = app.editor.camera.dolly(1.15)
        hand.settle()
        for name, actions, still in STATES:
            if only and name not in only:
                continue
            for action in actions:
                action(hand)
            if still:
                hand.settle()
            save(name, pixels())
        app.close()


if __name__ == "__main__":
    main(sys.argv[1:])

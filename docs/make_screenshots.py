"""Pictures of the editor in several states, taken from the real window on a virtual screen.

python docs/make_screenshots.py [NAME …]        into docs/pictures; needs Xvfb, xdotool and ImageMagick
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from docs.editor_window import PICTURES, editor_window
from tests.ui import screen
from tests.ui.screen import Hand, pixels
from ui.timeline.weight_lanes import grips_in

MOMENT = 1.05  # [s] at which a ball is high in the air


def opened(hand: Hand) -> None:
    hand.app.editor.hint = True


def no_hint(hand: Hand) -> None:
    hand.app.editor.hint = False


def dragged(hand: Hand) -> None:
    """A ball on its way, with the button still down."""
    at = hand.where("ball1", MOMENT)
    hand.move(*at)
    hand.press()
    for k in range(1, 9):
        hand.move(at[0] + 9 * k, at[1] - 5 * k)
    hand.until(lambda: hand.app.editor.worker.live is not None and _is_met(hand), "the drag has arrived")
    hand.until(lambda: hand.app.editor.viewport.is_up_to_date, "it is drawn")
    hand.steps(4)


def after(hand: Hand) -> None:
    hand.release()
    hand.settle()
    hand.app.editor.drop()
    hand.move(30, screen.HEIGHT - 8)


def flight(hand: Hand) -> None:
    hand.move(*hand.where("ball1", 1.22))
    hand.steps(6)


def limb(hand: Hand) -> None:
    at = hand.where("juggler/right_hand", MOMENT)
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


def confined(hand: Hand) -> None:
    """Edits only from In to Out, and one constraint switched off."""
    editor = hand.app.editor
    editor.playback = editor.playback.ranged(first=0.5, last=3.2)
    editor.confine()
    editor.switch_off(editor.shown.document.constraints[0])
    hand.settle()


def unconfined(hand: Hand) -> None:
    editor = hand.app.editor
    editor.free_time()
    editor.playback = editor.playback.whole()
    hand.settle()


def rings(hand: Hand) -> None:
    """A bat in its rings, one of them under the pointer."""
    import dearpygui.dearpygui as dpg

    editor, view = hand.app.editor, hand.app.viewport
    editor.selected = "bat"
    editor.frame_selected()
    editor.camera = editor.camera.dolly(1.5)
    hand.settle()
    ring = next(own for own in view._rings() if own.name == "z")
    side = ring.near_side()
    left, top = dpg.get_item_rect_min(view.drawlist)
    hand.move(left + side[len(side) // 2][0], top + side[len(side) // 2][1])


def blend(hand: Hand) -> None:
    """A keyframe of a blend on its way up, with the button still down."""
    import dearpygui.dearpygui as dpg

    hand.app.editor.selected = None
    view = hand.app.timeline
    canvas, (left, top) = view.canvas, dpg.get_item_rect_min(view.drawlist)
    lane = next(k for k, own in enumerate(canvas.layout.lanes) if own.kind == "blend")
    grip = grips_in(canvas.layout, lane)[1]
    x, axis = left + canvas.scale.x(grip.t), canvas.axis(lane)
    hand.move(x, top + axis.y(grip.value))
    hand.press()
    hand.move(x, top + axis.y(0.9))


def blended(hand: Hand) -> None:
    hand.app.timeline.abort()
    hand.release()


def right_click(hand: Hand) -> None:
    hand.click(*hand.where("ball1", MOMENT), button=3)
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
        hand.move(30, screen.HEIGHT - 8)
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
    ("editor_window", (confined,), True),
    ("editor_menu", (unconfined, right_click), True),
    ("editor_keys", (keys,), True),
    ("editor_rings", (other_scene("baseball", 1.0), rings), True),
    ("editor_blend", (other_scene("save", 4.05), tab("Freedom"), blend), False),
    ("editor_soccer", (blended, other_scene("soccer", 1.3)), True),
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
    with editor_window(1400, 880, MOMENT) as hand:
        hand.app.editor.camera = hand.app.editor.camera.dolly(1.15)
        hand.settle()
        for name, actions, still in STATES:
            if only and name not in only:
                continue
            for action in actions:
                action(hand)
            if still:
                hand.settle()
            save(name, pixels())


if __name__ == "__main__":
    main(sys.argv[1:])

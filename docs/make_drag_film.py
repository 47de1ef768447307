"""A short film of a drag, taken from the real window on a virtual screen: docs/pictures/drag.gif.

python docs/make_drag_film.py        needs Xvfb, xdotool and ImageMagick
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from docs.editor_window import PICTURES, editor_window
from tests.ui import screen
from tests.ui.screen import Hand, pixels

MOMENT, WIDTH = 1.05, 640
# colours of the palette: of everything, which is mostly dark, of what is light, and of what is colourful and small
GREYS, LIGHT, VIVID = 100, 70, 86
DRAG, HOLD, PLAY = 14, 3, 20  # pictures
BY = (104.0, -26.0)  # [px] that the ball is dragged
STEP = 0.05  # [s] of the scene from picture to picture while it plays
SHOWN = 80  # [ms] a picture
POINTER = ((0, 0), (0, 16), (4, 12), (7, 19), (10, 18), (7, 11), (12, 11))


class Film:
    """What the window shows left of its panels, with the pointer that a screenshot leaves out."""

    def __init__(self, hand: Hand, right: int, bottom: int) -> None:
        self.hand, self.size = hand, (right, bottom)
        self.pictures: list[Image.Image] = []

    def take(self, at: tuple[float, float] | None = None) -> None:
        self.hand.until(lambda: self.hand.app.editor.viewport.is_up_to_date, "the picture is drawn")
        self.hand.steps(3)
        shot = Image.fromarray(pixels().astype(np.uint8))
        if at is not None:
            arrow = [(at[0] + x, at[1] + y) for x, y in POINTER]
            ImageDraw.Draw(shot).polygon(arrow, fill="white", outline="black")
        shot = shot.crop((0, 0, *self.size))
        self.pictures.append(shot.resize((WIDTH, round(WIDTH * self.size[1] / self.size[0])), Image.Resampling.LANCZOS))

    def save(self, path: Path) -> None:
        """With one palette for all pictures, so that what stays the same costs nothing."""
        seen = np.concatenate([np.asarray(own).reshape(-1, 3) for own in self.pictures[::6]])
        vivid, light = np.ptp(seen.astype(int), axis=1) > 48, seen.mean(axis=1) > 100.0
        palette = Image.new("P", (1, 1))
        palette.putpalette(colours(seen, GREYS) + colours(seen[light & ~vivid], LIGHT) + colours(seen[vivid], VIVID))
        frames = [own.quantize(palette=palette, dither=Image.Dither.NONE) for own in self.pictures]
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=SHOWN, loop=0, optimize=True)
        print(f"{path.name}: {path.stat().st_size // 1024} kB, {len(frames)} pictures of {frames[0].size}")


def colours(pixels: np.ndarray, count: int) -> list[int]:
    """The palette that suits some pixels best."""
    found = Image.fromarray(pixels[None]).quantize(count, dither=Image.Dither.NONE).getpalette() or []
    return (found + 3 * count * [0])[: 3 * count]


def has_arrived(hand: Hand) -> bool:
    live = hand.app.editor.worker.live
    return live is not None and live.report.residual < 2e-3


def shoot(film: Film) -> None:
    hand, editor = film.hand, film.hand.app.editor
    start = hand.where("ball1", MOMENT)
    hand.move(*start)
    film.take(start)
    hand.press()
    for k in range(1, DRAG + 1):
        share = 0.5 - 0.5 * np.cos(np.pi * k / DRAG)
        at = (start[0] + share * BY[0], start[1] + share * BY[1])
        hand.move(*at)
        if editor.drag.begun:  # the first pixels are not a drag yet
            hand.until(lambda: has_arrived(hand), "it follows")
        film.take(at)
    for _ in range(HOLD):
        film.take(at)
    hand.release()
    hand.settle()
    hand.move(30, screen.HEIGHT - 8)
    for k in range(PLAY):
        editor.playback = editor.playback.at(MOMENT + (k + 1) * STEP)
        film.take()


def main() -> None:
    with editor_window(1130, 700, MOMENT) as hand:
        app = hand.app
        app.editor.hint = False
        x, y, z = app.editor.camera.target
        app.editor.camera = replace(app.editor.camera.dolly(1.1), target=(x, y + 0.17, z))  # room above
        hand.settle()
        film = Film(hand, app.sizes.px(20) + app.viewport.size[0], screen.HEIGHT - app.sizes.status - app.sizes.px(12))
        shoot(film)
    film.save(PICTURES / "drag.gif")


if __name__ == "__main__":
    main()

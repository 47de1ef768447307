"""Juggle a pattern and draw it: `python examples/juggle.py ["531"] [picture.jpg]`."""

import sys

import numpy as np
from PIL import Image

import hoi_edit as hoi
from hoi_edit.session import EditSession
from ui.view.camera import Camera
from ui.view.renderer import Renderer
from ui.view.scene_drawing import Stage
from ui.view.scene_view import View

WIDTH, HEIGHT, BEATS = 560, 760, 3


def main(pattern: str, path: str) -> None:
    draw(hoi.juggle(pattern), path)
    print(f"wrote {path}")


def draw(session: EditSession, path: str, since: float = 2.2, step: float = 0.21) -> None:
    """Several moments side by side, one beat after the other."""
    several = len(session.scene.characters) > 1
    width, depth = (900, 1.5) if several else (WIDTH, 0.6)
    low, high = (-0.6, -depth if several else -0.3), (0.6, depth)
    room = np.array([[x, y, z] for x in (low[0], high[0]) for y in (0.0, 2.2) for z in (low[1], high[1])])
    turn = 1.15 if several else 0.4
    camera = Camera(azimuth=turn, elevation=0.1, fov_y=0.35).frame(room, aspect=width / HEIGHT, margin=1.02)
    times = since + step * np.arange(2 if several else BEATS)
    with Renderer(width, HEIGHT) as renderer:
        views = [View(session.rollout, float(t), camera, (width, HEIGHT), hands=False, around=0.4) for t in times]
        stage = Stage()
        pictures = [renderer.render(camera, stage.drawing(view))[..., :3] for view in views]
    Image.fromarray(np.concatenate(pictures, axis=1)).save(path, quality=88)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "531", sys.argv[2] if len(sys.argv) > 2 else "juggle.jpg")

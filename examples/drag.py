"""Drag a ball of the cascade, and draw the juggler before and after: `python examples/drag.py [picture.jpg]`."""

import sys

import numpy as np
from PIL import Image

import hoi_edit as hoi
from ui.view.camera import Camera
from ui.view.renderer import Renderer
from ui.view.scene_drawing import scene_drawing

WIDTH, HEIGHT, TIME = 800, 700, 2.3


def main(path: str) -> None:
    session = hoi.open("juggle3")
    where = session.state("ball2", TIME).position
    report = session.drag("ball2", t=TIME, to=where + np.array([0.25, 0.25, 0.1]))
    print(report)
    print(session.script())
    room = np.array([[-0.6, 0.0, -0.3], [0.8, 2.1, 0.8], [-0.6, 2.1, 0.8], [0.8, 0.0, 0.6]])
    camera = Camera(azimuth=0.5, elevation=0.12, fov_y=0.35).frame(room, aspect=WIDTH / HEIGHT, margin=1.05)
    with Renderer(WIDTH, HEIGHT) as renderer:
        before = renderer.render(camera, scene_drawing(session.source, TIME, 0.6, only=("ball2",)))
        after = renderer.render(camera, scene_drawing(session.rollout, TIME, 0.6, session.source, ("ball2",)))
    Image.fromarray(np.concatenate([before[..., :3], after[..., :3]], axis=1)).save(path, quality=88)
    print(f"wrote {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "drag.jpg")

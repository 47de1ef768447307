"""A scene over time as pictures: frames of a film, and a sheet of them, with the time written in each."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from hoi_edit.rollout import Rollout
from ui.view.camera import Camera
from ui.view.drawing import Array
from ui.view.renderer import Renderer
from ui.view.scene_drawing import Stage
from ui.view.scene_view import View

Pixels = NDArray[np.uint8]

PAPER, INK, FAINT = (30, 32, 36), (226, 229, 235), (150, 156, 166)
GAP, MARGIN = 6, 14  # [px] between the tiles of a sheet, and around them
ROOM, FAR = 2.5, 10.0  # [m] around bodies in which things are kept in view, and those that never come so near
LONG = 2.0  # a scene that is so many times longer than wide is looked at from its side
AROUND = 0.4  # [s] to either side, of the paths that are drawn
ALONE: dict[str, Any] = {"ghosts": False, "hands": False, "flashes": True}  # what things do is to be seen
SIDE_ON = 0.2  # [rad] off the exact side
FLESH = 0.13  # [m] around joints
SHAPES = (0.75, 2.4)  # narrowest and widest picture, as width over height


def shape_of(rollout: Rollout, times: Array) -> float:
    """Width over height of a picture that the scene fills well."""
    return proportion(*looking(rollout, times), *SHAPES)


def proportion(camera: Camera, points: Array, narrowest: float, widest: float) -> float:
    """Width over height of what is to be seen, within limits."""
    across, up = points @ camera.axes[0], points @ camera.axes[1]
    return float(np.clip(np.ptp(across) / np.ptp(up), narrowest, widest))


def viewpoint(rollout: Rollout, times: Array, aspect: float) -> Camera:
    """A camera that has all bodies in view, and things unless they fly far off, throughout these times."""
    camera, points = looking(rollout, times)
    return camera.frame(points, aspect=aspect, margin=1.05)


def looking(rollout: Rollout, times: Array) -> tuple[Camera, Array]:
    """From where to look, and the points to be seen."""
    points = _seen(rollout, np.linspace(times[0], times[-1], 48))
    ground = points * [1.0, 0.0, 1.0]
    return Camera(azimuth=_azimuth(ground), elevation=0.13, fov_y=0.42), np.concatenate([points, ground])


def _seen(rollout: Rollout, times: Array) -> Array:
    scene = rollout.model.scene
    things = [rollout.positions(thing.name, times) for thing in scene.things]
    sizes = [thing.body.reach for thing in scene.things]
    if not scene.characters:
        nothing = [] if things else [_around(np.zeros((1, 3)), 1.0)]
        return np.concatenate([*nothing, *(_around(points, size) for points, size in zip(things, sizes, strict=True))])
    bodies = [
        rollout.positions(f"{who.name}/{joint}", times) for who in scene.characters for joint in who.skeleton.names
    ]
    body = np.concatenate(bodies)
    near = [_within(points, body, ROOM) for points in things]
    near = [within if len(within) else _within(points, body, FAR) for within, points in zip(near, things, strict=True)]
    head = body + np.array([0.0, FLESH, 0.0])
    return np.concatenate(
        [_around(body, FLESH), head, *(_around(points, size) for points, size in zip(near, sizes, strict=True))]
    )


def _within(points: Array, body: Array, room: float) -> Array:
    """Those of some points that are no farther from where bodies are."""
    low, high = body.min(axis=0) - room, body.max(axis=0) + room
    return points[np.all((points > low) & (points < high), axis=1)]


def _around(points: Array, reach: float) -> Array:
    """Points on all sides of these, so far away."""
    return (points[:, None] + reach * np.concatenate([np.eye(3), -np.eye(3)])).reshape(-1, 3)


def _azimuth(ground: Array) -> float:
    flat = ground[:, [0, 2]] - ground[:, [0, 2]].mean(axis=0)
    _, size, axes = np.linalg.svd(flat, full_matrices=False)
    if size[0] < LONG * size[1]:
        return 0.5
    across = np.array([-axes[0, 1], axes[0, 0]])
    across = across if across[0] >= 0.0 else -across
    return float(np.arctan2(across[0], across[1])) - SIDE_ON


def frames(
    rollout: Rollout, before: Rollout | None, times: Array, width: int, height: int, samples: int = 4,
    camera: Camera | None = None,
) -> Iterator[Pixels]:  # fmt: skip
    """(height, width, 3) for each of the times."""
    camera, stage = camera or viewpoint(rollout, times, width / height), Stage()
    with Renderer(width, height, samples) as renderer:
        for t in times:
            view = View(rollout, float(t), camera, (width, height), before, around=AROUND, **ALONE)
            yield labelled(renderer.render(camera, stage.drawing(view))[..., :3], f"{t:.2f} s")


def sheet(
    rollout: Rollout,
    before: Rollout | None,
    times: Array,
    columns: int,
    tile: tuple[int, int],
    lines: Sequence[str],
    drawn: Callable[[int], None],
) -> Pixels:
    """Many frames side by side below a title and a line about it; `drawn` is told after each of them."""
    rows = -(-len(times) // columns)
    head = 64
    width = 2 * MARGIN + columns * tile[0] + (columns - 1) * GAP
    height = head + MARGIN + rows * tile[1] + (rows - 1) * GAP
    page = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(page)
    for text, y, size, ink in zip(lines, (12, 38), (19, 13), (INK, FAINT), strict=False):
        draw.text((MARGIN, y), text, fill=ink, font=letters(size))
    for k, pixels in enumerate(frames(rollout, before, times, *tile)):
        row, column = divmod(k, columns)
        page.paste(Image.fromarray(pixels), (MARGIN + column * (tile[0] + GAP), head + row * (tile[1] + GAP)))
        drawn(k + 1)
    return np.asarray(page)


def labelled(pixels: Pixels, text: str) -> Pixels:
    picture = Image.fromarray(np.ascontiguousarray(pixels))
    size = max(12, round(picture.height / 26))
    font, edge = letters(size), round(0.7 * size)
    box = font.getbbox(text)
    y = picture.height - edge - box[3]
    draw = ImageDraw.Draw(picture)
    draw.text((edge + 1, y + 1), text, fill=(24, 25, 28), font=font)
    draw.text((edge, y), text, fill=INK, font=font)
    return np.asarray(picture)


@cache
def letters(size: int) -> ImageFont.FreeTypeFont:
    """The one that comes with matplotlib: the same letters on every machine."""
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), size)

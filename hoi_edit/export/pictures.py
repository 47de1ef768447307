"""Pictures of a scene: a contact sheet as `.png`, short films as `.gif` and `.mp4`."""

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from hoi_edit.export import ffmpeg
from hoi_edit.export import ui_bridge as door
from hoi_edit.export.base import Draft, Take, require
from hoi_edit.reporting.words import count_of
from hoi_edit.scene.arguments import are_numbers, is_number
from kinematics.errors import HoiError
from kinematics.rotation import Floats

GIF_RATE, MP4_RATE = 20.0, 30.0  # [Hz]
GIF_WIDTH, MP4_WIDTH, SHEET_WIDTH = 420, 720, 1600  # [px]
SCREEN = 16.0 / 9.0  # width over height of a film by a camera of one's own
CAMERA = {  # what a camera may be told by
    "target": "three numbers [m]", "distance": "a positive number [m]",
    "azimuth": "a number [rad], 0 from +Z, growing to +X",
    "elevation": "a number [rad]", "fov_y": "a number [rad]", "orthographic": "True or False",
}  # fmt: skip
WIDE = 1.4  # width over height, from which on half as many frames stand in a row
MOST_FRAMES, MOST_PIXELS = 3000, 4096
LEAST_PIXELS, LEAST_TILE = 64, 96  # across a film, and across each picture of a sheet
SAMPLED = 12  # frames that the colours of a GIF are chosen from
COLOURFUL, VIVID = 22, 96  # between red, green and blue of a coloured pixel, be it in the shade; colours for these
HUES, RARE = 8, 20  # parts of the circle of hues; so few pixels of one do not count


def png_drafts(
    take: Take, path: Path, *, frames: int = 8, columns: int | None = None, width: int = SHEET_WIDTH
) -> list[Draft]:
    """`frames` pictures from start to end, `columns` in a row; `width` is that of the whole sheet."""
    _check_count(path, "frames", frames, 200)
    _check_count(path, "columns", 4 if columns is None else columns, 200)
    _check_count(path, "width", width, 4 * MOST_PIXELS, LEAST_TILE)
    times = np.linspace(take.start, take.end, frames) if frames > 1 else np.array([0.5 * (take.start + take.end)])
    shape = door.picture_shape(take.rollout, times)
    columns = min(columns or _columns(width, shape), frames)
    across = width // columns
    if across < LEAST_TILE:
        few = f"{width} pixels are {across} for each of {columns} columns"
        raise HoiError(f"{path}: {few}; give {LEAST_TILE} or more to each")
    tile = across, round(across / shape)
    pixels = door.contact_sheet(
        take.rollout, take.before, times, columns, tile, _title(take), lambda k: take.tell(k, frames)
    )
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "PNG", optimize=True)
    return [Draft(path, data.getvalue(), lambda written: check_png(path, pixels, count_of(frames, "frame"), written))]


def _columns(width: int, shape: float) -> int:
    """As many as there is room for."""
    return max(1, min(2 if shape > WIDE else 4, width // LEAST_TILE))


def _title(take: Take) -> tuple[str, str]:
    scene = take.scene
    names = [*(who.name for who in scene.characters), *(thing.name for thing in scene.things)]
    who = ", ".join(names if len(names) <= 10 else [*names[:10], "…"])
    faint = "   ·   faint paths: before the edits" if take.before is not None else ""
    return scene.name, f"{take.start:.2f} to {take.end:.2f} s   ·   {who}{faint}"


def gif_drafts(
    take: Take, path: Path, *, width: int = GIF_WIDTH, size: Sequence[int] | None = None,
    camera: Mapping[str, Any] | None = None,
) -> list[Draft]:  # fmt: skip
    """Times in a GIF are whole hundredths of a second: the rate is the nearest one that can be had."""
    across = _size(take, path, width, size, camera)
    hundredths = max(2, round(100.0 / (take.rate or GIF_RATE)))
    times = _times(take, path, 100.0 / hundredths)
    shown = [Image.fromarray(pixels) for pixels in _filmed(take, times, across, camera)]
    palette = palette_of(shown)
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in shown]
    data = io.BytesIO()
    frames[0].save(
        data, "GIF", save_all=True, append_images=frames[1:], duration=10 * hundredths, loop=0, optimize=False
    )
    take.tell(len(times) + 1, len(times) + 1)
    return [Draft(path, data.getvalue(), lambda written: _check_gif(path, across, len(times), hundredths, written))]


def palette_of(shown: list[Image.Image]) -> Image.Image:
    """256 colours for all frames, or every one of them would flicker in its own. A share is for what is colourful, as
    much for one hue as for another: balls are small, and grey, or the one whose path is drawn, would take all."""
    chosen = shown[:: max(1, len(shown) // SAMPLED)]
    seen = np.concatenate([np.asarray(picture)[::2, ::2].reshape(-1, 3) for picture in chosen])
    vivid = seen[np.ptp(seen.astype(int), axis=1) > COLOURFUL]
    hue = _hues(vivid)
    hues = [k for k in range(HUES) if np.count_nonzero(hue == k) > RARE]
    share = VIVID // len(hues) if hues else 0
    palette = Image.new("P", (1, 1))
    bright = [number for k in hues for number in _colours(vivid[hue == k], share)]
    palette.putpalette(_colours(seen, 256 - share * len(hues)) + bright)
    return palette


def _hues(pixels: door.Pixels) -> np.ndarray:
    """Which part of the circle of hues each pixel is in."""
    red, green, blue = pixels.astype(float).T
    angle = np.arctan2(np.sqrt(3.0) * (green - blue), 2.0 * red - green - blue)
    return np.floor(HUES * (angle / (2.0 * np.pi)) % HUES).astype(int)


def _colours(seen: door.Pixels, count: int) -> list[int]:
    """Red, green and blue of so many colours that suit some pixels best."""
    if not count:
        return []
    colours = Image.fromarray(seen[None]).quantize(count, method=Image.Quantize.MEDIANCUT).getpalette() or []
    return (colours + 3 * count * [0])[: 3 * count]


def mp4_drafts(
    take: Take, path: Path, *, width: int = MP4_WIDTH, size: Sequence[int] | None = None,
    camera: Mapping[str, Any] | None = None,
) -> list[Draft]:  # fmt: skip
    program = ffmpeg.program(path)
    across = _size(take, path, width, size, camera)
    rate = take.rate or MP4_RATE
    times = _times(take, path, rate)
    data = ffmpeg.encoded(program, _filmed(take, times, across, camera), across, rate, path)
    take.tell(len(times) + 1, len(times) + 1)
    return [Draft(path, data, lambda written: _check_mp4(path, program, across, len(times), rate, written))]


def _filmed(
    take: Take, times: Floats, size: tuple[int, int], camera: Mapping[str, Any] | None
) -> Iterator[door.Pixels]:
    frames = door.scene_frames(take.rollout, take.before, times, *size, camera)
    for k, pixels in enumerate(frames, start=1):
        take.tell(k, len(times) + 1)  # the last step is to make a film of them
        yield pixels


def _times(take: Take, path: Path, rate: float) -> Floats:
    times = take.times(rate)
    if len(times) > MOST_FRAMES:
        raise HoiError(f"{path}: {len(times)} pictures were asked for; films have at most {MOST_FRAMES}")
    return times


def _size(
    take: Take, path: Path, width: int, size: Sequence[int] | None, camera: Mapping[str, Any] | None
) -> tuple[int, int]:
    """Width and height [px], even because films want that: as asked for, or so that the scene fills the picture."""
    _check_camera(path, camera)
    if size is not None:
        if not are_numbers(size, (2,)):
            raise HoiError(f"{path}: size is {size!r}; it must be two whole numbers, width and height [px]")
        for name, count in zip(("width", "height"), size, strict=True):
            _check_count(path, name, count, MOST_PIXELS, LEAST_PIXELS)
        return int(size[0]) // 2 * 2, int(size[1]) // 2 * 2
    _check_count(path, "width", width, MOST_PIXELS, LEAST_PIXELS)
    if camera is not None:
        return width // 2 * 2, round(width / SCREEN / 2) * 2
    shape = door.picture_shape(take.rollout, np.array([take.start, take.end]))
    return width // 2 * 2, max(LEAST_PIXELS, round(width / shape / 2) * 2)


def _check_camera(path: Path, camera: Any) -> None:
    if camera is None:
        return
    if not isinstance(camera, Mapping) or not {"target", "distance"} <= set(camera) <= set(CAMERA):
        raise HoiError(f"{path}: camera is {camera!r}; give a dictionary of {', '.join(CAMERA)}, of "
                       "which the first two have to be there")  # fmt: skip
    for name, value in camera.items():
        right = are_numbers(value, (3,)) if name == "target" else isinstance(value, bool) or is_number(value)
        if not right or (name == "distance" and not value > 0.0):
            raise HoiError(f"{path}: the {name} of the camera is {value!r}; it must be {CAMERA[name]}")


def _check_count(path: Path, name: str, value: float, most: int, least: int = 1) -> None:
    if not (isinstance(value, int | np.integer) and least <= value <= most):
        raise HoiError(f"{path}: {name} is {value!r}; it must be a whole number from {least} to {most}")


def check_png(path: Path, pixels: door.Pixels, what: str, written: Path) -> str:
    with Image.open(written) as picture:
        read = np.asarray(picture.convert("RGB"))
    require(np.array_equal(read, pixels), path, "the picture differs")
    return f"{what}, {read.shape[1]} x {read.shape[0]} pixels"


def _check_gif(path: Path, size: tuple[int, int], count: int, hundredths: int, written: Path) -> str:
    with Image.open(written) as film:
        require(film.size == size, path, f"its size is {film.size}")
        durations = []
        for k in range(getattr(film, "n_frames", 1)):
            film.seek(k)
            film.load()
            durations.append(film.info.get("duration", 10 * hundredths))
    require(len(durations) == count, path, f"it has {len(durations)} frames, not {count}")
    require(sum(durations) == 10 * hundredths * count, path, "it lasts another time")
    return f"{count_of(count, 'frame')} at {100 / hundredths:.3g} Hz, {size[0]} x {size[1]} pixels"


def _check_mp4(path: Path, program: str, size: tuple[int, int], count: int, rate: float, written: Path) -> str:
    frame_count = ffmpeg.frames_in(program, written, size)
    require(frame_count == count, path, f"it has {frame_count} frames of this size, not {count}")
    return f"{count_of(count, 'frame')} at {rate:.3g} Hz, {size[0]} x {size[1]} pixels"

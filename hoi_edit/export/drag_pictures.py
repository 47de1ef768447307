"""Files about a drag: before and after as `.png`, and the drag as a short film, `.gif`."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from hoi_edit.edit.progress import Listener, Progress, tell
from hoi_edit.export import ui_bridge as door
from hoi_edit.export.base import Draft, Exported, publish, require
from hoi_edit.export.pictures import check_png, palette_of
from hoi_edit.reporting.words import count_of

if TYPE_CHECKING:
    from hoi_edit.scenes.demos import Dragged

PICTURE_WIDTH, FILM_WIDTH = 1100, 360  # [px]


def export_picture(drag: "Dragged", path: Path) -> Exported:
    pixels = door.drag_picture(drag, PICTURE_WIDTH)
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "PNG")
    return publish([Draft(path, data.getvalue(), lambda file: check_png(path, pixels, "before and after", file))])[0]


def export_film(drag: "Dragged", path: Path, listener: Listener | None = None) -> Exported:
    def drawn(step: int, of: int) -> None:
        tell(listener, Progress(f"export {path.name}", step, of, float("nan")))

    stills = door.drag_film(drag, FILM_WIDTH, drawn)
    pictures, durations = [Image.fromarray(pixels) for pixels, _ in stills], [shown for _, shown in stills]
    palette = palette_of(pictures)
    first, *others = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    data = io.BytesIO()
    first.save(data, "GIF", save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
    return publish([Draft(path, data.getvalue(), lambda file: _check_film(path, first.size, durations, file))])[0]


def _check_film(path: Path, size: tuple[int, int], durations: list[int], written: Path) -> str:
    with Image.open(written) as film:
        require(film.size == size, path, f"its size is {film.size}")
        count, shown = getattr(film, "n_frames", 1), 0
        for k in range(count):
            film.seek(k)
            film.load()
            shown += film.info.get("duration", 0)
    # pictures that are the same become one that stays as long as all of them
    require(0 < count <= len(durations) and shown == int(np.sum(durations)), path, "it lasts another time")
    return f"{count_of(count, 'picture')} in {shown / 1000:.0f} s, {size[0]} x {size[1]} pixels"

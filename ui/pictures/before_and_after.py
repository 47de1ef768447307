"""A drag as pictures: before and after side by side, and a short film in which it is made and then played.

What was is faint, as in the editor; an arrow leads from where the thing was to where it was dragged.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from hoi_edit.rollout import Rollout
from hoi_edit.scene.colours import thing_colours
from hoi_edit.scenes.demos import Dragged
from ui.pictures.film import FAINT, GAP, INK, MARGIN, PAPER, Pixels, labelled, letters, looking, proportion
from ui.view.camera import Camera
from ui.view.drawing import Array, Drawing
from ui.view.overlays import outline
from ui.view.renderer import Renderer
from ui.view.scene_drawing import Stage
from ui.view.scene_solids import thing_solid
from ui.view.scene_view import MOVED, View
from ui.words.names import capital, contact_in_words, distance

ARROW, OUTLINE = (255, 206, 84), (24, 25, 28)
FINE = 3  # arrows are drawn so many times as large and made smaller: their edges are smooth
TAIL, HEAD, BARB, EDGE = 1.8, 14.0, 6.0, 1.2  # [px] half the width of an arrow, its head, and the dark around it
SHAPES = (0.62, 2.0)  # narrowest and widest picture, as width over height
AROUND = 0.7  # [s] to either side, of the paths that are drawn
GHOST = 0.35  # alpha of a thing where it was
SMALLEST = 9  # [px] of letters
HEADING, BAND = 64, 54  # [px] above a picture's tiles, and below a film
STEP = 0.05  # [s] of the scene from picture to picture where it is played
SHOWN, HELD = 100, 900  # [ms] a picture, and one that is looked at


@dataclass(frozen=True, eq=False)
class Still:
    """A picture of a film, and how long it stays [ms]."""

    pixels: Pixels
    shown: int


@dataclass(frozen=True, eq=False)
class _Set:
    """Where a drag is filmed: the camera that sees all of it, and the size of its pictures."""

    drag: Dragged
    camera: Camera
    size: tuple[int, int]
    stage: Stage
    renderer: Renderer

    def picture(self, rollout: Rollout, t: float, arrow_to: Rollout | None = None) -> Pixels:
        """As the editor shows it, with the dragged thing alone drawn with its path, and faintly where it was."""
        pixels = self.renderer.render(self.camera, _drawing(self, rollout, t))[..., :3]
        return pixels if arrow_to is None else _with_arrow(self, pixels, *_ends(self.drag, arrow_to))


def before_and_after(drag: Dragged, width: int) -> Pixels:
    """Two pictures of the moment of the drag, below a line that says what was dragged."""
    tile = (width - 2 * MARGIN - GAP) // 2
    with _filming(drag, tile) as film_set:
        before = film_set.picture(drag.before, drag.t, arrow_to=drag.after)
        after = film_set.picture(drag.after, drag.t)
    page = Image.new("RGB", (width, HEADING + before.shape[0] + MARGIN), PAPER)
    draw = ImageDraw.Draw(page)
    draw.text((MARGIN, 10), f"{drag.name} is dragged by {_length(drag)} at {drag.t:.2f} s", INK, letters(20))
    draw.text((MARGIN, 38), "faint: what was before", FAINT, letters(13))
    for left, pixels, words in ((MARGIN, before, "before"), (MARGIN + tile + GAP, after, "after")):
        page.paste(Image.fromarray(labelled(pixels, words)), (left, HEADING))
    return np.asarray(page)


def stills(drag: Dragged, width: int) -> Iterator[Still]:
    """The drag while time stands still, and then what has come of it, at half its speed."""
    with _filming(drag, width) as film_set:

        def still(rollout: Rollout, t: float, shown: int, words: str, note: str, arrow: bool = False) -> Still:
            pixels = film_set.picture(rollout, t, arrow_to=rollout if arrow else None)
            return Still(_captioned(labelled(pixels, f"{t:.2f} s"), words, note), shown)

        yield still(drag.before, drag.t, HELD, f"Before: {drag.before.model.scene.name}", "")
        for rollout in drag.way:
            words = f"{drag.name} is dragged, and the rest follows"
            yield still(rollout, drag.t, SHOWN, words, "time stands still   ·   faint: before", arrow=True)
        words = f"{drag.name} was dragged by {_length(drag)}"
        yield still(drag.after, drag.t, HELD, words, "time stands still   ·   faint: before", arrow=True)
        first, *others = _played(drag)
        words = f"What has come of it, from {first:.2f} s on"  # time leaps back here: it is said, and seen for a while
        yield still(drag.after, first, HELD, words, "at half speed   ·   faint: before")
        for t in others:
            yield still(drag.after, t, SHOWN, _what_happens(drag, t), "at half speed   ·   faint: before")


def count_of_stills(drag: Dragged) -> int:
    return 2 + len(drag.way) + len(_played(drag))


def _played(drag: Dragged) -> list[float]:
    return [float(t) for t in np.arange(drag.shown[0], drag.shown[1], STEP)]


@contextmanager
def _filming(drag: Dragged, width: int) -> Iterator[_Set]:
    """With everything in view, both before and after."""
    times = np.array(drag.shown)
    camera, points = looking(drag.after, times)
    points = np.concatenate([points, looking(drag.before, times)[1]])
    height = round(width / proportion(camera, points, *SHAPES) / 2) * 2
    camera = camera.frame(points, aspect=width / height, margin=1.05)
    with Renderer(width, height) as renderer:
        yield _Set(drag, camera, (width, height), Stage(), renderer)


def _drawing(film_set: _Set, rollout: Rollout, t: float) -> Drawing:
    drag = film_set.drag
    view = View(rollout, t, film_set.camera, film_set.size, drag.before, only=drag.name, around=AROUND)
    drawing = film_set.stage.drawing(view)
    was, now = (shown.state(drag.name, t).position for shown in (drag.before, rollout))
    if np.linalg.norm(now - was) < MOVED:
        return drawing
    thing = next(thing for thing in rollout.model.scene.things if thing.name == drag.name)
    colour = thing_colours([each.name for each in rollout.model.scene.things])[drag.name]
    ghost = replace(thing_solid(drag.before, thing, t, colour), alpha=GHOST)
    return replace(drawing, solids=(*drawing.solids, ghost))


def _ends(drag: Dragged, rollout: Rollout) -> tuple[Array, Array]:
    """Where the dragged thing was, and where it is by now."""
    return drag.before.state(drag.name, drag.t).position, rollout.state(drag.name, drag.t).position


def _length(drag: Dragged) -> str:
    was, now = _ends(drag, drag.after)
    return distance(float(np.linalg.norm(now - was)))


def _with_arrow(film_set: _Set, pixels: Pixels, start: Array, end: Array) -> Pixels:
    """From where the thing was to the edge of where it is."""
    a, b = (film_set.camera.project(place, *film_set.size)[:2] for place in (start, end))
    thing = next(thing for thing in film_set.drag.after.model.scene.things if thing.name == film_set.drag.name)
    length = float(np.linalg.norm(b - a)) - outline(film_set.camera, film_set.size, end, float(thing.body.reach))
    if length < HEAD:
        return pixels
    along = (b - a) / np.linalg.norm(b - a)
    outside, inside = (_arrow(a, a + length * along, along, more) for more in (EDGE, 0.0))
    low, high = np.floor(outside.min(axis=0)).astype(int), np.ceil(outside.max(axis=0)).astype(int)
    layer = Image.new("RGBA", tuple(FINE * (high - low)))
    draw = ImageDraw.Draw(layer)
    for corners, colour in ((outside, OUTLINE), (inside, ARROW)):
        draw.polygon([tuple(FINE * (corner - low)) for corner in corners], fill=(*colour, 255))
    layer = layer.resize(tuple(high - low), Image.Resampling.LANCZOS)
    picture = Image.fromarray(np.ascontiguousarray(pixels))
    picture.paste(layer, tuple(low), layer)
    return np.asarray(picture)


def _arrow(start: Array, end: Array, along: Array, more: float) -> Array:
    """Corners of an arrow, wider by `more` on all sides."""
    aside = np.array([-along[1], along[0]])
    back, neck, tip = start - more * along, end - (HEAD + more) * along, end + 2.5 * more * along
    tail, barb = (TAIL + more) * aside, (BARB + 2.0 * more) * aside
    return np.array([back + tail, neck + tail, neck + barb, tip, neck - barb, neck - tail, back - tail])


def _what_happens(drag: Dragged, t: float) -> str:
    """The last throw or catch of the dragged thing, in words."""
    chain = drag.after.trajectories.chains[drag.name]
    meant = [event for event in chain.events if event.intended and event.time <= t and event.contact is not None]
    if not meant:
        return f"{drag.name} is played"
    last = meant[-1]
    contact = f"{last.contact}:release" if last.lets_go else str(last.contact)
    return capital(contact_in_words(drag.after, contact, with_time=False))


def _captioned(pixels: Pixels, words: str, note: str) -> Pixels:
    height, width = pixels.shape[:2]
    page = Image.new("RGB", (width, height + BAND), PAPER)
    page.paste(Image.fromarray(pixels))
    draw = ImageDraw.Draw(page)
    draw.text((MARGIN, height + 9), words, INK, _fitting(words, 15, width - 2 * MARGIN))
    draw.text((MARGIN, height + 31), note, FAINT, letters(11))
    return np.asarray(page)


def _fitting(words: str, size: int, room: int) -> ImageFont.FreeTypeFont:
    """Letters of this size, or as much smaller as it takes."""
    while size > SMALLEST and letters(size).getlength(words) > room:
        size -= 1
    return letters(size)

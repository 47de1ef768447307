"""The one door to `ui`: what is drawn is asked for here, and drawing is imported only when something is drawn."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hoi_edit.motions import Layer
from hoi_edit.motions.body_shapes import world_shapes
from hoi_edit.motions.fit_report import FitError
from hoi_edit.motions.point_tracks import point_tracks
from hoi_edit.rollout import Rollout
from kinematics import clip_tools
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.rotation import Floats

if TYPE_CHECKING:
    from hoi_edit.scenes.demos import Dragged

Pixels = np.ndarray[Any, np.dtype[np.uint8]]


class CannotDraw(HoiError):
    """This computer has no way to draw pictures."""


@contextmanager
def _drawing() -> Iterator[None]:
    """A computer that cannot draw is a user's to put right."""
    from ui.view.renderer import RendererUnavailable

    try:
        yield
    except RendererUnavailable as problem:
        raise CannotDraw(str(problem)) from None


def picture_shape(rollout: Rollout, times: Floats) -> float:
    """Width over height of a picture that a scene fills well."""
    from ui.pictures.film import shape_of

    return shape_of(rollout, times)


def scene_frames(
    rollout: Rollout, before: Rollout | None, times: Floats, width: int, height: int,
    camera: Mapping[str, Any] | None = None,
) -> Iterator[Pixels]:  # fmt: skip
    """(height, width, 3) of a scene at each of the times, with paths from before the edits faint; from a camera that
    has all of it in view, or from one's own."""
    from ui.pictures.film import frames
    from ui.view.camera import Camera

    with _drawing():
        yield from frames(rollout, before, times, width, height, camera=None if camera is None else Camera(**camera))


def contact_sheet(
    rollout: Rollout,
    before: Rollout | None,
    times: Floats,
    columns: int,
    tile: tuple[int, int],
    lines: Sequence[str],
    drawn: Callable[[int], None],
) -> Pixels:
    """A scene at many times, side by side below some lines of text; `drawn` is told after each picture."""
    from ui.pictures.film import sheet

    with _drawing():
        return sheet(rollout, before, times, columns, tile, lines, drawn)


def drag_picture(drag: "Dragged", width: int) -> Pixels:
    """Before and after a drag, side by side."""
    from ui.pictures.before_and_after import before_and_after

    with _drawing():
        return before_and_after(drag, width)


def drag_film(drag: "Dragged", width: int, drawn: Callable[[int, int], None]) -> list[tuple[Pixels, int]]:
    """Pictures of a drag and what comes of it, each with how long it is shown [ms]; `drawn` is told after each of them
    how many there are, and of how many."""
    from ui.pictures.before_and_after import count_of_stills, stills

    shown = []
    with _drawing():
        for still in stills(drag, width):
            shown.append((still.pixels, still.shown))
            drawn(len(shown), count_of_stills(drag))
    return shown


def in_words(rollout: Rollout, name: str) -> str:
    """A contact ("catch3", "catch3:release") or a part of a body as the editor says it."""
    from ui.words.names import contact_in_words, plain

    return plain(name) if "/" in name else contact_in_words(rollout, name)


def clip_picture(clip: Clip, title: str, errors: list[FitError]) -> bytes:
    """A PNG of a clip above the error of its fits; where nothing can be drawn, of the errors alone."""
    from ui.pictures.pose_strip import picture, render_bodies
    from ui.view.renderer import RendererUnavailable

    times = np.linspace(clip.start, clip.end, min(7, clip.n_frames))
    shown = clip_tools.in_place(replace(clip, poses=clip_tools.sample(clip, times), source_rows=None))
    bodies = None
    if clip.skeleton.shapes:
        try:
            shapes = world_shapes(clip.skeleton, shown.poses)
            bodies = render_bodies(shapes, [float(t) for t in times], 0.9, _hand_paths(clip))
        except RendererUnavailable as problem:
            print(f"the bodies are left out of the picture: {problem}", file=sys.stderr)
    return picture(title, bodies, errors)


def _hand_paths(clip: Clip) -> Floats:
    """Paths (T, K, 3) of the palms over the last second and a half, relative to the ground below the root."""
    hands = [site.name for site in clip.skeleton.sites if site.name.endswith("palm")]
    if not hands:
        return np.zeros((2, 0, 3))
    recent = clip_tools.in_place(clip_tools.trim(clip, max(clip.start, clip.end - 1.5), clip.end))
    layer = Layer.over(recent)
    return point_tracks(clip.skeleton, layer, layer.parameters(), recent.times, hands).position


def run_editor(scene: str | None) -> int:
    """The window, until it is closed."""
    from ui.command import run_editor as run

    return run(scene)

"""A picture of a clip: the body at several times side by side, and below it how well a spline fits it."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator
from numpy.typing import NDArray

from hoi_edit.motions.body_shapes import WorldShapes
from hoi_edit.motions.fit_report import FitError
from ui.view.camera import Camera
from ui.view.drawing import Drawing, Polyline, SolidArray
from ui.view.renderer import Renderer

INK, PAPER, PANEL, FAINT = "#d7dae0", "#24272c", "#2b2f35", "#4a4f57"
LINES = ("#e8a33d", "#5aa9e6", "#7bc47f", "#d96c75", "#b58ae0", "#8fd3d1")
EARLY, LATE = np.array([0.42, 0.47, 0.55]), np.array([0.91, 0.55, 0.28])
WIDTH, HEIGHT = 1600, 700


@dataclass(frozen=True)
class BodyStrip:
    """The body at several times, side by side."""

    pixels: NDArray[np.uint8]
    times: Sequence[float]
    columns: NDArray[np.float64]  # where each body stands, in pixels from the left


def render_bodies(
    shapes: Sequence[WorldShapes], times: Sequence[float], spread: float, tracks: NDArray[np.float64]
) -> BodyStrip:
    """The body in N poses, `spread` metres apart, early ones grey; `tracks` (T, K, 3) are paths drawn on the last."""
    count = shapes[0].position.shape[0]
    shift = spread * (np.arange(count) - (count - 1) / 2)
    tint = EARLY + (LATE - EARLY) * np.linspace(0.0, 1.0, count)[:, None]
    solids = []
    for group in shapes:
        n, s = group.position.shape[:2]
        position = group.position + np.stack([shift, 0 * shift, 0 * shift], axis=-1)[:, None]
        solids.append(
            SolidArray(
                group.kind,  # type: ignore[arg-type]
                position.reshape(-1, 3),
                group.rotation.reshape(-1, 3, 3),
                np.tile(group.size, (n, 1)),
                np.repeat(tint, s, axis=0),
            )
        )
    moved = tracks + np.array([shift[-1], 0.0, 0.0])
    lines = tuple(Polyline(moved[:, k], (0.96, 0.78, 0.42), 2.0, 0.9) for k in range(tracks.shape[1]))
    corners = np.concatenate([solid.position for solid in solids])
    corners = np.concatenate([corners, corners * [1.0, 0.0, 1.0], corners + np.array([0.0, 0.12, 0.0])])
    camera = Camera(azimuth=0.42, elevation=0.16, fov_y=0.3).frame(corners, aspect=WIDTH / HEIGHT, margin=1.08)
    feet = np.stack([shift, 0 * shift, 0 * shift], axis=-1)
    columns = camera.project(feet, WIDTH, HEIGHT)[:, 0]
    with Renderer(WIDTH, HEIGHT) as renderer:
        return BodyStrip(renderer.render(camera, Drawing(solids=tuple(solids), lines=lines)), times, columns)


def picture(title: str, bodies: BodyStrip | None, errors: Sequence[FitError]) -> bytes:
    """A PNG: bodies above, the error of the fits over time and against the knot spacing below."""
    height = 11.0 if bodies is not None else 4.8
    figure = Figure(figsize=(16, height), dpi=100, facecolor=PAPER)
    # margins in inches, so that they do not shrink with a picture that has no bodies
    grid = figure.add_gridspec(
        2 if bodies is not None else 1,
        2,
        height_ratios=(7, 3.6) if bodies is not None else (1,),
        width_ratios=(3, 1),
        left=0.055,
        right=0.975,
        top=1 - 0.95 / height,
        bottom=0.75 / height,
        hspace=0.2,
        wspace=0.16,
    )
    figure.text(0.055, 1 - 0.45 / height, title, color=INK, fontsize=17, weight="bold")
    if bodies is not None:
        _show_bodies(figure.add_subplot(grid[0, :]), bodies)
    _show_errors_over_time(figure.add_subplot(grid[-1, 0]), errors)
    _show_errors_by_spacing(figure.add_subplot(grid[-1, 1]), errors)
    file = BytesIO()
    figure.savefig(file, format="png", facecolor=PAPER)
    return file.getvalue()


def _show_errors_over_time(axes: Axes, errors: Sequence[FitError]) -> None:
    for colour, error in zip(LINES, errors, strict=False):
        label = f"knots each {error.spacing:.3g} s"
        axes.plot(error.times, 1e3 * error.rms_over_time, color=colour, linewidth=1.5, label=label)
    _dress(axes, "time [s]", "RMS over joints [mm]")
    axes.set_title("distance of the fitted spline from the clip", color=INK, fontsize=12, loc="left")
    axes.legend(frameon=False, labelcolor=INK, ncols=len(errors), loc="upper right", fontsize=10)
    axes.set_xlim(errors[0].times[0], max(errors[0].times[-1], errors[0].times[0] + 1e-3))
    axes.set_ylim(0.0, 1.25 * max(1e-3, *(1e3 * e.rms_over_time.max() for e in errors)))


def _show_errors_by_spacing(axes: Axes, errors: Sequence[FitError]) -> None:
    spacing = [e.spacing for e in errors]
    for values, label, colour in (
        ([e.worst for e in errors], "worst joint", LINES[3]),
        ([e.rms for e in errors], "RMS", LINES[1]),
    ):
        millimetres = [max(1e3 * value, 1e-6) for value in values]  # an exact fit is drawn as a nanometre
        axes.loglog(spacing, millimetres, "o-", color=colour, label=label, linewidth=1.5, markersize=5)
    _dress(axes, "knot spacing [s]", "distance [mm]")
    axes.set_xticks(spacing, [f"{s:.3g}" for s in spacing])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.legend(frameon=False, labelcolor=INK, fontsize=10)


def _show_bodies(axes: Axes, bodies: BodyStrip) -> None:
    axes.imshow(bodies.pixels, aspect="auto", interpolation="antialiased")
    axes.set_axis_off()
    for t, column in zip(bodies.times, bodies.columns, strict=True):
        axes.text(column, bodies.pixels.shape[0] * 0.975, f"{t:.2f} s", color=INK, fontsize=12, ha="center")


def _dress(axes: Axes, across: str, up: str) -> None:
    axes.set_facecolor(PANEL)
    axes.set_xlabel(across, color=INK, fontsize=11)
    axes.set_ylabel(up, color=INK, fontsize=11)
    axes.tick_params(colors=INK, labelsize=10)
    axes.grid(True, color=FAINT, linewidth=0.6, alpha=0.6)
    for spine in axes.spines.values():
        spine.set_color(FAINT)

"""Pictures of the scene for the window: drawn on a thread of their own, which owns the GL context.

The window leaves a `View` and picks up the latest `Frame`. Without a GPU, views that move are drawn smaller, without
multisampling, and enlarged; as soon as they rest they are drawn again as they should be. Whoever shows a frame need not
know: its picture always has the size of its view, so there is no size beside it that could be that of another one.
"""

from __future__ import annotations

import threading
import time
import traceback
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ui.view.drawing import Drawing
from ui.view.motion_paths import Stretch
from ui.view.picking import Pickable
from ui.view.renderer import Renderer, RendererUnavailable
from ui.view.scene_drawing import Stage
from ui.view.scene_view import View

QUICK = 0.62  # of the size, while something moves and there is no GPU
QUICK_SHADOWS = 512  # texels of their map then
SMALLEST = 16  # [px]


@dataclass(frozen=True, eq=False)
class Frame:
    """A picture, and what can be picked in it."""

    view: View
    pixels: NDArray[np.float32]  # (h, w, 4) in 0..1, top row first; of the view's size
    bodies: tuple[Pickable, ...]
    paths: tuple[Stretch, ...]
    took: float  # [s]
    quick: bool
    number: int


class Viewport:
    """Public methods are for the window's thread."""

    def __init__(self, samples: int = 4) -> None:
        self.frame: Frame | None = None
        self._samples = samples
        self._ready = threading.Event()
        self.problem: str | None = None  # why nothing can be drawn
        self.driver, self.software = "", False
        self._wanted: View | None = None
        self._over = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="viewport", daemon=True)
        self._thread.start()

    def show(self, view: View) -> None:
        """The latest view wins; one that is on show already costs nothing."""
        with self._wake:
            self._wanted = view
            self._wake.notify()

    def ready(self, seconds: float) -> bool:
        """Wait until it is known whether pictures can be drawn here: `problem` says why not."""
        return self._ready.wait(seconds)

    @property
    def is_up_to_date(self) -> bool:
        frame, wanted = self.frame, self._wanted
        return frame is not None and wanted is not None and not frame.quick and wanted.same_picture(frame.view)

    def close(self) -> None:
        with self._wake:
            self._over = True
            self._wake.notify()
        self._thread.join(timeout=10.0)

    # -- the thread ---------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            # one with and one without multisampling: making targets anew for each picture would cost more
            fine = Renderer(SMALLEST, SMALLEST, self._samples)
            coarse = Renderer(SMALLEST, SMALLEST, 0, QUICK_SHADOWS) if fine.software else fine
        except RendererUnavailable as error:
            self.problem = str(error)
            return
        finally:
            self._ready.set()
        self.driver, self.software = fine.driver, fine.software
        try:
            self._draw_all(fine, coarse)
        except Exception as error:  # the window stays, and says it
            traceback.print_exc()
            self.problem = f"the viewport stopped: {error}"
        finally:
            fine.close()
            if coarse is not fine:
                coarse.close()

    def _draw_all(self, fine: Renderer, coarse: Renderer) -> None:
        stage, number = Stage(), 0
        shown: tuple[View, bool] | None = None
        while True:
            with self._wake:
                while not self._over and not self._is_due(shown, coarse is not fine):
                    self._wake.wait()
                if self._over:
                    return
                view = self._wanted
            assert view is not None
            began = time.perf_counter()
            quick = view.moving and coarse is not fine
            drawing, bodies, paths = stage.seen(view)
            pixels = _draw(coarse if quick else fine, view, drawing, QUICK if quick else 1.0)
            number += 1
            took = time.perf_counter() - began
            self.frame = Frame(view, pixels, bodies, tuple(paths), took, quick, number)
            shown = view, quick

    def _is_due(self, shown: tuple[View, bool] | None, has_quick: bool) -> bool:
        wanted = self._wanted
        if wanted is None:
            return False
        if shown is None or not wanted.same_picture(shown[0]):
            return True
        return has_quick and shown[1] and not wanted.moving


def resized(drawing: Drawing, scale: float) -> Drawing:
    """With wider lines and larger signs on a screen with fine pixels; with smaller ones in a picture that is drawn
    small and shown larger."""
    if scale == 1.0:
        return drawing
    lines = tuple(replace(line, width_px=scale * line.width_px) for line in drawing.lines)
    markers = tuple(replace(marker, size_px=scale * marker.size_px) for marker in drawing.markers)
    return replace(drawing, lines=lines, markers=markers)


def _draw(renderer: Renderer, view: View, drawing: Drawing, scale: float) -> Any:
    renderer.resize(*(max(SMALLEST, round(scale * side)) for side in view.size))
    pixels = renderer.render(view.camera, resized(drawing, scale * view.scale), enlarged_to=view.size)
    return pixels.astype(np.float32) * np.float32(1.0 / 255.0)

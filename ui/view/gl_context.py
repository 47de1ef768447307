"""An OpenGL context without a window, and what it can do."""

from __future__ import annotations

import sys
from typing import Any

import moderngl

TOO_OLD = ("eglCreateContext failed", "OpenGL version")  # what backends say when there is a driver, but not for 3.3


class RendererUnavailable(RuntimeError):
    """This computer cannot give us an offscreen OpenGL 3.3 context."""


def make_context() -> moderngl.Context:
    options: dict[str, Any] = {"backend": "egl"} if sys.platform.startswith("linux") else {}
    try:
        return moderngl.create_context(require=330, standalone=True, **options)
    except Exception as error:  # the backends raise whatever their C code chose
        raise RendererUnavailable(why_not(str(error))) from error


def why_not(said: str) -> str:
    """In a sentence, by what a backend says: its codes help nobody, nor does a package that is there already."""
    if any(words in said for words in TOO_OLD):
        return "the editor needs OpenGL 3.3, and the graphics driver here is too old for that"
    hint = "; on Debian or Ubuntu install libegl1 libegl-mesa0 libgl1-mesa-dri" if sys.platform == "linux" else ""
    return f"the editor needs OpenGL 3.3, and no graphics driver for it was found{hint}"


def supported_samples(ctx: moderngl.Context, wanted: int) -> int:
    """The most samples not above `wanted` that sRGB targets take here; 0 is no multisampling."""
    for samples in sorted({s for s in (16, 8, 4, 2) if s <= min(wanted, ctx.max_samples)}, reverse=True):
        try:
            colour = ctx.texture((8, 8), 4, samples=samples)
            depth = ctx.depth_renderbuffer((8, 8), samples=samples)
            target = ctx.framebuffer([colour], depth)
        except moderngl.Error:  # what the driver promised it cannot give: the next fewer
            continue
        for item in (target, colour, depth):
            item.release()
        return samples
    return 0

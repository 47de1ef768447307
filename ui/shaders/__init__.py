"""GLSL 3.30 sources: each program is a pair (vertex, fragment). Shared functions are pasted in front.

Light is added up in linear colours and encoded to sRGB at the end of each shader. Coverage (edges, lines, ghosts)
then mixes encoded colours: evenly for the eye, and far cheaper without a GPU than an sRGB framebuffer.
"""

from ui.shaders.background import SKY_FRAGMENT, SKY_VERTEX, WALL_FRAGMENT, WALL_VERTEX
from ui.shaders.ground import CONTACT_FRAGMENT, CONTACT_VERTEX, GROUND_FRAGMENT, GROUND_VERTEX
from ui.shaders.overlay import LINE_FRAGMENT, LINE_VERTEX, MARKER_FRAGMENT, MARKER_VERTEX
from ui.shaders.picture import PICTURE_FRAGMENT, PICTURE_VERTEX
from ui.shaders.solids import DEPTH_FRAGMENT, DEPTH_VERTEX, SOLID_FRAGMENT, SOLID_VERTEX

__all__ = [
    "CONTACT_FRAGMENT",
    "CONTACT_VERTEX",
    "DEPTH_FRAGMENT",
    "DEPTH_VERTEX",
    "GROUND_FRAGMENT",
    "GROUND_VERTEX",
    "LINE_FRAGMENT",
    "LINE_VERTEX",
    "MARKER_FRAGMENT",
    "MARKER_VERTEX",
    "PICTURE_FRAGMENT",
    "PICTURE_VERTEX",
    "SKY_FRAGMENT",
    "SKY_VERTEX",
    "SOLID_FRAGMENT",
    "SOLID_VERTEX",
    "WALL_FRAGMENT",
    "WALL_VERTEX",
]

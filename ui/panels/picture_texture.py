"""A texture of Dear PyGui's that shows pictures pixel by pixel, from its top left corner on.

Dear PyGui shows what is written into a texture when it likes: on Linux a frame late, elsewhere at once. So nothing
about how the texture is drawn may depend on the picture in it, or a frame would show one picture in the place or size
of another. It is drawn whole and never scaled; what is beside the picture is plain, and cut off by the panel.
"""

from __future__ import annotations

import dearpygui.dearpygui as dpg
import numpy as np
from numpy.typing import NDArray

from ui import theme

GROW = 128  # [px] by which textures are larger than they need be, since each leaves memory that is not given back
FRAMES = 3  # of the window before a new texture shows what is in it


class PictureTexture:
    def __init__(self, width: int, height: int, registry: int | str, layer: int | str) -> None:
        """At least so wide and high; hidden, until it shows what is written into it."""
        self.width, self.height = (-(-side // GROW) * GROW for side in (width, height))
        self._pixels = np.empty((self.height, self.width, 4), np.float32)
        self._shape = (0, 0)  # of the picture in it
        self._frames = 0
        self._clear()
        self._texture = dpg.add_raw_texture(
            self.width, self.height, self._pixels.reshape(-1), format=dpg.mvFormat_Float_rgba, parent=registry
        )
        self._image = dpg.draw_image(self._texture, (0, 0), (self.width, self.height), parent=layer, show=False)

    def covers(self, width: int, height: int) -> bool:
        return width <= self.width and height <= self.height

    def write(self, picture: NDArray[np.float32]) -> None:
        """(h, w, 4) in 0..1, top row first."""
        if picture.shape[:2] != self._shape:
            self._clear()
            self._shape = (picture.shape[0], picture.shape[1])
        rows, columns = min(self._shape[0], self.height), min(self._shape[1], self.width)
        self._pixels[:rows, :columns] = picture[:rows, :columns]

    def is_ready(self) -> bool:
        """Once a frame: whether it would show what has been written into it. On Linux the second frame of a new one
        shows memory that nobody has written yet."""
        self._frames += 1
        return self._frames > FRAMES

    def show(self) -> None:
        dpg.show_item(self._image)

    def delete(self) -> None:
        dpg.delete_item(self._image)
        dpg.delete_item(self._texture)

    def _clear(self) -> None:
        self._pixels[:] = np.array(theme.WINDOW, np.float32) / np.float32(255.0)

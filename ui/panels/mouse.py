"""Where the mouse is, in the widgets' own pixels."""

import dearpygui.dearpygui as dpg


def pointer_in(item: int | str) -> tuple[float, float]:
    """Where the pointer is, from an item's upper left corner."""
    x, y = dpg.get_mouse_pos(local=False)
    left, top = dpg.get_item_rect_min(item)
    return float(x - left), float(y - top)

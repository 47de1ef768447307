"""Keys as the window reports them, with what is held down beside them."""

import dearpygui.dearpygui as dpg

from ui.panels.keyboard import Chords
from ui.view.navigation import Modifiers


def test_a_modifier_that_is_let_go_in_the_same_frame_still_counts() -> None:
    ctrl, none = Modifiers(ctrl=True), Modifiers()
    states = iter([ctrl, none, none])
    chords = Chords(lambda: next(states))
    said = []
    for _ in range(3):
        chords.frame_ended()
        said.append(chords.pressed(dpg.mvKey_Comma))
    assert said == ["ctrl+,", "ctrl+,", ","] and chords.pressed(-1) is None

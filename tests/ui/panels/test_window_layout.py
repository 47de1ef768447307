"""Who has how much of the window: everything fits, nothing that was dragged is forgotten, and scales do not matter."""

import pytest

from ui.panels.window_layout import LEAST_PICTURE, NARROWEST, SMALLEST, WIDEST, Wanted, arrange, fitting, lower_of
from ui.theme import Sizes

ONE = Sizes(1.0)


@pytest.mark.parametrize("scale", [0.75, 1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("window", [SMALLEST, (1000, 700), (1400, 900), (2560, 1440)])
@pytest.mark.parametrize("curves", [False, True])
@pytest.mark.parametrize("lower", [0.0, 60.0, 300.0, 2000.0])
def test_everything_fits(scale: float, window: tuple[int, int], curves: bool, lower: float) -> None:
    sizes = Sizes(scale)
    width, height = (sizes.px(own) for own in window)
    for side in (100.0, 330.0, 900.0):
        own = arrange(width, height, sizes, Wanted(sizes.px(360), sizes.px(310), curves, side, lower))
        assert own.side >= sizes.px(NARROWEST) and own.side <= sizes.px(WIDEST)
        assert own.side + own.left + 3 * sizes.px(10) <= width
        inner = height - sizes.menu - sizes.status - sizes.px(22)
        gaps = 2 + (own.timeline > 0 and own.curves > 0)
        assert own.picture + sizes.transport + own.timeline + own.curves + gaps * sizes.px(5) <= inner
        assert own.outliner + own.properties + own.tabs + 2 * sizes.px(5) <= inner
        assert own.picture >= sizes.px(LEAST_PICTURE) - 2
        assert (own.curves > 0) == curves and (own.timeline > 0 or curves)


def test_the_timeline_has_all_of_its_lanes_where_there_is_room() -> None:
    assert arrange(1400, 1400, ONE, Wanted(360, 200)).timeline == 360
    assert arrange(1400, 900, ONE, Wanted(300, 200)).timeline == 300
    assert arrange(1400, 620, ONE, Wanted(360, 200)).timeline < 360


def test_curves_are_beside_the_lanes_unless_the_window_is_too_low() -> None:
    for height in (800, 900, 1400):
        both = arrange(1200, height, ONE, Wanted(140, 200, curves=True))
        assert both.timeline == 140 and both.curves >= 150 and both.picture >= 300
    low = arrange(1200, 520, ONE, Wanted(140, 200, curves=True))
    assert low.timeline == 0 and low.curves >= 150


def test_a_dragged_border_stays_where_it_was_left_at_any_scale() -> None:
    own = arrange(1400, 900, ONE, Wanted(200, 200))
    asked = own.picture - 70
    lower = lower_of(own, asked, ONE)
    for scale in (1.0, 2.0):
        sizes = Sizes(scale)
        after = arrange(sizes.px(1400), sizes.px(900), sizes, Wanted(sizes.px(200), sizes.px(200), lower=lower))
        assert after.picture == pytest.approx(scale * asked, abs=3)
        assert after.timeline == pytest.approx(scale * (own.timeline + 70), abs=3)


def test_the_outliner_has_all_of_its_rows_before_properties_have_theirs() -> None:
    assert arrange(1200, 800, ONE, Wanted(140, 305)).outliner == 305
    assert arrange(1200, 800, ONE, Wanted(140, 2000)).outliner < 400


def test_properties_have_all_of_their_rows_as_long_as_the_tabs_have_some_room() -> None:
    few, ball, many = (arrange(1400, 880, ONE, Wanted(140, 195, properties=own)) for own in (100, 365, 2000))
    assert few.properties == 330 and ball.properties == 365 and ball.tabs < few.tabs
    assert many.outliner == 195 and many.tabs >= 0.22 * (many.outliner + many.properties + many.tabs) - 1
    low = arrange(1024, 640, ONE, Wanted(140, 195, properties=365))
    assert low.outliner == 195 and low.properties >= 220 and low.tabs >= 120


def test_in_a_row_what_matters_least_goes_first() -> None:
    widths, ranks = [40, 50, 60, 30], [0, 2, 1, 3]
    assert fitting(widths, ranks, 300, 8) == [True, True, True, True]
    assert fitting(widths, ranks, 170, 8) == [True, True, True, False]
    assert fitting(widths, ranks, 120, 8) == [True, False, True, False]
    assert fitting(widths, ranks, 10, 8) == [True, False, False, False]  # one always stays

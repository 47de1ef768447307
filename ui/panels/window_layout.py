"""Who has how much of the window: pure arithmetic, in pixels. Where somebody has dragged a border is kept in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ui.theme import Sizes

NARROWEST, WIDEST = 240, 600  # [pt] of the panels at the right
LEAST_LEFT = 430  # [pt] beside them
LEAST_PICTURE = 180  # [pt] that the viewport keeps, whatever is dragged
ROOMY_PICTURE = 420  # [pt] that it keeps before lanes of the timeline go without
FAIR_PICTURE = 310  # [pt] with curves as well
LEAST_LANES, LEAST_CURVES = 80, 150  # [pt]
LEAST_PROPERTIES, PROPERTIES = 190, 330  # [pt]; more where the selection has more rows, and there is room
LEAST_TABS, SHARE_OF_TABS = 120, 0.22  # [pt], and of the column: what tabs keep, whatever the properties need
GAP, ASIDE = 5, 10  # [pt] between panels above each other, and at the sides
SMALLEST = (720, 520)  # [pt] of a window that has room for all of this


@dataclass(frozen=True)
class Wanted:
    """What the window is to have room for; pixels, but for what was dragged."""

    lanes: int  # all of the timeline
    outliner: int  # all of its rows
    curves: bool = False
    side: float = 330.0  # [pt] wide
    lower: float = 0.0  # [pt] high is what is below the buttons; 0: as much as it needs
    properties: int = 0  # all of their rows


@dataclass(frozen=True)
class Places:
    side: int  # width of the panels at the right
    left: int  # width of everything else
    picture: int  # heights from here on
    timeline: int  # 0: curves are in its place
    curves: int  # 0: not shown
    outliner: int
    properties: int
    tabs: int


def arrange(width: int, height: int, sizes: Sizes, wanted: Wanted) -> Places:
    px = sizes.px
    side = max(min(px(wanted.side), px(WIDEST), width - px(LEAST_LEFT) - 3 * px(ASIDE)), px(NARROWEST))
    inner = height - sizes.menu - sizes.status - px(22)
    room = inner - sizes.transport - 2 * px(GAP)  # for the picture and what is below the buttons
    timeline, curves = _below(room, sizes, wanted)
    below = timeline + curves + (px(GAP) if timeline and curves else 0)
    outliner, properties = _column(inner - 2 * px(GAP), sizes, wanted)
    return Places(
        side, max(width - side - 3 * px(ASIDE), px(200)), max(room - below, px(64)), timeline, curves,
        outliner, properties, max(inner - 2 * px(GAP) - outliner - properties, px(40)),
    )  # fmt: skip


def _below(room: int, sizes: Sizes, wanted: Wanted) -> tuple[int, int]:
    """Heights of the timeline and of the curves. Both are seen where there is room for both."""
    px = sizes.px
    most = room - px(LEAST_PICTURE)
    lanes = min(wanted.lanes, max(room // 3, room - px(ROOMY_PICTURE), px(LEAST_LANES)))
    tall = min(max(round(0.3 * room), px(LEAST_CURVES)), px(360))
    few = min(lanes, sizes.ruler + 4 * sizes.lane + px(6))  # lanes that are worth seeing
    if not wanted.curves:
        chosen = px(wanted.lower) if wanted.lower else lanes
        return max(min(chosen, most), px(LEAST_LANES)), 0
    if few + px(GAP) + px(LEAST_CURVES) > most:
        return 0, max(min(px(wanted.lower) if wanted.lower else px(238), room // 2), px(LEAST_LANES))
    lanes = min(lanes, max(few, room - tall - px(GAP + FAIR_PICTURE)))
    both = px(wanted.lower) + tall if wanted.lower else lanes + px(GAP) + tall
    both = min(max(both, few + px(GAP) + px(LEAST_CURVES)), most)
    timeline = min(max(both - px(GAP) - tall, few), max(lanes, px(wanted.lower)))
    return timeline, both - px(GAP) - timeline


def _column(room: int, sizes: Sizes, wanted: Wanted) -> tuple[int, int]:
    """Heights of the outliner and the properties: all rows of both, as long as the tabs below have some room. Where
    there is little, the outliner comes first. Properties of few rows are no lower: what is below would jump up and down
    with each selection."""
    px = sizes.px
    tabs = max(px(LEAST_TABS), int(SHARE_OF_TABS * room))
    properties = min(max(px(PROPERTIES), wanted.properties), room - tabs)
    if wanted.outliner + properties + tabs > room:
        properties = max(room - wanted.outliner - tabs, min(px(LEAST_PROPERTIES), properties))
    return max(min(wanted.outliner, room - properties - tabs, int(0.5 * room)), px(90)), properties


def lower_of(places: Places, picture: int, sizes: Sizes) -> float:
    """[pt] that was meant, if the border of the picture was dragged so that it is this high."""
    below = places.timeline + places.picture - picture if places.timeline else places.curves + places.picture - picture
    return max(below / sizes.scale, float(LEAST_LANES))


def fitting(widths: Sequence[int], ranks: Sequence[int], room: int, gap: int) -> list[bool]:
    """Which of some things in a row are shown, where there is no room for all: those of the highest rank go first."""
    shown = [True] * len(widths)

    def needed() -> int:
        shown_widths = [width for width, kept in zip(widths, shown, strict=True) if kept]
        return sum(shown_widths) + gap * max(len(shown_widths) - 1, 0)

    for rank in sorted(set(ranks), reverse=True)[:-1]:
        if needed() <= room:
            break
        shown = [kept and its_rank != rank for kept, its_rank in zip(shown, ranks, strict=True)]
    return shown

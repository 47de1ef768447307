"""What new things a right click on an empty hand, or on a foot, offers: a table of what lies where; no widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import hoi_edit as hoi
from hoi_edit.rollout import Rollout
from ui.editor import Editor
from ui.menus.menu_entry import MenuEntry
from ui.words.catch_candidates import palm_of
from ui.words.hit_candidates import foot_of
from ui.words.new_places import Spot, before_foot, below_hand, below_hands, lying_on, shelf_below
from ui.words.thing_status import held_in
from ui.worker.import_job import ThingWish, free_name, names_in

BALL = ThingWish("ball", "ball", mass=0.15, radius=0.035, restitution=0.7)  # to juggle with
FOOTBALL = ThingWish("ball", "ball", mass=0.43, radius=0.11, restitution=0.7)
PITCHED = ThingWish("ball", "ball", mass=0.145, radius=0.037, restitution=0.7)
BOX = ThingWish("box", "box", mass=2.0, sides=(0.3, 0.3, 0.3), restitution=0.2)
BAG = ThingWish("box", "bag", mass=1.5, sides=(0.24, 0.3, 0.12), restitution=0.2)
BAT = ThingWish("bat", "bat", mass=0.9, radius=0.033, length=0.846, restitution=0.7)


@dataclass(frozen=True)
class Lying:
    """Something new, and where it lies by a hand."""

    words: str
    wish: ThingWish
    spot: Callable[[Rollout, str, float], Spot | None]


LYING = (
    Lying("box below both hands", BOX, partial(below_hands, height=BOX.sides[1])),
    Lying("bag below it", BAG, partial(below_hand, height=BAG.sides[1])),
    Lying("bat below it", BAT, partial(below_hand, height=2.0 * BAT.radius, lying=True)),
)


def new_things(editor: Editor, rollout: Rollout, part: str, t: float) -> list[MenuEntry]:
    """A hand can have a new ball in it from the start on, or things below it; a ball can lie before a foot."""
    site = palm_of(rollout, part)
    if site is not None:
        laid = [_laid(editor, rollout, site, t, lying) for lying in LYING]
        return [_in_hand(editor, rollout, site), *laid, _shelf(editor, rollout, site, t)]
    foot = foot_of(rollout, part)
    if foot is None:
        return []
    place = before_foot(rollout, foot, t, FOOTBALL.radius)
    return [MenuEntry("Lay a new ball before it, on the ground", partial(editor.add_new, FOOTBALL, (place,)))]


def _in_hand(editor: Editor, rollout: Rollout, site: str) -> MenuEntry:
    full, words = held_in(rollout, site, rollout.model.scene.start), "Put a new ball into it, from the start on"
    if full:
        return MenuEntry(f"{words}: it holds {', '.join(full)} then", None)
    return MenuEntry(words, partial(editor.add_new, BALL, (hoi.Held(site),)))


def _laid(editor: Editor, rollout: Rollout, site: str, t: float, lying: Lying) -> MenuEntry:
    spot, words = lying.spot(rollout, site, t), f"Lay a new {lying.words}"
    if spot is None:
        return MenuEntry(f"{words}: there is nothing to lie on", None)
    return MenuEntry(f"{words}, {lying_on(spot)}", partial(editor.add_new, lying.wish, spot.starts))


def _shelf(editor: Editor, rollout: Rollout, site: str, t: float) -> MenuEntry:
    shelf = shelf_below(rollout, site, t, free_name("shelf", names_in(rollout.model.scene)))
    return MenuEntry("Put a new shelf below it, to lay things on", partial(editor.add_fixture, shelf))

"""What a right click offers about holds and touches of a thing: a table from what it is at to entries; no widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import hoi_edit as hoi
from hoi_edit.edit.contact_edits import cut_off
from hoi_edit.edit.document import Document
from hoi_edit.edit.holds import SHORTEST
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Contact
from ui.editor import Editor
from ui.menus.menu_entry import MenuEntry, apart
from ui.menus.new_things_menu import BALL, PITCHED, new_things
from ui.words.carriers import is_palm
from ui.words.catch_candidates import REACH, Palm, flying_near, is_round, others_for, palm, palm_of, palms_for
from ui.words.hit_candidates import REACH as SWING
from ui.words.hit_candidates import away_from_club, clubs_near, hit_candidates, verb
from ui.words.names import NOUNS, distance, plain
from ui.words.new_places import is_long, pitched
from ui.words.thing_status import Doing, doing, held_in
from ui.words.throw_candidates import takers

MOST_THINGS = 4  # entries about what is near a hand
MOST_THROWS = 3  # hands that something can be thrown to
NO_THROW = "only balls are thrown from a menu; let it go, or pass it on"
NO_BALL = "only balls are caught from a menu; what lies is picked up"
PASSING = 1.0  # [m] between hands of which one gives something to the other
FROM_START = 0.1  # [s] in which a hold that is drawn begins with the scene
MOST_PICKS = 2  # hands that something can be picked up with, or given to
MOST_PLACES = 4  # shoulders and arms that something can be passed to

Entries = Callable[[Editor, Rollout, str, float, Doing], list[MenuEntry]]


@dataclass(frozen=True)
class Offer:
    when: tuple[str, ...]  # what the thing is at: "flies", "held", "lies"
    entries: Entries


def of_thing(editor: Editor, rollout: Rollout, thing: str, t: float) -> list[MenuEntry]:
    """Of a thing, at a time."""
    now = doing(rollout, thing, t)
    return [
        entry for offer in OFFERS if now.kind in offer.when for entry in offer.entries(editor, rollout, thing, t, now)
    ]


def of_hand(editor: Editor, rollout: Rollout, part: str, t: float) -> list[MenuEntry]:
    """Of a hand: all about what it holds, and where it is empty what it may take."""
    held = held_in(rollout, part, t)
    if held:
        return [entry for thing in held for entry in of_thing(editor, rollout, thing, t)]
    return [*_takes(editor, rollout, part, t)[:MOST_THINGS], *apart(new_things(editor, rollout, part, t))]


def of_new_hold(editor: Editor, rollout: Rollout, part: str, start: float, end: float) -> list[MenuEntry]:
    """Which thing a hand is to hold from a time to another one: what is selected first, then the nearest."""
    scene, site = rollout.model.scene, palm_of(rollout, part)
    if site is None:
        return []
    until = None if end >= scene.end - SHORTEST else end
    hands = {thing.name: palm(rollout, site, thing.name, start) for thing in scene.things}
    first = sorted(hands, key=lambda name: (name != editor.selected, hands[name].away))
    entries = [_new_hold(editor, rollout, name, hands[name], start, until) for name in first]
    words = "a new ball"
    if held_in(rollout, site, scene.start):
        return [*entries, MenuEntry(f"{words}: the hand is not free at the start", None)]
    if start > scene.start + FROM_START:
        return [*entries, MenuEntry(f"{words}: it is in the hand from the start, so begin there", None)]
    return [*entries, MenuEntry(words, partial(editor.add_new, BALL, (hoi.Held(site, release=until),)))]


def _new_hold(editor: Editor, rollout: Rollout, thing: str, hand: Palm, start: float, until: float | None) -> MenuEntry:
    now, away = doing(rollout, thing, start), distance(hand.away)
    later = in_the_way_of(editor, rollout, thing, start)
    if now.kind == "held" and now.by == hand.part:
        return MenuEntry(f"{thing}: it is in this hand then", None)
    if hand.holds:
        return MenuEntry(f"{thing}: {hand.busy}", None)
    if now.kind == "held":
        words = f"{thing}, passed on by {plain(now.by)}, {away} away"
        return MenuEntry(words, partial(editor.pass_to, thing, hand.site, start, until))
    if later is not None:
        return MenuEntry(f"{thing}: {_kept(rollout, later)}", None)
    if not is_round(rollout, thing):
        return MenuEntry(f"{thing}: {NO_BALL}", None)
    return MenuEntry(f"{thing}, {away} away", partial(editor.catch, thing, hand.site, start, until))


def in_the_way(rollout: Rollout, document: Document, thing: str, t: float) -> Contact | None:
    """The first contact that is kept and would come while a catch at this time holds the thing: with it there can be
    no such catch."""
    scene = rollout.model.scene
    cut = cut_off(scene, rollout, Contact("", thing, "", t, kind="grasp"), document.loose)
    return scene.contact(cut[0]) if cut else None


def in_the_way_of(editor: Editor, rollout: Rollout, thing: str, t: float) -> Contact | None:
    return None if editor.shown is None else in_the_way(rollout, editor.shown.document, thing, t)


# -- what is held -----------------------------------------------------------------------------------------------------


def _release(editor: Editor, rollout: Rollout, thing: str, t: float, now: Doing) -> list[MenuEntry]:
    if t < now.start + SHORTEST:
        return [MenuEntry(f"Let {thing} go here: it is only just held, from {now.start:.2f} s on", None)]
    return [MenuEntry(f"Let {thing} go here, at {t:.2f} s", partial(editor.release, thing, t))]


def _throws(editor: Editor, rollout: Rollout, thing: str, t: float, now: Doing) -> list[MenuEntry]:
    later = in_the_way_of(editor, rollout, thing, t)
    if later is not None:
        return [MenuEntry(f"Throw {thing}: {_kept(rollout, later)}", None)]
    if t < now.start + SHORTEST:
        return []
    if not is_round(rollout, thing):
        return [MenuEntry(f"Throw {thing}: {NO_THROW}", None)]
    entries, found = [], takers(rollout, thing, now.by, t)
    hands = [taker for taker in found if taker.is_hand]
    for taker in [*hands[:MOST_THROWS], *[taker for taker in found if not taker.is_hand][:1]]:
        words = f"Throw {thing} {taker.words}"
        if taker.busy:
            entries.append(MenuEntry(f"{words}: {taker.busy}", None))
        else:
            words = f"{words}, {distance(taker.away)} away"
            entries.append(MenuEntry(words, partial(editor.toss, thing, taker.site, t, taker.times)))
    return entries


def _passes(editor: Editor, rollout: Rollout, thing: str, t: float, now: Doing) -> list[MenuEntry]:
    """To the other hand, a shoulder, under an arm, or to somebody who is near, without a flight."""
    later = in_the_way_of(editor, rollout, thing, t)
    if later is not None or t < now.start + SHORTEST:
        return []
    near = [taker for taker in takers(rollout, thing, now.by, t) if taker.away <= PASSING]
    hands = [taker for taker in near if taker.is_hand]
    entries = []
    for taker in [*hands[:MOST_PICKS], *[taker for taker in near if not taker.is_hand][:MOST_PLACES]]:
        words = f"Pass {thing} {taker.words}"
        if taker.holds:
            full = f"it holds {taker.holds}" if taker.is_hand else f"{taker.holds} is there"
            entries.append(MenuEntry(f"{words}: {full}", None))
        else:
            words = f"{words}, {distance(taker.away)} away"
            do = editor.pass_to if is_palm(taker.site) or is_round(rollout, thing) else editor.lay_on
            entries.append(MenuEntry(words, partial(do, thing, taker.site, t)))
    return entries


def _strikes(editor: Editor, rollout: Rollout, thing: str, t: float, now: Doing) -> list[MenuEntry]:
    """What is held and is no ball can hit balls: those that are near, or a new one that comes flying."""
    if is_round(rollout, thing):
        return []
    others = [other.name for other in rollout.model.scene.things if is_round(rollout, other.name)]
    away = {name: away_from_club(rollout, name, thing, t) for name in others}
    entries = []
    for name in sorted(away, key=lambda name: away[name])[:MOST_PICKS]:
        if away[name] <= SWING and doing(rollout, name, t).kind != "held":
            words = f"Hit {name} with {thing} here, {distance(away[name])} away"
            entries.append(MenuEntry(words, partial(editor.hit, name, thing, t)))
    if not is_long(rollout, thing):
        return entries
    words = f"Pitch a new ball at {thing}, to be there at {t:.2f} s"
    start = pitched(rollout, thing, t)
    if isinstance(start, str):
        return [*entries, MenuEntry(f"{words}: {start}", None)]
    return [*entries, MenuEntry(words, partial(editor.add_new, PITCHED, (start,)))]


def _put_down(editor: Editor, rollout: Rollout, thing: str, t: float, now: Doing) -> list[MenuEntry]:
    later = in_the_way_of(editor, rollout, thing, t)
    if later is not None:
        return [MenuEntry(f"Put {thing} down here: {_kept(rollout, later)}", None)]
    if is_round(rollout, thing):
        return [MenuEntry(f"Put {thing} down here: a ball would roll; let it go", None)]
    if t < now.start + SHORTEST:
        return []
    return [MenuEntry(f"Put {thing} down here, at {t:.2f} s", partial(editor.put_down, thing, t))]


def _delete(editor: Editor, rollout: Rollout, thing: str, t: float, now: Doing) -> list[MenuEntry]:
    if now.hold == thing:
        return [MenuEntry("Delete this hold: it is in the hand from the start; let it go earlier instead", None)]
    return [MenuEntry("Delete this hold: it is not caught", partial(editor.delete_hold, now.hold))]


# -- what flies or lies -----------------------------------------------------------------------------------------------


def _catches(editor: Editor, rollout: Rollout, name: str, t: float, now: Doing) -> list[MenuEntry]:
    """A catch, where there can be one; or else what was perhaps meant: the one that comes next, here and now."""
    if not is_round(rollout, name):
        return [MenuEntry(f"Catch it here: {NO_BALL}", None)]
    later = in_the_way_of(editor, rollout, name, t)
    if later is not None:
        return _instead(editor, rollout, "it", later, t)
    places = [*palms_for(rollout, name, t), *others_for(rollout, name, t)]
    return [_with(editor, "Catch it", name, place, t) for place in places]


def _lifts(editor: Editor, rollout: Rollout, name: str, t: float, now: Doing) -> list[MenuEntry]:
    """A ball that lies is grasped as one that flies is."""
    if not is_round(rollout, name):
        return []  # `_both_hands` has entries of those
    later = in_the_way_of(editor, rollout, name, t)
    if later is not None:
        return [MenuEntry(f"Pick it up here: {_kept(rollout, later)}", None)]
    return [_with(editor, "Pick it up", name, hand, t) for hand in palms_for(rollout, name, t)[:MOST_PICKS]]


def _both_hands(editor: Editor, rollout: Rollout, name: str, t: float, now: Doing) -> list[MenuEntry]:
    """What is no ball is taken with both hands of who is nearest, or with one of them."""
    later = in_the_way_of(editor, rollout, name, t)
    if is_round(rollout, name) or (later is not None and not later.at_its_time):  # what is taken later, is then
        return []
    hands = palms_for(rollout, name, t)
    if not hands:
        return []
    who = hands[0].site.partition("/")[0]
    both = [hand for hand in hands if hand.site.startswith(f"{who}/")]
    busy = next((hand for hand in both if hand.holds), None)
    words, entries = f"Pick it up with both hands of {who}", list[MenuEntry]()
    if len(both) > 1 and busy is not None:
        entries.append(MenuEntry(f"{words}: {busy.busy}", None))
    elif len(both) > 1:
        sites = tuple(sorted(hand.site for hand in both))
        entries.append(MenuEntry(f"{words}, {distance(both[-1].away)} away", partial(editor.pick_up, name, sites, t)))
    for hand in both:
        if not hand.holds:
            one = f"Pick it up with {hand.words}, {distance(hand.away)} away"
            entries.append(MenuEntry(one, partial(editor.pick_up, name, (hand.site,), t)))
    return entries


def _with(editor: Editor, action: str, thing: str, hand: Palm, t: float) -> MenuEntry:
    words = f"{action} {hand.carrying}"
    if hand.holds:
        return MenuEntry(f"{words}: {hand.busy}", None)
    return MenuEntry(f"{words}, {distance(hand.away)} away", partial(editor.catch, thing, hand.site, t))


def _hits(editor: Editor, rollout: Rollout, name: str, t: float, now: Doing) -> list[MenuEntry]:
    """A ball, with what of a body is nearest, and with what somebody holds."""
    if not is_round(rollout, name):
        return []
    near = hit_candidates(rollout, name, t)
    clubs = [
        MenuEntry(f"Hit it with {club}, {distance(away)} away", partial(editor.hit, name, club, t))
        for club, away in clubs_near(rollout, name, t).items()
    ]
    return clubs + [
        MenuEntry(f"{verb(site)} it with {plain(site)}, {distance(away)} away", partial(editor.hit, name, site, t))
        for site, away in near.items()
    ]


def _takes(editor: Editor, rollout: Rollout, part: str, t: float) -> list[MenuEntry]:
    """What an empty hand may take: what flies near, lies there, or is in another hand."""
    entries = []
    for thing, hand in flying_near(rollout, part, t).items():
        later = in_the_way_of(editor, rollout, thing, t)
        if later is None:
            words = f"Catch {thing} here, {distance(hand.away)} away"
            entries.append(MenuEntry(words, partial(editor.catch, thing, hand.site, t)))
        else:
            same = rollout.model.world.frame_name(rollout.model.world.frame(later.carrier)) == hand.part
            entries += _instead(editor, rollout, thing, later, t, may_move=same and later.catches)
    site = palm_of(rollout, part)
    return entries if site is None else entries + _at_hand(editor, rollout, site, t)


def _at_hand(editor: Editor, rollout: Rollout, site: str, t: float) -> list[MenuEntry]:
    """What lies within reach of an empty hand, and what other hands near it hold."""
    entries = []
    for thing in rollout.model.scene.things:
        now, hand = doing(rollout, thing.name, t), palm(rollout, site, thing.name, t)
        if in_the_way_of(editor, rollout, thing.name, t) is not None:
            continue
        if now.kind == "lies" and is_round(rollout, thing.name) and hand.away <= REACH:
            words = f"Pick up {thing.name} here, {distance(hand.away)} away"
            entries.append(MenuEntry(words, partial(editor.catch, thing.name, site, t)))
        elif now.kind == "held" and hand.away <= PASSING and t >= now.start + SHORTEST:
            words = f"Take {thing.name} from {plain(now.by)}, {distance(hand.away)} away"
            entries.append(MenuEntry(words, partial(editor.pass_to, thing.name, site, t)))
    return entries


def _instead(
    editor: Editor, rollout: Rollout, called: str, later: Contact, t: float, may_move: bool = True
) -> list[MenuEntry]:
    """What comes later, now; a catch of one's own there cannot be beside it."""
    when, noun = _time(rollout, later), NOUNS[later.kind]
    moves = may_move and not later.declared
    too = " as well" if moves else ""
    grey = MenuEntry(f"Catch {called} here{too}: {_kept(rollout, later)}", None)
    if not moves:
        return [grey]
    action = f"Catch {called} here" if later.catches else f"Have its {noun} now"
    instead = MenuEntry(f"{action}: at {t:.2f} s instead of {when:.2f} s", partial(editor.retime, later.id, t))
    return [instead, grey] if called == "it" else [instead]


def _kept(rollout: Rollout, later: Contact) -> str:
    return f"not as long as its {NOUNS[later.kind]} at {_time(rollout, later):.2f} s is kept"


def _time(rollout: Rollout, contact: Contact) -> float:
    """When it happens, or else when it is meant to."""
    if contact.id not in rollout.happened:
        return float(contact.time)
    thing, k = rollout.happened[contact.id]
    return float(rollout.trajectories.chains[thing].events[k].time)


OFFERS = (
    Offer(("held",), _release),
    Offer(("held",), _throws),
    Offer(("held",), _passes),
    Offer(("held",), _strikes),
    Offer(("held",), _put_down),
    Offer(("held",), _delete),
    Offer(("flies",), _catches),
    Offer(("lies",), _lifts),
    Offer(("lies",), _both_hands),
    Offer(("flies", "lies"), _hits),
)

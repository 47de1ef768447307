"""What a right click offers: what can be done, and why something cannot."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.scenes.resources import clip_path
from ui.editor import Editor
from ui.keymap import Keymap
from ui.menus import context_menu, hold_menu
from ui.menus.menu_entry import MenuEntry
from ui.panels.properties import described
from ui.preferences import Preferences
from ui.timeline.lanes import Mark, lay_out
from ui.timeline.playback import Playback
from ui.words import lock_labels
from ui.words.clearance_candidates import partners
from ui.words.fixes import ToggleLock
from ui.words.names import distance
from ui.words.new_places import below_hand, pitched, shelf_below
from ui.worker.snapshots import Shown


@dataclass
class Asked:
    """In the place of the worker: remembers what it was asked for."""

    shown: Shown
    live: None = None
    finishing: bool = False
    done: list[str | None] = field(default_factory=list)

    def do(self, words: str, edit: Any, done: str | None = None, compare: bool = False) -> None:
        self.done.append(done)


@pytest.fixture(scope="module")
def session() -> hoi.EditSession:
    return hoi.open("juggle3")


@pytest.fixture
def editor(session: hoi.EditSession) -> Any:
    seen = session.rollout
    shown = Shown(seen, lay_out(seen), session.document, ("open",), 0, None, False, False, "juggle3", "")
    own: Any = Editor(Asked(shown), None, Preferences(), Keymap.of({}))  # type: ignore[arg-type]
    own.playback = Playback(0.0, 10.0, 1.2)
    return own


def labels(entries: list[MenuEntry], can: bool = True) -> list[str]:
    return [own.label for own in entries if (own.do is not None) is can]


def mark_of(editor: Any, retimes: str) -> Mark:
    return next(own for own in editor.layout.marks if own.retimes == retimes)


def test_a_catch_that_cannot_be_is_grey_with_its_reason_and_what_was_meant_is_offered(editor: Any) -> None:
    entries = context_menu.of_place(editor, "ball1", 1.2)
    assert labels(entries, can=False) == ["Catch it here as well: not as long as its catch at 1.39 s is kept"]
    instead = "Catch it here: at 1.20 s instead of 1.39 s"
    assert instead in labels(entries) and not any(own.startswith("Catch it with") for own in labels(entries))
    assert {"Keep its catch at 1.39 s where and when it is", "Let its catch at 1.39 s go"} <= set(labels(entries))
    move = next(own.do for own in entries if own.label == instead)
    assert move is not None
    move()
    assert editor.worker.done == ["The catch of ball1 by juggler's right hand is at 1.20 s now."]


def test_what_is_let_go_is_not_in_the_way(editor: Any, session: hoi.EditSession) -> None:
    loose = replace(session.document, loose=tuple(own.id for own in session.scene.plan_of("ball1")))
    way = hold_menu.in_the_way(session.rollout, session.document, "ball1", 1.2)
    assert way is not None and way.id == "catch1"
    assert hold_menu.in_the_way(session.rollout, session.document, "ball1", 9.9) is None
    editor.worker.shown = replace(editor.worker.shown, document=loose)
    entries = context_menu.of_place(editor, "ball1", 1.2)
    catches = [own for own in entries if own.label.startswith("Catch it with")]
    near, busy = sorted(catches, key=lambda own: own.do is None)  # one hand has let go, the other is about to throw
    away = np.linalg.norm(session.state("ball1", 1.2).position - session.state("juggler/right_palm", 1.2).position)
    assert near.label == f"Catch it with juggler's right hand, {distance(float(away))} away"
    assert busy.do is None and busy.label.startswith("Catch it with juggler's left hand: it holds ball")


def test_a_throw_offers_what_a_catch_does(editor: Any) -> None:
    throw, catch = mark_of(editor, "ball1:release"), mark_of(editor, "catch1")
    assert labels(context_menu.of_mark(editor, throw)) == [
        "Go there", "Move it to the playhead, 1.20 s", "Pin ball1 there", "Lock: its time stays as it is",
    ]  # fmt: skip
    assert "Keep it where and when it is" in labels(context_menu.of_mark(editor, catch))
    editor.playback = editor.playback.at(5.0)
    assert labels(context_menu.of_mark(editor, throw), can=False) == [
        "Move it to the playhead: it can be from 0.00 to 1.36 s"
    ]


def test_the_list_of_the_scene_offers_to_frame_hide_lock_pin_and_delete(editor: Any) -> None:
    assert labels(context_menu.of_owner(editor, "ball2")) == [
        "Frame it", "Hide it", "Lock: its start stays as it is", "Pin it at 1.20 s", "Rename ball2 …", "Delete ball2",
    ]  # fmt: skip
    assert labels(context_menu.of_owner(editor, "ground")) == ["Hide it"]
    assert "Lock: edits leave it as it is" in labels(context_menu.of_owner(editor, "juggler"))


def test_a_hand_offers_to_let_go_what_it_holds_and_to_catch_what_flies_near(editor: Any) -> None:
    full = context_menu.of_place(editor, "juggler/right_hand", 1.6)
    (release,) = [own for own in full if own.label == "Let ball1 go here, at 1.60 s"]
    assert release.do is not None and not any(own.label.startswith("Catch") for own in full)
    release.do()
    assert editor.worker.done == ["ball1 is let go at 1.60 s."]
    empty = context_menu.of_place(editor, "juggler/right_palm", 1.3)  # a point of the hand is the hand
    assert "Catch ball1 here: at 1.30 s instead of 1.39 s" in labels(empty)
    assert "Catch ball2 here: not as long as its catch at 1.72 s is kept" in labels(empty, can=False)  # by the other
    assert not any("go here, at" in own.label for own in empty)
    assert labels(context_menu.of_place(editor, "juggler/head", 1.3))[-2:] == [
        "Frame it", "Place juggler: move and turn all of them",
    ]  # fmt: skip


def test_a_hold_offers_what_can_be_done_about_it_and_why_not(editor: Any) -> None:
    entries = hold_menu.of_thing(editor, editor.rollout, "ball1", 1.6)
    assert labels(entries) == ["Let ball1 go here, at 1.60 s", "Delete this hold: it is not caught"]
    assert labels(entries, can=False)[0].startswith("Throw ball1: not as long as its catch at 2.")
    start = hold_menu.of_thing(editor, editor.rollout, "ball1", 0.002)
    assert labels(start) == [] and "Delete this hold: it is in the hand from the start" in labels(start, can=False)[-1]
    last = hold_menu.of_thing(editor, editor.rollout, "ball1", 9.02)  # which nobody takes after that
    assert "Throw ball1 to juggler's right hand: it holds ball2, ball3 at 9.48 s" in labels(last, can=False)
    assert "Pass ball1 to juggler's right hand: it holds ball3" in labels(last, can=False)


def with_session(editor: Any, session: hoi.EditSession) -> Any:
    seen = session.rollout
    editor.worker.shown = Shown(seen, lay_out(seen), session.document, ("open",), 0, None, False, False, "own", "")
    return editor


@pytest.fixture(scope="module")
def loaded() -> hoi.EditSession:
    """Somebody with a ball in the right hand and a bat in the left one."""
    session = hoi.open(clip_path("stand_mime"))
    session.rename("stand_mime", "ann")
    bat = hoi.capsule(0.9, 0.033, 0.39)
    session.add_thing(hoi.Thing("bat", bat, hoi.Held("ann/left_palm", position=np.array([0.0, -0.1, 0.1]))))
    session.add_thing(hoi.Thing("ball", hoi.ball(0.1, 0.035), hoi.Held("ann/right_palm")))
    return session


def test_what_is_held_goes_onto_shoulders_and_under_arms_one_thing_each(editor: Any, loaded: hoi.EditSession) -> None:
    own = with_session(editor, loaded)
    can = labels(hold_menu.of_thing(own, own.rollout, "ball", 1.0))
    for words in ("Pass ball onto ann's right shoulder, ", "Pass ball under ann's right arm, "):
        assert sum(label.startswith(words) for label in can) == 1
    assert sum(label.startswith("Throw ball ") and "hand" not in label for label in can) == 1  # the nearest of these
    carried = loaded.copy()
    assert carried.pass_to("ball", "ann/right_shoulder", t=1.0).converged
    own = with_session(editor, carried)
    bat = hold_menu.of_thing(own, own.rollout, "bat", 1.5)
    assert "Pass bat onto ann's right shoulder: ball is there" in labels(bat, can=False)
    assert any(label.startswith("Pass bat under ann's right arm, ") for label in labels(bat))  # on the same part
    assert [label for label in labels(bat, can=False) if label.startswith("Throw bat: only balls")]
    ball = labels(hold_menu.of_thing(own, own.rollout, "ball", 1.5))
    assert any(label.startswith("Pass ball to ann's right hand") for label in ball)
    assert not any(label.startswith("Pass ball onto ann's right shoulder") for label in ball)


def test_a_club_has_balls_pitched_at_it_that_can_get_there(editor: Any, loaded: hoi.EditSession) -> None:
    own = with_session(editor, loaded)
    pitch = [label for label in labels(hold_menu.of_thing(own, own.rollout, "bat", 1.0)) if label.startswith("Pitch")]
    assert pitch == ["Pitch a new ball at bat, to be there at 1.00 s"]
    for t, why in ((0.1, "it would have to get there in 0.10 s"), (2.5, "it would fly from the start on, 2.5 s long")):
        (grey,) = [
            label for label in labels(hold_menu.of_thing(own, own.rollout, "bat", t), can=False) if "Pitch" in label
        ]
        assert why in grey
    start = pitched(loaded.rollout, "bat", 1.0)
    assert isinstance(start, hoi.Flying)
    there = start.position + start.velocity + 0.5 * np.asarray(loaded.scene.gravity)
    struck = loaded.state("bat", 1.0)
    assert np.linalg.norm(there - struck.position) < 0.43 and start.position[1] == pytest.approx(there[1])
    assert hold_menu.of_thing(own, own.rollout, "ball", 1.0) and not any(
        "Pitch" in entry.label for entry in hold_menu.of_thing(own, own.rollout, "ball", 1.0)
    )


def test_things_are_laid_below_a_hand_on_what_is_there(editor: Any, loaded: hoi.EditSession) -> None:
    empty = loaded.copy()
    empty.remove_thing("ball")
    empty.remove_thing("bat")
    own = with_session(editor, empty)
    new = labels(hold_menu.of_hand(own, own.rollout, "ann/right_hand", 1.0))
    assert "Lay a new bag below it, on the ground" in new and "Lay a new bat below it, on the ground" in new
    shelf = shelf_below(empty.rollout, "ann/right_palm", 1.0, "shelf")
    empty.add_fixture(shelf)
    own = with_session(editor, empty)
    assert "Lay a new bat below it, on shelf" in labels(hold_menu.of_hand(own, own.rollout, "ann/right_hand", 1.0))
    spot = below_hand(empty.rollout, "ann/right_palm", 1.0, 0.066, lying=True)
    assert spot is not None
    lies, palm = spot.starts[0], empty.state("ann/right_palm", 1.0).position
    assert lies.position[1] == pytest.approx(shelf.position[1] + 0.02 + 0.033) and lies.position[1] < palm[1]
    along = lies.rotation[:, 1]  # its handle is below the palm, and it lies
    assert along[1] == pytest.approx(0.0) and (palm - lies.position) @ along == pytest.approx(-0.28)
    assert labels(context_menu.of_owner(own, "shelf"))[-1] == "Delete shelf"


def test_somebody_with_one_hand_is_offered_what_one_hand_can_do(editor: Any) -> None:
    clip = performed("stand_mime")
    sites = tuple(site for site in clip.skeleton.sites if site.name != "left_palm")
    ann = hoi.Character.of("ann", replace(clip, skeleton=replace(clip.skeleton, sites=sites)))
    box = hoi.Thing("box", hoi.box(2.0, np.array([0.1, 0.1, 0.1])), hoi.Flying(np.array([0.0, 0.1, 0.6])))
    own = with_session(editor, hoi.open(hoi.Scene([ann], [box], [hoi.ground()], end=2.0)))
    new = labels(hold_menu.of_hand(own, own.rollout, "ann/right_hand", 1.0))
    assert "Lay a new bag below it, on the ground" in new
    picks = [label for label in labels(hold_menu.of_thing(own, own.rollout, "box", 1.0)) if label.startswith("Pick")]
    assert len(picks) == 1 and picks[0].startswith("Pick it up with ann's right hand, ")


def test_a_new_hold_asks_of_what_and_the_selected_comes_first(editor: Any) -> None:
    left = hold_menu.of_new_hold(editor, editor.rollout, "juggler/left_hand", 1.2, 1.3)
    assert labels(left, can=False) == [
        "ball3: it is in this hand then", "ball2: it holds ball3 until 1.44 s", "ball1: it holds ball3 until 1.44 s",
        "a new ball: the hand is not free at the start",
    ]  # fmt: skip
    right = labels(hold_menu.of_new_hold(editor, editor.rollout, "juggler/right_hand", 1.2, 1.3))
    assert len(right) == 1 and right[0].startswith("ball3, passed on by juggler's left hand")
    editor.selected = "ball1"
    assert hold_menu.of_new_hold(editor, editor.rollout, "juggler/left_hand", 1.2, 1.3)[0].label.startswith("ball1")
    assert hold_menu.of_new_hold(editor, editor.rollout, "juggler/head", 1.2, 1.3) == []


def test_what_flies_can_be_kept_clear_of_what_is_near_it(editor: Any, session: hoi.EditSession) -> None:
    found = [own for own in labels(context_menu.of_place(editor, "ball1", 1.05)) if own.startswith("Keep clear of")]
    assert 1 <= len(found) <= 3 and len(set(found)) == len(found)
    here = session.state("ball1", 1.05).position
    for name in partners(session.rollout, "ball1", 1.05):
        assert np.linalg.norm(session.state(name, 1.05).position - here) <= 0.6
    soon = partners(session.rollout, "ball1", 1.3)
    assert "juggler/right_hand" not in soon  # which is to catch it


def test_what_lies_there_is_not_held(editor: Any) -> None:
    falls = hoi.Flying(np.array([0.0, 0.3, 0.0]), np.zeros(3))
    ball = hoi.Thing("ball", hoi.ball(0.2, 0.05), falls, hoi.Material(0.3, 0.5))
    lying = hoi.EditSession(hoi.Scene(things=[ball], fixtures=[hoi.ground()], end=4.0, name="lying"))
    seen = lying.rollout
    shown = Shown(seen, lay_out(seen), lying.document, ("open",), 0, None, False, False, "lying", "")
    editor.worker.shown = shown
    assert seen.spans("ball")[-1].kind != "flight"
    entries = context_menu.of_place(editor, "ball", 3.9)
    assert not any("go here, at" in own.label or "clear of ground" in own.label for own in entries)
    assert dict(described(seen, "ball", 3.9)[1])["now"] == "lies on the ground"
    assert shown.layout.bars[-1].kind == "contact"
    first = next(own for own in shown.layout.marks if own.kind == "touch")
    assert not any("clear" in own.label for own in context_menu.of_mark(editor, first))  # it has to land somewhere


def test_what_is_locked_is_not_dragged_and_says_so_with_a_button(editor: Any, session: hoi.EditSession) -> None:
    locked = replace(session.document, freedom=replace(session.document.freedom, locks=(hoi.Lock("ball2"),)))
    editor.worker.shown = replace(editor.worker.shown, document=locked)
    editor.take("ball2", 1.2)
    editor.shape([0.0, 1.0, 0.0])
    editor.shape([0.0, 1.1, 0.0])
    assert editor.drag is None and [own.text for own in editor.messages] == ["ball2 is locked, so it is not dragged."]
    (fix,) = editor.messages[-1].fixes
    assert (fix.label, fix.do) == ("Unlock", ToggleLock("ball2"))
    editor.drag_to("ball2", 1.2, [0.0, 1.0, 0.0])
    for t in (1.0, 1.02):
        editor.move_mark(mark_of(editor, "ball2:release"), t, f"to {t} s")
    assert len(editor.messages) == 3 and editor.worker.done == []
    assert editor.messages[-1].text.startswith("The throw of ball2 by juggler's right hand at 1.10 s is locked")
    editor.drop()
    assert "Unlock" in labels(context_menu.of_owner(editor, "ball2"))


@pytest.mark.parametrize(
    ("lock", "name", "t", "retimes", "refused"),
    [
        (hoi.Lock("juggler"), "juggler/right_hand", 1.0, None, True),
        (hoi.Lock("juggler/right_forearm"), "juggler/right_forearm.Xrotation", 1.0, None, True),
        (hoi.Lock("juggler/right_forearm"), "juggler/right_hand", 1.0, None, False),
        (hoi.Lock("juggler", (2.0, 3.0)), "juggler/head", 1.0, None, False),
        (hoi.Lock("juggler", (2.0, 3.0)), "juggler/head", 2.5, None, True),
        (hoi.Lock("ball2.velocity"), "ball2", 1.0, None, False),
        (hoi.Lock("catch5"), "ball2", 1.0, "catch5:release", True),
        (hoi.Lock("catch5"), "ball2", 1.0, "catch5", False),
        (hoi.Lock("ball2"), "ball2", 1.0, "ball2:release", True),
    ],
)
def test_which_drags_a_lock_is_against(lock: hoi.Lock, name: str, t: float, retimes: str | None, refused: bool) -> None:
    assert (lock_labels.in_the_way([lock], name, t, retimes) is lock) is refused


def test_locks_say_what_they_keep(session: hoi.EditSession) -> None:
    scene = session.scene
    assert "start of ball2" in lock_labels.done(scene, "ball2")
    assert "may still move" in lock_labels.tip(scene, "ball2", True)
    assert lock_labels.done(scene, "juggler") == "Edits leave juggler as it is."
    assert lock_labels.offer(scene, "catch5") == "Lock: its time stays as it is"


def test_plans_are_described_as_plans() -> None:
    rows = dict(described(hoi.open("soccer:start").rollout, None, 1.0)[1])
    assert rows["contacts"] == "8 intended" and rows["by decree"] == "8 of them" and rows["missed"] == "not solved yet"
    bat = dict(described(hoi.open("baseball").rollout, "bat", 1.0)[1])
    assert bat["size"] == "84.6 cm long, 6.6 cm thick" and bat["turned"].count("°") == 3

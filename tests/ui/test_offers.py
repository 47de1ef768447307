"""What a right click offers: what can be done, and why something cannot."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

import hoi_edit as hoi
from ui import offers
from ui.editor import Editor
from ui.keymap import Keymap
from ui.panels.properties import described
from ui.playback import Playback
from ui.preferences import Preferences
from ui.shown import Shown
from ui.timeline import Mark, lay_out


@dataclass
class Asked:
    """In the place of the worker: remembers what it was asked for."""

    shown: Shown
    live: None = None
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


def labels(entries: list[offers.Entry], can: bool = True) -> list[str]:
    return [own.label for own in entries if (own.do is not None) is can]


def mark_of(editor: Any, retimes: str) -> Mark:
    return next(own for own in editor.layout.marks if own.retimes == retimes)


def test_a_catch_that_cannot_be_is_grey_with_its_reason_and_what_was_meant_is_offered(editor: Any) -> None:
    entries = offers.of_place(editor, "ball1", 1.2)
    catch = "the catch of ball1 by juggler's right hand at 1.39 s"
    assert labels(entries, can=False) == [f"Catch here: not as long as {catch} is kept"]
    assert f"Move {catch} here, to 1.20 s" in labels(entries)
    assert not any(label.startswith("Catch here with") for label in labels(entries))
    move = next(own.do for own in entries if own.label.startswith("Move"))
    assert move is not None
    move()
    assert editor.worker.done == ["The catch of ball1 by juggler's right hand is at 1.20 s now."]


def test_what_is_let_go_is_not_in_the_way(editor: Any, session: hoi.EditSession) -> None:
    loose = replace(session.document, loose=tuple(own.id for own in session.scene.plan_of("ball1")))
    way = offers.in_the_way(session.rollout, session.document, "ball1", 1.2)
    assert way is not None and way.id == "catch1"
    assert offers.in_the_way(session.rollout, session.document, "ball1", 9.9) is None
    editor.worker.shown = replace(editor.worker.shown, document=loose)
    found = labels(offers.of_place(editor, "ball1", 1.2))
    assert [own for own in found if own.startswith("Catch here with")] == [
        "Catch here with juggler's left palm", "Catch here with juggler's right palm",
    ]  # fmt: skip


def test_a_throw_offers_what_a_catch_does(editor: Any) -> None:
    throw, catch = mark_of(editor, "ball1:release"), mark_of(editor, "catch1")
    assert labels(offers.of_mark(editor, throw)) == [
        "Go there", "Move it to the playhead, 1.20 s", "Pin ball1 there", "Lock: edits leave its time",
    ]  # fmt: skip
    assert "Keep it where and when it is" in labels(offers.of_mark(editor, catch))
    editor.playback = editor.playback.at(5.0)
    assert labels(offers.of_mark(editor, throw), can=False) == [
        "Move it to the playhead: it can be from 0.00 to 1.36 s"
    ]


def test_the_list_of_the_scene_offers_to_frame_hide_lock_pin_and_delete(editor: Any) -> None:
    assert labels(offers.of_owner(editor, "ball2")) == [
        "Frame it", "Hide it", "Lock: edits leave it as it is", "Pin it at 1.20 s", "Delete ball2",
    ]  # fmt: skip
    assert labels(offers.of_owner(editor, "ground")) == ["Hide it"]


def test_plans_are_described_as_plans() -> None:
    rows = dict(described(hoi.open("soccer:start").rollout, None, 1.0)[1])
    assert rows["contacts"] == "8 intended, 8 only declared" and rows["missed"] == "not solved yet"
    bat = dict(described(hoi.open("baseball").rollout, "bat", 1.0)[1])
    assert bat["size"] == "84.6 cm long, 6.6 cm thick" and bat["turned"].count("°") == 3

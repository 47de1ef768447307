"""A history is a value: undo, redo and an edit make others of it."""

import numpy as np

from hoi_edit.edit.document import Call, Document, Step
from hoi_edit.scene import Scene
from hoi_edit.session.history import History


def another(label: str) -> Step:
    return Step(label, Call("solve"), Document(Scene(name=label), np.zeros(0), {}))


def opened() -> History:
    return History.opened(another("").document, "juggle3")


def labels(history: History) -> list[str]:
    return [step.label for step in history.steps]


def test_at_either_end_there_is_nothing_to_undo_or_redo() -> None:
    history = opened()
    assert history.undone() is None and history.redone() is None and history.is_newest
    back = history.done(another("a")).undone()
    assert back is not None and back.document is history.document and not back.is_newest
    again = back.redone()
    assert again is not None and again.step.label == "a" and again.redone() is None


def test_an_edit_takes_the_place_of_what_was_undone() -> None:
    first = opened().done(another("a"))
    back = first.done(another("b")).undone()
    assert back is not None
    other = back.done(another("c"))
    assert labels(other) == ["open", "a", "c"] and other.now == 2
    assert labels(back) == ["open", "a", "b"] and labels(first) == ["open", "a"]  # as they were
    assert labels(other.instead(another("d"))) == ["open", "a", "d"]


def test_a_script_is_of_what_is_shown() -> None:
    history = opened().done(another("a")).done(another("b"))
    assert history.script(None).count("session.solve()") == 2
    back = history.undone()
    assert back is not None and back.script(None).count("session.solve()") == 1
    assert "session = hoi.open('juggle3')" in back.script(None)

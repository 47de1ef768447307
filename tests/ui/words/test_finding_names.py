"""Findings in the window: every kind has its words, none with an id or a path; and fixes are actions of the editor."""

import ast
import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

import hoi_edit as hoi
import ui
from hoi_edit.reporting.findings import KINDS, Finding
from tests.hoi_edit.reporting.finding_of_each_kind import of_each_kind
from ui.editor import Editor
from ui.words import fixes
from ui.words.finding_names import WORDINGS, told

CATCH5 = "the catch of ball2 by juggler's right hand at 2.83 s"


@pytest.fixture(scope="module")
def seen() -> hoi.rollout.Rollout:
    return hoi.open("juggle3").rollout


def test_every_kind_has_its_words_and_none_names_an_id_or_a_path(seen: hoi.rollout.Rollout) -> None:
    assert set(WORDINGS) == set(KINDS)
    for finding in of_each_kind():
        words = told(finding, seen)
        assert words and "catch5" not in words and "juggler/" not in words, (finding.kind, words)
        assert "`" not in words and "session." not in words and "None" not in words, (finding.kind, words)
        assert told(finding, None), finding.kind


@pytest.mark.parametrize(
    ("finding", "words"),
    [
        (Finding("contact", "catch5"), CATCH5),
        (Finding("follows", "catch5"), f"what follows {CATCH5}"),
        (Finding("soft catch", "catch5"), f"softness of {CATCH5}"),
        (Finding("lost", "catch5"), f"{CATCH5} does not happen any more"),
        (Finding("retime", "catch5", time=2.9), "move the catch of ball2 by juggler's right hand to 2.90 s"),
        (Finding("release", "catch5", time=2.9), "the throw of ball2 by juggler's right hand at 2.90 s"),
        (Finding("hits", "ball2", "juggler/head", 3.2), "ball2 hits juggler's head at 3.20 s"),
        (Finding("lock", "catch5"), f"the lock of {CATCH5}"),
        (Finding("stands", "juggler/left_foot"), "juggler's left foot where it stands"),
        (Finding("contact", "catch99"), "catch99"),  # which could not be, and is not there
        (
            Finding("declared", contacts=("catch4", "catch5")),
            "2 contacts happen by decree until the plan is made to come true",
        ),
        (Finding("declared", contacts=("catch5",)), f"{CATCH5} happens by decree until the plan is made to come true"),
        (
            Finding("joint limit", "juggler/right_forearm.Xrotation", time=1.0),
            "limit of juggler's right forearm, X rotation at 1.00 s",
        ),
    ],
)
def test_sentences(seen: hoi.rollout.Rollout, finding: Finding, words: str) -> None:
    assert told(finding, seen) == words


def test_every_action_calls_the_editor_with_what_it_takes() -> None:
    """Each is tried on a stand-in that knows only what an editor can do, and minds how that is called."""
    called: list[str] = []

    def noting(name: str) -> Callable[..., None]:
        signature = inspect.signature(getattr(Editor, name))

        def note(*arguments: object) -> None:
            signature.bind(None, *arguments)
            called.append(name)

        return note

    names = [name for name, _ in inspect.getmembers(fixes.Doer, inspect.isfunction) if not name.startswith("_")]
    editor = type("Stub", (), {name: staticmethod(noting(name)) for name in names})()
    pin = hoi.Pin("ball1", 1.2, position=[0.0, 1.0, 0.0])
    actions: list[fixes.Action] = [
        fixes.undo, fixes.stop, fixes.take_steps, fixes.solve, fixes.save_as, fixes.free_time, fixes.Open("a.hoi"),
        fixes.ToggleLock("ball1"), fixes.LetGo("catch5"), fixes.Remove(pin), fixes.KeepItClear("ball1", "ground", 1.0),
        fixes.Catch("ball1", "juggler/left_palm", 1.0), fixes.ShowTime("ball1", 1.0),
        fixes.Mean("ball1", 1.0), fixes.LetGoAt("ball1", 1.0),
    ]  # fmt: skip
    for action in actions:
        action(editor)
    assert sorted(called) == sorted(names)


def test_no_button_finds_its_method_by_name() -> None:
    """No `getattr` of the editor with a name that is worked out."""
    sources = [path.read_text() for path in Path(ui.__file__).parent.rglob("*.py")]
    calls = [node for text in sources for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    by_name = [
        own for own in calls if isinstance(own.func, ast.Name) and own.func.id == "getattr" and len(own.args) > 1
    ]
    assert by_name and not [own for own in by_name if isinstance(own.args[0], ast.Name) and own.args[0].id == "editor"]

"""Histories in files: whatever is wrong with one is told when it is opened, in a sentence that names the entry."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hoi_edit as hoi
from hoi_edit.edit.document import EDITS, Call
from hoi_edit.session import EditSession
from hoi_edit.session.history_validation import _arguments
from kinematics.errors import HoiError
from tests.hoi_edit.files.documents import change
from tests.hoi_edit.session.thrown_ball import scene

Tree = dict[str, Any]
EVIL = "__import__('os').system('echo')#"
ARRAY = {"$": "array", "index": 0}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    session = hoi.open(scene())
    session.add(hoi.Pin("by", 0.6, position=session.state("by", 0.6).position))
    session.lock("rig", (0.2, 0.4))
    session.save(tmp_path / "a.hoi")
    session.close()
    return tmp_path / "a.hoi"


def step(tree: Tree, k: int = 1) -> Tree:
    own: Tree = tree["parts"]["steps"][k]
    return own


def argument(name: str) -> Tree:
    return {"$": "dict", "items": [[name, 1.0]]}


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (lambda tree: tree["parts"].update(now="1"), "its history has 3 steps, and says that step '1' is shown"),
        (lambda tree: tree["parts"].update(now=True), "says that step True is shown"),
        (lambda tree: tree["parts"].update(now=3), "says that step 3 is shown"),
        (lambda tree: tree["parts"].update(steps=None), "steps is None; there must be a list"),
        (lambda tree: tree["parts"].update(steps=[1]), "steps[0] is 1, which is none"),
        (lambda tree: tree["parts"].update(scenes="abc"), "scenes is 'abc'; there must be a list"),
        (lambda tree: step(tree).update(scene=7), "steps[1].scene is 7; there are 1 scenes"),
        (lambda tree: step(tree).update(scene=-1), "steps[1].scene is -1"),
        (lambda tree: step(tree).update(label=3), "steps[1].label is 3; it must be text"),
        (lambda tree: step(tree).update(u=None), "steps[1].u is None; scene"),
        (lambda tree: step(tree).update(u=ARRAY), "steps[1].u is an array of shape"),
        (lambda tree: step(tree).update(nodes=None), "steps[1].nodes is None"),
        (lambda tree: step(tree).update(nodes=argument("x")), "steps[1].nodes has 'x', which is no contact"),
        (lambda tree: step(tree).update(nodes=argument("catch")), "steps[1].nodes['catch'] has no time"),
        (lambda tree: step(tree).update(constraints=3), "steps[1].constraints is 3; it must be a list"),
        (lambda tree: step(tree).update(constraints=["x"]), "steps[1].constraints[0] is 'x', which is no constraint"),
        (
            lambda tree: step(tree)["constraints"][0].update(name=3),
            "steps[1].constraints[0].name is 3, which cannot be",
        ),
        (lambda tree: step(tree).update(freedom=None), "steps[1].freedom is None"),
        (lambda tree: step(tree, 2)["freedom"]["locks"][0].update(span=[1.0]), "locks[0] cannot be a lock: 'rig'"),
        (lambda tree: step(tree).update(loose=3), "steps[1].loose is 3; it must be a list of names"),
        (lambda tree: step(tree).update(method=EVIL), "steps[1].method is \"__import__('os')"),
        (
            lambda tree: step(tree).update(method="open"),
            "steps[1].method is 'open', which is no edit; choose from: add",
        ),
        (lambda tree: step(tree).update(method=3), "steps[1].method is 3"),
        (lambda tree: step(tree).update(arguments=None), "steps[1].arguments is None"),
        (
            lambda tree: step(tree).update(arguments=argument("x=1);print(")),
            "which add does not take; it takes constraint",
        ),
        (
            lambda tree: step(tree, 2).update(arguments=argument("x")),
            "which free does not take; it takes window, locks",
        ),
        (lambda tree: step(tree, 0).update(arguments={"$": "dict", "items": []}), "steps[0].arguments lacks 'scene'"),
        (lambda tree: tree["parts"]["scenes"][0].update(end="x"), "scenes[0].end is 'x', which cannot be"),
    ],
)
def test_wrong_contents_are_told_by_file_and_entry(saved: Path, how: Callable[[Tree], Any], why: str) -> None:
    change(saved, how)
    with pytest.raises(HoiError) as told:
        hoi.open(saved)
    words = str(told.value)
    assert words.startswith(f"{saved}: cannot be read: ") and why in words
    assert "\n" not in words and len(words) < 600


def test_a_call_is_of_an_edit_that_there_is() -> None:
    with pytest.raises(HoiError, match="unknown edit"):
        Call(EVIL, {})
    for method in EDITS:
        assert callable(getattr(EditSession, method)) and "progress" not in _arguments(method)
    assert json.dumps(_arguments("let_go")) == '["*contacts"]'

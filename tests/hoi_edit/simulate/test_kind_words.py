"""Words of spans and events are texts that say what follows; nobody compares them."""

import ast
import copy
import pickle
from pathlib import Path

import pytest

from hoi_edit.simulate.kind_words import CONTACT, FLIGHT, GOES_ON, GRASP, HELD, IMPACT, OF_CONTACT, PASS, EventWord
from hoi_edit.simulate.tables import SPANS

ENGINE = Path(__file__).resolve().parents[3] / "hoi_edit"
# whose words are their own, or that check what a user wrote
OWN = ("verify", "reporting", "files", "commands")
WORDS = {"flight", "held", "impact", "grasp", "pass", "rest", "release", "jump", "goes on"}
ALLOWED = {Path("scene/scene.py"), Path("scene/validation.py")}  # a plan's contact: it says itself what it is


def compared(text: str) -> list[int]:
    """Lines in which the kind of something is compared with such a word."""
    lines = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            asks = any(isinstance(side, ast.Attribute) and side.attr == "kind" for side in sides)
            texts = {leaf.value for side in sides for leaf in ast.walk(side) if isinstance(leaf, ast.Constant)}
            if asks and texts & WORDS:
                lines.append(node.lineno)
    return sorted(lines)


def test_the_engine_compares_no_words() -> None:
    assert compared('a.kind == "flight" or b.kind in ("rest", "x") or c.kind == "clear"\nd.kind != "jump"') == [1, 1, 2]
    seen = {}
    for path in sorted(ENGINE.rglob("*.py")):
        inside = path.relative_to(ENGINE)
        if inside.parts[0] not in OWN and inside not in ALLOWED and compared(path.read_text()):
            seen[str(inside)] = compared(path.read_text())
    assert seen == {}, (
        "ask the word instead: `span.flies`, `event.lets_go`, `contact.bounces` … (simulate/kind_words.py)"
    )


def test_a_word_is_the_text_that_users_know() -> None:
    assert (FLIGHT, HELD, CONTACT) == ("flight", "held", "contact") and hash(FLIGHT) == hash("flight")
    assert f"{IMPACT}" == "impact" and OF_CONTACT["pass"] is PASS
    assert set(SPANS) == {FLIGHT, HELD, CONTACT} and all(
        w.flies + w.is_held + w.rolls == 1 for w in (FLIGHT, HELD, CONTACT)
    )


def test_what_it_says_goes_with_it() -> None:
    for word in (copy.deepcopy(GRASP), pickle.loads(pickle.dumps(GRASP))):
        assert word == "grasp" and word.catches and word.holds and word.is_met and not word.bounces
    assert EventWord("gust").fulfils is False and GOES_ON.is_seam
    with pytest.raises(TypeError, match="'flaps' is nothing"):
        EventWord("gust", flaps=True)

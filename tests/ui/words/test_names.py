"""What the core names by ids and paths, in the words of the timeline."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding
from ui.panels.constraints_view import in_lines
from ui.words.edit_report import fitted, to_go, told
from ui.words.names import contact_in_words, distance, in_words, plain
from ui.words.problems import fixes_of, in_scene, who_meets


@pytest.fixture(scope="module")
def juggling() -> hoi.EditSession:
    return hoi.open("juggle3")


def test_parts_of_bodies() -> None:
    assert plain("juggler/right_hand") == "juggler's right hand" and plain("ground") == "ground"
    assert plain("juggler/right_forearm.Xrotation") == "juggler's right forearm, X rotation"
    for name, words in {"LeftHand": "left hand", "Spine1": "spine 1", "RThumb": "r thumb", "Hips": "hips"}.items():
        assert plain(f"walker/{name}") == f"walker's {words}"


def test_contacts_are_called_as_on_the_timeline(juggling: hoi.EditSession) -> None:
    seen = juggling.rollout
    assert contact_in_words(seen, "catch4") == "the catch of ball1 by juggler's left hand at 2.39 s"
    assert contact_in_words(seen, "catch4:release") == "the throw of ball1 by juggler's left hand at 2.83 s"
    assert contact_in_words(seen, "ball1:release", with_time=False) == "the throw of ball1 by juggler's left hand"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("contact catch4", "the catch of ball1 by juggler's left hand at 2.39 s"),
        ("contact 'catch4' does not happen", "the catch of ball1 by juggler's left hand at 2.39 s does not happen"),
        ("what follows catch4", "what follows the catch of ball1 by juggler's left hand at 2.39 s"),
        ("retime catch4 to 2.45 s", "move the catch of ball1 by juggler's left hand to 2.45 s"),
        ("retime catch4:release to 2.9 s", "move the throw of ball1 by juggler's left hand to 2.9 s"),
        ("release of catch4 at 2.90 s", "the throw of ball1 by juggler's left hand at 2.90 s"),
        ("throw after catch4", "the throw of ball1 by juggler's left hand at 2.83 s"),
        ("retime 'ball1:release' first", "move the throw of ball1 by juggler's left hand at 0.73 s first"),
        ("let go of catch14", None),
        ("catch44 and xcatch4 are others", "catch44 and xcatch4 are others"),
        ("drag ball1 at 1.20 s", "drag ball1 at 1.20 s"),
        ("ball2 hits juggler/head at 3.20 s", "ball2 hits juggler's head at 3.20 s"),
        ("bend juggler/right_forearm.Xrotation at 1.50 s", "bend juggler's right forearm, X rotation at 1.50 s"),
        ("'juggler/left_foot' where it stands", "juggler's left foot where it stands"),
        ("wrote /tmp/juggler/left_hand.hoi", "wrote /tmp/juggler/left_hand.hoi"),
    ],
)  # fmt: skip
def test_sentences(juggling: hoi.EditSession, said: str, words: str | None) -> None:
    found = in_words(said, juggling.rollout)
    assert found == words if words is not None else "catch14" not in found
    assert in_words(said, None) == said


def test_mistakes_of_the_core_name_nothing_by_its_id(juggling: hoi.EditSession) -> None:
    with pytest.raises(hoi.HoiError) as error:
        juggling.retime("catch1", 2.5)
    words = in_words(str(error.value), juggling.rollout)
    assert "catch1" in str(error.value) and "catch1" not in words
    assert words.startswith("the catch of ball1 by juggler's right hand at 1.39 s is released at 1.79 s")


def test_reports_and_their_buttons_speak_so(juggling: hoi.EditSession) -> None:
    seen = juggling.rollout
    drag, held = Finding("drag", "ball1", time=1.2), (Finding("contact", "catch3"), Finding("follows", "catch3"))
    near = Report(False, 0.034, 9, held, (), {drag: 0.034}, frozenset([drag]))
    level, words = told(near, None, "ball1", rollout=seen)
    assert level == "warning" and "3.4 cm" in words and "catch3" not in words
    assert "the catch of ball3 by juggler's right hand at 2.09 s" in words
    labels = [fix.label for fix in fixes_of(near, seen, juggling.document)]
    assert "Let go of the catch of ball3 by juggler's right hand at 2.09 s" in labels
    assert not any("step" in label for label in labels)
    assert fixes_of(near, seen, juggling.document, by_steps=True)[1].label == "Let juggler take a step"
    lost, hits = Finding("lost", "catch3"), Finding("hits", "ball2", "juggler/head", 3.2)
    changed = Report(True, 0.0, 3, events_changed=(lost, hits))
    assert "catch3" not in told(changed, "Done.", rollout=seen)[1]


def test_lengths_in_the_unit_that_fits() -> None:
    assert [distance(own) for own in (0.0004, 0.034, 1.5)] == ["0.4 mm", "3.4 cm", "1.50 m"]
    left = [to_go(Report(own < 1e-6, own, 3), "ball1") for own in (0.0, 2e-5, 0.0004, 0.2)]
    assert left == ["Everything is met.", "Almost there.", "0.4 mm to go.", "20.0 cm to go."]
    assert to_go(Report(False, np.radians(3.0), 3), "juggler/head.Xrotation") == "3.0° to go."


def test_a_sentence_that_does_not_fit_ends_with_a_whole_word() -> None:
    words = "It came as near as it can"
    assert fitted(words, 100, len) == words
    assert fitted(words, 14, len) == "It came as …" and fitted(words, 1, len) == "It …"
    assert fitted("unbreakable", 3, len) == "unbreakable"


def test_who_does_not_meet_yet() -> None:
    plan = hoi.open("soccer:start")
    (problem,) = in_scene(plan.rollout, plan.document)
    assert problem.text == "8 contacts happen by decree only: player and ball do not meet yet."
    feet = [own for own in plan.scene.contacts if "instep" in own.carrier]
    assert who_meets(feet) == "feet and ball"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("it has all of its clip; open the window first: session.window()", "it has all of its clip"),
        ("it has no file yet; give one a name: session.save('a.hoi')", "it has no file yet"),
        ("open it first: session.window()", "open it first"),
        ("only 0 to 2 s of it are seen; trim= and at= choose the stretch", "only 0 to 2 s of it are seen"),
        ("'catch4'; choose from: a, b", "the catch of ball1 by juggler's left hand at 2.39 s; choose from: a, b"),
        (
            "catch4: it would not happen any more",
            "the catch of ball1 by juggler's left hand at 2.39 s: it would not happen any more",
        ),
        ("the screen at DISPLAY=:3 does not answer", "the screen at DISPLAY=:3 does not answer"),
    ],
)  # fmt: skip
def test_no_python_in_the_window(juggling: hoi.EditSession, said: str, words: str) -> None:
    assert in_words(said, juggling.rollout) == words


def test_a_number_is_not_parted_from_its_unit() -> None:
    assert in_lines("pin of juggler's left hand at 1.05 s") == "pin of juggler's left hand at\n1.05\u00a0s"
    assert in_lines("3 balls, 2 cm off") == "3 balls, 2\u00a0cm off"

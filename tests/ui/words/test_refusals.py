"""What cannot be is said in plain words, and no wish is its own reason."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding
from ui.view.gl_context import why_not
from ui.words.catch_candidates import nearest_time, palm
from ui.words.edit_report import to_go, told
from ui.words.fixes import Catch
from ui.words.history_labels import abridged, labels_of
from ui.words.names import distance, in_words
from ui.words.refusals import catch_refused, wish_refused, without
from ui.worker.import_job import imported


@pytest.fixture(scope="module")
def session() -> hoi.EditSession:
    """Three balls are juggled, and a fourth flies by."""
    own = hoi.open("juggle3")
    flies = hoi.Flying(np.array([0.5, 1.2, 0.4]), np.array([0.0, 6.0, 0.0]))
    own.add_thing(hoi.Thing("ball", hoi.ball(0.2, 0.05), flies, hoi.Material(0.5, 0.5)))
    return own


CATCH4, CATCH24 = Finding("contact", "catch4"), Finding("contact", "catch24")  # that there is; that is wished for


def refused(*owners: Finding) -> Report:
    return Report(False, 0.4, 9, owners, (), dict.fromkeys(owners, 0.4), unchanged=True)


def test_a_catch_that_cannot_be_says_how_far_the_hand_is_and_where_it_is_near(session: hoi.EditSession) -> None:
    seen, site = session.rollout, "juggler/left_palm"
    t = next(float(t) for t in np.arange(0.5, 1.5, 0.05) if not palm(seen, site, "ball", float(t)).holds)
    said = catch_refused(seen, session.document, refused(CATCH24, CATCH4), "ball", site, t)
    away = distance(palm(seen, site, "ball", t).away)
    why = f"cannot catch ball at {t:.2f} s: the hand is {away} from ball then."
    assert said.text.startswith(f"juggler's left hand {why}")
    assert "What holds it back: the catch of ball1 by juggler's left hand at 2.39 s." in said.text
    labels = [fix.label for fix in said.fixes]
    assert "Let go of the catch of ball1 by juggler's left hand at 2.39 s" in labels and len(set(labels)) == len(labels)
    only = refused(CATCH24, Finding("follows", "catch24"))
    alone = catch_refused(seen, session.document, only, "ball", site, t)
    assert "holds it back" not in alone.text and "catch24" not in alone.text and alone.level == "error"


def test_a_hand_that_holds_something_else_is_said_to(session: hoi.EditSession) -> None:
    seen, site = session.rollout, "juggler/left_palm"
    busy = next(t for t in np.arange(0.1, 1.3, 0.05) if palm(seen, site, "ball", float(t)).holds)
    hand = palm(seen, site, "ball", float(busy))
    said = catch_refused(seen, session.document, refused(CATCH24), "ball", site, float(busy))
    assert f"it holds {hand.holds} until {hand.until:.2f} s" in said.text


def test_another_time_is_offered_only_where_the_hand_is_free_and_near(session: hoi.EditSession) -> None:
    seen, site = session.rollout, "juggler/right_palm"
    found = nearest_time(seen, "ball1", site, 1.0)
    assert found is not None and not found[1].holds
    others = [palm(seen, site, "ball1", t) for t in np.linspace(0.75, 1.38, 30)]
    assert found[1].away <= min(own.away for own in others if not own.holds) + 0.02
    said = catch_refused(seen, session.document, refused(CATCH24), "ball1", site, 0.9)
    assert [(own.do.thing, own.do.site) for own in said.fixes if isinstance(own.do, Catch)] == [("ball1", site)]
    assert len(said.fixes) == 1
    assert nearest_time(seen, "ball1", site, 1.5) is None  # it does not fly then
    left = catch_refused(seen, session.document, refused(CATCH24), "ball1", "juggler/left_palm", 1.3)
    assert left.fixes[0].do == Catch("ball1", site, 1.3)  # which is near, and free


def test_what_is_to_be_kept_clear_is_not_its_own_reason(session: hoi.EditSession) -> None:
    wish = hoi.KeepClear("ball", "ground", 1.23)
    assert without(refused(wish.about, CATCH4), {wish.about}).binding == (CATCH4,)
    said = wish_refused(session.rollout, session.document, refused(wish.about), wish.about, "It cannot be")
    assert said.text == "It cannot be. The best that was found is 40.0 cm off. Nothing was changed."


def test_a_clip_that_comes_in_is_told_without_its_path_and_with_the_button_for_the_plan() -> None:
    plan = hoi.open("soccer:start")
    found = (
        Finding("notice", why="/some/where/walk.bvh: its unit of length is taken to be cmu"),
        Finding("declared", contacts=tuple(contact.id for contact in plan.scene.contacts)),
    )
    said = imported("/some/where/walk.bvh", found, plan.rollout)
    assert said.text == (
        "Imported walk.bvh. 8 contacts happen by decree until the plan is made to come true. "
        "Its unit of length is taken to be cmu."
    )
    assert [fix.label for fix in said.fixes] == ["Make the plan come true", "Undo"] and said.level == "warning"


def test_what_is_turned_is_told_in_degrees() -> None:
    drag = Finding("drag", "bat", time=0.5)
    report = Report(False, np.radians(8.0), 3, missed={drag: 0.1}, wishes=frozenset([drag]))
    assert to_go(report, "bat", turned=True) == "8.0° to go." and to_go(report, "bat") == "14.0 cm to go."
    assert "8.0° away" in told(report, None, "bat", None, True)[1]


def test_steps_of_the_history_say_what_they_changed() -> None:
    own = hoi.open("juggle3")
    own.window(0.5, 3.2)
    own.lock("ball2")
    own.lock("catch5")
    own.unlock("ball2")
    own.window()
    own.free(things=2.0)
    own.free(scales={"juggler": 0.5})
    seen = own.rollout
    catch5 = in_words("contact catch5", seen)
    assert labels_of(own.history, seen)[1:] == (
        "edits only from 0.50 to 3.20 s", "lock ball2", f"lock {catch5}", "unlock ball2", "edits at any time",
        "moving things costs 2×", "moving juggler costs 0.5×",
    )  # fmt: skip


def test_long_steps_are_cut_between_words_and_keep_their_times() -> None:
    words = "move the catch of ball1 by juggler's right hand to 2.55 s"
    assert abridged(words, 80) == words
    assert abridged(words, 40) == "move the catch of ball1 by … to 2.55 s" and len(abridged(words, 39)) <= 39


def test_too_old_a_driver_is_told_from_none() -> None:
    old = why_not("eglCreateContext failed (0x3009)")
    assert "0x3009" not in old and "install" not in old and "too old" in old
    assert "install libegl1" in why_not("libEGL.so not loaded")

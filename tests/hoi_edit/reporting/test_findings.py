"""What reports tell is data, and every kind of it has its words."""

import math
from typing import get_args

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.base import Named, Rowset, about
from hoi_edit.constraints.pin import Drag, Pin
from hoi_edit.constraints.standing_foot import StandingFoot
from hoi_edit.constraints.weigh import Weigh
from hoi_edit.edit.outcome import told_apart
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import DOUBT_KINDS, KINDS, Amount, Doubt, Finding, Kind
from hoi_edit.reporting.words import DOUBTS, WORDINGS, said
from tests.hoi_edit.reporting.finding_of_each_kind import of_each_kind


def test_every_kind_has_its_words() -> None:
    assert set(WORDINGS) == set(KINDS) == {finding.kind for finding in of_each_kind()} == set(get_args(Kind))
    for finding in of_each_kind():
        assert str(finding) and "None" not in str(finding) and "Amount" not in str(finding), finding.kind


@pytest.mark.parametrize(
    ("finding", "sentence"),
    [
        (Finding("contact", "catch5"), "contact catch5"),
        (Finding("follows", "touch2"), "what follows touch2"),
        (Finding("pin", "ball1", time=1.2), "pin of ball1 at 1.20 s"),
        (Finding("clear", "ball1", "ball2", 2.314), "ball1 clear of ball2 at 2.31 s"),
        (Finding("closing hand", "box", "mime/left_palm"), "mime/left_palm clear of box"),
        (Finding("lock", "juggler"), "the lock of juggler"),
        (Finding("lock", "juggler", time=0.0, until=10.0), "the lock of juggler from 0 s to 10 s"),
        (Finding("window", time=1.1, until=1.3), "the window from 1.1 s to 1.3 s"),
        (Finding("retime", "catch5", time=2.9), "retime catch5 to 2.90 s"),
        (Finding("release", "catch5"), "release of catch5"),
        (Finding("release", "catch5", time=2.0), "release of catch5 at 2.00 s"),
        (
            Finding("inside", "a", "ground", amounts=(Amount(0.0123, "m"),)),
            "ground, which a would start 12.3 mm inside",
        ),
        (
            Finding("busy", "ball2", "rig/palm", until=math.inf, contacts=("new",)),
            "new: rig/palm holds ball2 to the end",
        ),
        (
            Finding("would hold", "ball2", parts=("rig/left", "rig/right"), contacts=("new",)),
            "new: rig/left and rig/right would hold ball2 to the end; give it a release",
        ),
        (
            Finding("would hold", "ball2", parts=("rig/palm",), until=1.5, contacts=("new",)),
            "new: rig/palm would hold ball2 until 1.50 s",
        ),
        (
            Finding("out of reach", "ball", "rig/palm", 0.5, amounts=(Amount(1.25, "m"),), contacts=("new",)),
            "new: rig/palm is 1.25 m from ball at 0.50 s and does not get to it",
        ),
        (Finding("lost", "catch3"), "catch3 lost"),
        (Finding("hits", "ball2", "juggler/head", 3.2), "ball2 hits juggler/head at 3.20 s"),
        (Finding("no longer hits", "ball2", "ground"), "ball2 no longer hits ground"),
        (
            Finding("taken out", about=Finding("pin", "ball", time=1.0), why="no ball"),
            "pin of ball at 1.00 s: taken out (no ball)",
        ),
        (Finding("went along", about=Finding("opened", "kick2")), "what is open about kick2: taken out with it"),
    ],
)
def test_sentences(finding: Finding, sentence: str) -> None:
    assert str(finding) == sentence and repr(finding) == repr(sentence) and f"{finding}" == sentence


def test_a_printed_report_reads_as_sentences() -> None:
    wish, pin = Finding("drag", "ball1", time=1.2), Finding("pin", "ball1", time=1.2)
    report = Report(False, 0.1, 7, (wish, pin, pin), (Finding("lost", "catch3"),), {wish: 0.1}, frozenset([wish]))
    assert str(report.binding) == "('pin of ball1 at 1.20 s', 'pin of ball1 at 1.20 s')" and said(report.binding) == [
        "pin of ball1 at 1.20 s"
    ]
    assert repr(report) == (
        "<not reached in 7 steps, residual 0.1, held back by pin of ball1 at 1.20 s, changed: catch3 lost>"
    )
    assert dict(report.missed) == {Finding("drag", "ball1", time=1.2): 0.1}


def test_findings_are_equal_by_what_they_say_so_that_they_can_be_looked_up() -> None:
    pin = Pin("ball1", np.float64(1.2), position=[0.0, np.nan, 1.0])
    assert pin.about == Finding("pin", "ball1", time=1.2) and pin.label == "pin of ball1 at 1.20 s"
    assert told_apart(pin) == told_apart(Pin("ball1", 1.2, position=[0.0, np.nan, 1.0]))  # what is open is open
    assert told_apart(pin) != told_apart(Pin("ball1", 1.2, position=[0.0, 2.0, 1.0]))
    assert str(told_apart(pin)) == "pin of ball1 at 1.20 s, (0, nan, 1) m"
    turned = Pin("ball1", 1.2, rotation=np.eye(3), velocity=[1.0, 2.0, 3.0])
    assert str(told_apart(turned)) == "pin of ball1 at 1.20 s, turned, (1, 2, 3) m/s"
    assert Drag("ball1", 1.2, [0.0, 0.0, 0.0]).about.kind == "drag"
    assert Weigh("mime", 1, 0, 0.5).label == "weight of clip 0 in interval 1 of mime"


def test_a_constraint_of_somebody_else_is_called_by_its_label() -> None:
    class Mine:
        label = "knees together"

        def rows(self, seen: hoi.rollout.Rollout) -> list[Rowset]:
            return []

    assert about(Mine()) == Finding("constraint", "knees together") and str(about(Mine())) == "knees together"
    functional = hoi.adjoint.Functional(1)
    assert Rowset.equal("knees together", functional, np.zeros(1)).owner == about(Mine())  # type: ignore[arg-type]


def test_rows_are_owned_by_what_their_constraint_is_about() -> None:
    session = hoi.open("juggle3")
    seen = session.rollout
    where = session.state("ball1", 1.2).position
    constraints: list[Named] = [
        Pin("ball1", 1.2, position=where), hoi.KeepContact.of(seen, "catch5"), hoi.SoftCatch("catch5", 8.0),
        hoi.HandAcceleration("juggler/left_palm", 1.0), hoi.KeepClear("ball1", "ball2", 1.2, distance=0.5),
    ]  # fmt: skip
    for constraint in constraints:
        rows = constraint.rows(seen)  # type: ignore[attr-defined]
        assert rows and {row.owner for row in rows} == {constraint.about}, constraint.label
    assert StandingFoot.__mro__[1] is Named


def test_every_kind_of_doubt_has_its_words() -> None:
    assert set(DOUBTS) == set(DOUBT_KINDS)
    amounts = {"grazes": (Amount(0.01, "m/s"), Amount(2.0, "m/s")), "passes close": (Amount(1e-7, "m"),)}
    for kind in DOUBT_KINDS:
        touches = (Finding("met", "ball", "wall", 1.0),)
        doubt = Doubt(kind, "wall", amounts.get(kind, (Amount(3e7, "times"),)), touches)
        assert str(doubt) and "Amount" not in str(doubt) and "Finding" not in str(doubt), kind


def test_of_many_touches_some_are_named() -> None:
    touches = tuple(Finding("met", "ball", f"drum{k}", 0.1 * k) for k in range(12))
    words = str(Doubt("grown", amounts=(Amount(2e8, "times"),), touches=touches))
    assert words.startswith("a change before it grows 2e+08 times by the touches of ball with drum0 at 0.00 s")
    assert words.count("drum") == 7 and "5 more, ball with drum11 at 1.10 s" in words

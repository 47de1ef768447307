"""Tables for notebooks: everything is there, nothing can break out of its cell."""

from xml.etree import ElementTree

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.reporting import notebook_html as html
from hoi_edit.reporting.findings import Finding
from hoi_edit.scenes.resources import clip_path
from kinematics.io import read_clip
from rigid.distance import RoundedBox
from tests.hoi_edit.export.exported_scenes import falling


def cells(text: str) -> list[str]:
    """The text of all cells; parsing fails on markup that is not closed."""
    return ["".join(cell.itertext()) for cell in ElementTree.fromstring(text).iter() if cell.tag in ("td", "th")]


def test_a_session_shows_what_it_is_and_what_was_done() -> None:
    session = falling()
    session.lock("ball")
    shown = cells(session._repr_html_())
    assert "ball, bat, box" in shown and "0 to 0.6 s" in shown and "what may change" in shown
    session.undo()
    assert "what may change (undone)" in cells(session._repr_html_())


def test_what_is_printed_is_short() -> None:
    session = falling()
    assert (
        repr(session)
        == f"<session on {session.scene.name}: nobody, 3 things, 0 intended contacts, 0 edits, 0 to 0.6 s>"
    )
    session.mute()
    assert "shown without its edits" in repr(session)
    seen = repr(session.rollout)
    assert ": 1 event, 1 of them not intended" in seen and "missed: none" in seen and len(seen) < 120
    lines = repr(session.layout).splitlines()
    assert len(lines) == 1 + len(session.layout.blocks) and "ball.position (3,)" in lines[1]


def test_a_rollout_shows_its_events() -> None:
    shown = cells(falling().rollout._repr_html_())
    assert shown[:5] == ["time", "what", "thing", "with", "contact"]
    assert shown[6:10] == ["impact", "ball", "ground", "not intended"]


def test_a_report_says_what_holds_it_back() -> None:
    drag = Finding("drag", "ball")
    report = Report(False, 0.25, 7, (Finding("pin", "ball"),), (Finding("lost", "catch3"),), {drag: 0.25})
    text = report._repr_html_()
    assert "not reached" in text
    assert {"pin of ball", "catch3 lost", "missed: drag of ball", "by 0.25"} <= set(cells(text))


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", 'a"b', "a&b", "<b>"])
def test_names_are_text_and_no_markup(name: str) -> None:
    ball = hoi.Thing(name.replace("/", "|"), hoi.ball(0.1, 0.05), hoi.Flying(np.array([0.0, 1.0, 0.0])))
    session = hoi.EditSession(hoi.Scene(things=[ball], end=0.1, name=name))
    assert name.replace("/", "|") in cells(session._repr_html_())
    assert "<script>" not in session._repr_html_()


def test_long_tables_are_cut_and_say_so() -> None:
    text = html.table("many", ("n",), [(k,) for k in range(100)])
    assert len(cells(text)) == 1 + html.MOST_ROWS and "70 more rows are not shown" in text


def test_intended_contacts_that_do_not_happen_are_told_once_that_is_known() -> None:
    ball = hoi.Thing("ball", hoi.ball(0.1, 0.05), hoi.Flying(np.array([0.0, 1.0, 0.0])), hoi.Material(0.5, 0.3))
    contacts = [hoi.Contact("floor", "ball", "ground", 0.44), hoi.Contact("again", "ball", "wall", 0.2)]
    wall = hoi.Fixture("wall", RoundedBox(np.array([0.1, 1.0, 1.0]), 0.0), np.array([-3.0, 1.0, 0.0]))
    session = hoi.open(hoi.Scene(things=[ball], fixtures=[hoi.ground(), wall], contacts=contacts, end=0.6))
    clause = "intended contact again does not happen"
    assert clause in repr(session) and clause in session._repr_html_()  # opening it has found that
    session.lock("ball")
    assert session.rollout.missed == ("again",) and clause in repr(session)
    session.undo()
    session.remove_contact("again")
    assert "does not happen" not in repr(session) + session._repr_html_()


def test_records_are_printed_in_one_line_without_arrays() -> None:
    session = falling()
    person = hoi.Character.of("ann", read_clip(clip_path("kick_mime")))
    scene = hoi.Scene([person], session.scene.things, session.scene.fixtures)
    clip = read_clip(clip_path("stand_mime"))
    records = [
        scene, person, *scene.things, *(own.start for own in scene.things), *(own.body for own in scene.things),
        *scene.fixtures, hoi.Held("ann/right_palm", 0.5), clip, clip.skeleton, person.motion, person.recording,
        hoi.FittedSpline.to(clip), session.document, session.compare(), session.compare().largest(), *session.history,
    ]  # fmt: skip
    for record in records:
        shown = repr(record)
        assert shown.startswith(("<", "Step(")) and "\n" not in shown and "array" not in shown and len(shown) < 200, (
            shown
        )
    assert (
        repr(scene) == "<scene scene: characters ann; things ball, bat, box; fixtures ground, wall; 0 intended "
        "contacts; 0 to 10 s>"
    )
    assert repr(scene.things[0]) == (
        "<thing ball: ball of 0.4 kg that reaches 0.1 m from its centre, flying from (0, 0.5, 0) m at (1, 0, 0) m/s>"
    )

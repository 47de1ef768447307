"""Constraints that are switched off: still in the document, its file and its script, and not kept by edits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from kinematics.errors import HoiError

PLACE = np.array([0.1, 1.2, 0.0])


def flown() -> hoi.Scene:
    start = hoi.Flying(np.array([0.0, 1.0, 0.0]), np.array([1.0, 3.0, 0.0]))
    return hoi.Scene((), [hoi.Thing("ball", hoi.ball(0.1, 0.05), start)], [hoi.ground()], end=0.6)


def pinned() -> tuple[hoi.EditSession, hoi.Pin]:
    session = hoi.open(flown())
    pin = hoi.Pin("ball", 0.3, position=session.state("ball", 0.3).position + [0.0, 0.1, 0.0])
    assert session.add(pin).converged
    return session, pin


def kept(session: hoi.EditSession) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What is on and what is off."""
    return session.document.constraints, session.document.switched_off


def off_by(session: hoi.EditSession, pin: hoi.Pin) -> float:
    return float(np.abs(session.state("ball", 0.3).position - pin.position).max())


def test_what_is_off_is_not_kept_and_comes_true_again_when_on() -> None:
    session, pin = pinned()
    session.switch_off(pin.label)
    assert kept(session) == ((), (pin,))
    assert session.drag("ball", 0.3, session.state("ball", 0.3).position + [0.2, 0.0, 0.0]).converged
    assert off_by(session, pin) > 0.1
    assert session.switch_on(pin).converged
    assert off_by(session, pin) < 1e-6 and kept(session) == ((pin,), ())
    session.undo()
    assert off_by(session, pin) > 0.1 and kept(session) == ((), (pin,))
    session.undo()
    session.undo()
    assert kept(session) == ((pin,), ()) and off_by(session, pin) < 1e-6


def test_it_is_in_the_file_and_in_the_script(tmp_path: Path) -> None:
    session, pin = pinned()
    session.switch_off(pin)
    session.save(tmp_path / "a.hoi")
    again = hoi.open(tmp_path / "a.hoi")
    (off,) = again.document.switched_off
    assert off.label == pin.label and again.document.constraints == ()
    assert again.switch_on(off).converged
    names: dict[str, object] = {"scene": flown()}
    exec(session.script(), names)
    scripted = names["session"]
    assert isinstance(scripted, hoi.EditSession)
    assert [own.label for own in scripted.document.switched_off] == [pin.label]
    assert f"session.switch_off(constraint={pin.label!r})" in session.script()
    again.close()


def test_it_can_be_taken_out_while_it_is_off() -> None:
    session, pin = pinned()
    session.switch_off(pin)
    session.remove(pin)
    assert kept(session) == ((), ())
    session.undo()
    assert kept(session) == ((), (pin,))
    session.remove(pin.label)
    assert kept(session) == ((), ())


def test_of_two_that_are_called_the_same_the_one_that_is_on_is_meant() -> None:
    session, pin = pinned()
    session.switch_off(pin)
    twin = hoi.Pin("ball", 0.3, position=PLACE)
    assert twin.label == pin.label and session.add(twin).converged
    session.remove(pin.label)
    assert kept(session) == ((), (pin,))


def test_mistakes_are_told() -> None:
    session, pin = pinned()
    with pytest.raises(HoiError, match="there is no constraint that is switched off 'pin of ball'; there are: none"):
        session.switch_on("pin of ball")
    session.switch_off(pin)
    with pytest.raises(HoiError, match="there is no constraint 'pin of ball at 0"):
        session.switch_off(pin.label)

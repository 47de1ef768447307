"""A few random edits of clips with things: see tests/edit_fuzz.py."""

from tests.edit_fuzz import fuzz, kind_of


def test_after_every_edit_a_session_is_what_its_controls_give() -> None:
    told: list[str] = []
    tally = fuzz(14, seed=4, folder=None, say=told.append, lengths=(4.0,))
    assert not tally.wrong, told
    assert sum(count for what, count in tally.found.items() if what.endswith("done")) >= 4, tally.found


def test_refusals_are_of_one_kind_whatever_they_name() -> None:
    one, other = "'ball2' is in ann/left_palm at 1.2 s", "'box' is in bob/right_hand at -3e-05 s"
    assert kind_of(one) == kind_of(other) != kind_of("'ball2' is in no hand at 1.2 s")

"""A few random edits of clips with things: see tests/edit_fuzz.py."""

from tests.edit_fuzz import fuzz


def test_after_every_edit_a_session_is_what_its_controls_give() -> None:
    told: list[str] = []
    found = fuzz(12, seed=4, folder=None, say=told.append)
    assert not found["wrong"], told
    assert sum(count for what, count in found.items() if what.endswith("done")) >= 4, found

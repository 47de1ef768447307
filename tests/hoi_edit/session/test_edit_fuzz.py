"""A few random edits of clips with things: see tests/edit_fuzz.py."""

from tests.edit_fuzz import fuzz


def test_after_every_edit_a_session_is_what_its_controls_give() -> None:
    told: list[str] = []
    tally = fuzz(14, seed=4, folder=None, say=told.append, lengths=(4.0,))
    assert not tally.wrong, told
    assert sum(count for what, count in tally.found.items() if what.endswith("done")) >= 4, tally.found
    assert all(f"{kind.partition(':')[0]}: " in kind for kind in tally.refused)

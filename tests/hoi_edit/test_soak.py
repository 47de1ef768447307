"""A short soak: see tests/soak.py."""

from tests.soak import soak


def test_random_drags_end_well() -> None:
    found = soak(12, seed=3, scenes=("juggle3",), each=6)
    assert found["arrived"] >= 8

"""A short soak: see tests/soak.py."""

from tests.compilations import compilations
from tests.soak import soak


def test_random_drags_end_well_and_compile_nothing_once_warm() -> None:
    soak(2, seed=5, scenes=("juggle3",))
    with compilations() as seen:
        found = soak(12, seed=3, scenes=("juggle3",), each=6)
    assert found["arrived"] >= 8
    assert seen == []

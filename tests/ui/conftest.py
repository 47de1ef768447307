"""The window of a file of tests: the module names the scene that it shows, `SHOWN = garden` or `SHOWN = juggling`."""

from collections.abc import Iterator

import pytest

from tests.ui.screen import Hand


@pytest.fixture(scope="module")
def hand(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hand]:
    with request.module.SHOWN.in_window(tmp_path_factory) as hand:
        yield hand


@pytest.fixture(autouse=True)
def _begins_anew(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test of such a file begins with the scene as it was opened, and leaves it so."""
    shown = getattr(request.module, "SHOWN", None)
    if shown is None:
        yield
        return
    with shown.anew(request.getfixturevalue("hand")):
        yield

"""The session of a file of tests, which it names by a function `opens()`; each test finds it as it was opened."""

from collections.abc import Iterator

import pytest

from hoi_edit.session import EditSession
from tests.sessions import undone


@pytest.fixture(scope="module")
def opened(request: pytest.FixtureRequest) -> EditSession:
    session: EditSession = request.module.opens()
    return session


@pytest.fixture
def session(opened: EditSession) -> Iterator[EditSession]:
    with undone(opened) as session:
        yield session

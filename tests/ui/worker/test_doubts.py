"""What the session warns of is told in the window, and nothing else is swallowed."""

import warnings

import pytest

import hoi_edit as hoi
from ui.worker.doubts import doubts_heard


def test_doubts_become_sentences_without_python() -> None:
    with doubts_heard() as doubts:
        warnings.warn("/a/my.bvh: its floor slopes by 0.6°; level=True has it turned level", hoi.DoubtfulClip, 1)
        assert doubts == []  # it is not over
    assert doubts == ["Its floor slopes by 0.6°."]


def test_other_warnings_stay_what_they_are() -> None:
    with pytest.warns(RuntimeWarning, match="elsewhere"), doubts_heard():
        warnings.warn("elsewhere", RuntimeWarning, stacklevel=1)

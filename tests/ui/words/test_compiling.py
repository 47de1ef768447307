"""What is left to compile is told calmly."""

from hoi_edit.compiling.compile_jobs import CompileProgress
from ui.words.compiling import Countdown, in_words


def left(seconds: float, done: int = 1) -> CompileProgress:
    return CompileProgress(done, 15, seconds, True)


def test_times_are_round() -> None:
    words = [in_words(left(seconds)).partition("parts, ")[2].partition(";")[0] for seconds in (2.0, 38.0, 59.0, 133.0)]
    assert words == ["a few seconds left", "about 40 s left", "about 1 minute left", "about 2 minutes left"]


def test_what_is_left_does_not_grow_from_look_to_look() -> None:
    countdown = Countdown()
    first = countdown.words(left(30.0))
    assert countdown.words(left(39.0)) == first and countdown.words(left(41.0)) == first  # nothing was done meanwhile
    assert "about 20 s left" in countdown.words(left(20.0, 2))
    assert "about 1 minute left" in countdown.words(left(70.0, 2))  # it was a wrong guess
    assert countdown.words(None) == "" and countdown.words(left(30.0)) == first

"""The time that is shown: how it goes on, steps and is scrubbed."""

import pytest

from ui.timeline.playback import Playback


def test_time_goes_on_loops_and_stops() -> None:
    time = Playback(0.0, 2.0, t=1.9).toggled()
    assert time.advanced(0.05).t == pytest.approx(1.95)
    assert time.advanced(0.3).t == pytest.approx(0.2)
    stops = Playback(0.0, 2.0, t=1.9, loop=False).toggled().advanced(0.3)
    assert stops.t == 2.0 and not stops.playing
    assert stops.toggled().t == 0.0
    slow = Playback(0.0, 2.0, speed=0.25, playing=True).advanced(0.4)
    assert slow.t == pytest.approx(0.1)
    ranged = Playback(0.0, 2.0, t=0.9, playing=True).ranged(0.5, 1.0)
    assert ranged.advanced(0.2).t == pytest.approx(0.6)
    assert ranged.ranged(first=1.0) == ranged and ranged.whole().high == 2.0


def test_steps_go_to_whole_frames() -> None:
    time = Playback(0.0, 2.0, t=0.5042, rate=60.0)
    assert time.stepped(1).t == pytest.approx(31 / 60)
    assert time.stepped(-1).t == pytest.approx(30 / 60)
    assert time.stepped(1).stepped(1).frame == 32
    assert Playback(0.0, 2.0).stepped(-1).t == 0.0


def test_scrubbing_stops_at_frames_unless_any_time_is_asked_for() -> None:
    time = Playback(0.5, 2.0, rate=24.0)
    for t in (0.5, 0.73, 1.2106, 1.99):
        frames = (time.scrubbed(t).t - 0.5) * 24.0
        assert abs(frames - round(frames)) < 1e-9 and abs(time.scrubbed(t).t - t) <= 0.5 / 24.0 + 1e-9
        assert time.scrubbed(t, free=True).t == t
    assert time.scrubbed(9.0).t == 2.0 and time.scrubbed(-1.0).t == 0.5
    uneven = Playback(0.0, 1.01, rate=10.0)
    assert uneven.scrubbed(1.009).t == 1.01 and uneven.scrubbed(0.98).t == 1.0  # the end can be reached
    assert Playback(0.0, 2.0, playing=True).advanced(0.0123).t == 0.0123  # playing does not stop at them

"""The editor as it is started: with no screen, and as large as the desktop asks for."""

import pytest

from hoi_edit.cli import main
from ui.command import scale_of


def test_without_a_screen_one_line_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert main(["juggle3"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "screen" in said
    assert main(["nothing.hoi"]) == 2
    assert "no such file" in capsys.readouterr().err


def test_the_size_of_everything_is_what_the_desktop_says() -> None:
    said = {None: 1.0, b"96": 1.0, b"192": 2.0, b"144": 1.5, b"120.5": 1.25, b"900": 3.0, b"nonsense": 1.0}
    assert {own: scale_of(own) for own in said} == said

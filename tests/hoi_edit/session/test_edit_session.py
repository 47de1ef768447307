"""A session knows what of it is in a file."""

from pathlib import Path

import numpy as np

import hoi_edit as hoi


def test_a_session_knows_whether_it_is_saved(tmp_path: Path) -> None:
    ball = hoi.Thing("ball", hoi.ball(0.4, 0.1), hoi.Flying(np.array([0.0, 1.0, 0.0])))
    session = hoi.EditSession(hoi.Scene(things=[ball], end=0.3))
    seen = [session.unsaved]
    for step in (lambda: session.lock("ball"), session.undo, session.redo, lambda: session.save(tmp_path / "a.hoi")):
        step()
        seen.append(session.unsaved)
    assert seen == [False, True, False, True, False]
    session.undo()
    assert session.unsaved and not hoi.EditSession.load(tmp_path / "a.hoi", recover=False).unsaved
    assert hoi.EditSession.saved(tmp_path / "a.hoi").now == 1

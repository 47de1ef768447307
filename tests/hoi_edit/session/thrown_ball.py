"""A ball that is thrown and caught: the scene that tests of sessions share, and somebody who stands still."""

from dataclasses import replace

import numpy as np

import hoi_edit as hoi
from hoi_edit.session import EditSession
from hoi_edit.truth.paddle_rig import rig, still
from hoi_edit.truth.truth_scenes import END, flying, thrown_and_caught


def scene() -> hoi.Scene:
    """A ball that is thrown, caught and thrown again; and one that passes by, far off."""
    own = thrown_and_caught()
    return replace(own, things=[*own.things, flying((5.0, 12.0, 0.0), name="by")], fixtures=[hoi.ground()])


def place(session: EditSession, name: str, t: float) -> np.ndarray:
    return session.state(name, t).position.copy()


def flat() -> hoi.Character:
    """A rig that stands still."""
    return rig(still(0.0), still(1.0), still(0.0), still(0.0), END)

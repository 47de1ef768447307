"""A document to write, read and damage."""

from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit import files
from hoi_edit.scene import Scene


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """A small one, with a contact, a few arrays and a tuple."""
    path = tmp_path / "small.hoi"
    contact = hoi.Contact("bounce", "ball", "ground", 0.5)
    ball = hoi.Thing("ball", hoi.ball(0.1, 0.05), hoi.Flying(np.array([0.0, 1.0, 0.0])))
    files.write(path, {"scene": Scene((), (ball,), (hoi.ground(),), (contact,)), "title": "small"})
    return path

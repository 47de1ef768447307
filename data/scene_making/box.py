"""A box that is caught, twice: the edits of `examples/box.py`, as the numbers that the scene opens with."""

import numpy as np

import hoi_edit as hoi
from data.scene_making.opening import opening_of
from examples.box import perform


def box() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/box.npz`."""
    session = hoi.open("box:start")
    for report in perform(session):
        print(report)
    return opening_of(session)

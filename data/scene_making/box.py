"""A box that is caught: the edits of `examples/box.py`, as the numbers that the scene opens with."""

import numpy as np

import hoi_edit as hoi
from data.scene_making.opening import opening_of
from examples.box import catch


def box() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/box.npz`."""
    session = hoi.open("box:start")
    print(catch(session))
    return opening_of(session)

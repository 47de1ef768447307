"""A pitch that meets the bat: the edits of `examples/baseball.py`, as the numbers that the scene opens with."""

import numpy as np

import hoi_edit as hoi
from data.scene_making.opening import opening_of
from examples.baseball import hit, stand


def baseball() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/baseball.npz`."""
    session = hoi.open("baseball:start")
    hit(session)
    stand(session)
    return opening_of(session)

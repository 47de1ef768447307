"""A session as the numbers that its scene opens with."""

import numpy as np

import hoi_edit as hoi


def opening_of(session: hoi.EditSession) -> dict[str, np.ndarray]:
    """Blocks of the control vector that the edits have changed, by their names."""
    u, start, layout = session.u, session.model.start, session.layout
    return {
        block.name: u[block.indices].reshape(block.shape)
        for block in layout.blocks
        if np.any(u[block.indices] != start[block.indices])
    }

"""Compile ahead of time everything that an edit commonly needs, so that nothing waits for it later.

Compiled code is kept on disk: this takes about a minute once on a machine, and a few seconds from then on.
"""

import numpy as np


def warm_up(scenes: tuple[str, ...] = ("juggle3", "soccer")) -> None:
    """Open, differentiate and drag: one scene with catches, and one with impacts."""
    import hoi_edit as hoi  # the package imports all that this module stands beside

    for name in scenes:
        session = hoi.open(name)
        thing = session.scene.things[0].name
        time = session.rollout.events[0].time + 0.1
        session.linearise(thing, time)
        gesture = session.begin(thing, time)
        gesture.move(gesture.start.position + np.array([0.01, 0.0, 0.0]), steps=1)
        gesture.abort()

"""Whether what events gave goes on in the spans that follow them.

That takes no derivatives, and is asked of every point that an edit tries.
"""

import numpy as np

from hoi_edit.simulate.packed_layouts import FRAME, STATE
from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.trajectory import Chain
from kinematics.rotation import Floats, rotation_between


def mismatch(simulation: Discovery, chain: Chain, k: int) -> Floats:
    """What event k gave, less the span that follows it: zero where a chain is continuous. A flight: place, turn,
    velocity, spin (12); a hold: place and turn in the hand (6)."""
    event, after = chain.events[k], chain.spans[k + 1]
    if event.kind == "grasp":
        frame, before = FRAME.unpack(np.asarray(event.frame)), STATE.unpack(np.asarray(event.before))
        R = frame.rotation.reshape(3, 3)
        position, rotation = R.T @ (before.position - frame.position), R.T @ before.rotation.reshape(3, 3)
        return np.concatenate([position - after.position, rotation_between(rotation, np.asarray(after.rotation))])
    gave = STATE.unpack(simulation.flown(after._replace(state=event.after, start=event.time), after.start))
    is_ = STATE.unpack(np.asarray(after.state))
    turn = rotation_between(gave.rotation.reshape(3, 3), is_.rotation.reshape(3, 3))
    return np.concatenate([gave.position - is_.position, turn, gave.velocity - is_.velocity, gave.spin - is_.spin])

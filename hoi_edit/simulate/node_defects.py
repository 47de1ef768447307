"""Node defects: whether what events gave goes on in the spans that follow them.

That takes no derivatives, and is asked of every point that an edit tries.
"""

import numpy as np

from hoi_edit.simulate.context import Context
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.packed_states import relative
from hoi_edit.simulate.trajectory import Chain
from kinematics.rotation import Floats, rotation_between


def node_defect(context: Context, chain: Chain, k: int) -> Floats:
    """What event k gave, less the span that follows it: zero where a chain is continuous. A flight: place, turn,
    velocity, spin (12); a hold: place and turn in the hand (6)."""
    event, after = chain.events[k], chain.spans[k + 1]
    if event.kind == "grasp":
        position, rotation = relative(np.asarray(event.frame), np.asarray(event.before))
        return np.concatenate(
            [position - np.asarray(after.position), rotation_between(rotation, np.asarray(after.rotation))]
        )
    gave = STATE.unpack(context.state_in(after._replace(state=event.after, start=event.time), after.start))
    node = STATE.unpack(np.asarray(after.state))
    turn = rotation_between(gave.rotation.reshape(3, 3), node.rotation.reshape(3, 3))
    return np.concatenate([gave.position - node.position, turn, gave.velocity - node.velocity, gave.spin - node.spin])

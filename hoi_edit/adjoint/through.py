"""Covectors carried back through events: to the span before, and to what else had a say."""

import numpy as np

from hoi_edit.adjoint.accumulator import Gathering
from hoi_edit.adjoint.along import settled_back, split, state_back
from hoi_edit.adjoint.event_rows import forgets, surface_row
from hoi_edit.adjoint.in_air import on_flight
from hoi_edit.adjoint.struck import after_back, pair_through, struck_through
from hoi_edit.simulate.events.local_jacobians import TOUCH
from hoi_edit.simulate.spans.rolling_adjoint import leave_back, on_back
from hoi_edit.simulate.trajectory import Chain, Span
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats

SOON = 1e-9  # [s] a node is a name for a time, to round-off
AT_BEGIN = 2.0  # of a touch: it is when the flight begins


def through(gathering: Gathering, name: str, k: int, rows: Ints, on: Floats) -> None:
    """From covectors on the span after event k to covectors on the span before it, and on what else it needs."""
    chain = gathering.chains[name]
    event, span = chain.events[k], chain.spans[k]
    if event.doubt:
        gathering.doubts.append(event)
    if event.kind == "jump" or forgets(gathering.local, event):
        return
    if event.twin is not None and not gathering.local.both_flew(name, k):
        pair_through(gathering, name, k, rows, on)
    elif span.kind == "contact" and event.kind in ("impact", "grasp", "rest"):
        struck_through(gathering, name, k, rows, on)
    elif event.kind == "release" or (span.kind == "held" and event.kind == "goes on"):
        _let_go(gathering, name, k, rows, on)
    elif span.kind == "contact" or event.settling is not None:
        gathering.leave_at(name, k, rows, _contact_through(gathering, chain, k, rows, on))
    elif event.twin is not None:
        back = on @ gathering.local.links[name, k]
        other, j = gathering.local.twin(event)
        gathering.leave_at(name, k, rows, on_flight(gathering.local, name, back[:, :12], back[:, 29:30]))
        gathering.leave_at(other, j, rows, on_flight(gathering.local, other, back[:, 12:24], back[:, 30:31]))
        gathering.on_law(event.contact or gathering.chains[other].events[j].contact, rows, back[:, 24:29])
    else:
        back = on @ gathering.local.links[name, k]
        gathering.note_touch(event, rows, back)
        gathering.leave_at(name, k, rows, on_flight(gathering.local, name, back[:, :12], back[:, 35:36]))


def _let_go(gathering: Gathering, name: str, k: int, rows: Ints, on: Floats) -> None:
    """By a hand, or by what jammed it: when that is changes nothing, as it is carried on."""
    event, span = gathering.chains[name].events[k], gathering.chains[name].spans[k]
    if event.kind != "release":
        state_back(gathering, name, k, event.time, rows, after_back(gathering, name, k, rows, on)[:, :12])
        return
    back = on @ gathering.local.links[name, k]
    gathering.on_frames.append((span.frame, event.time, rows, back[:, 6:18]))
    if event.contact is not None:
        gathering.add(f"{event.contact}.release", rows, back[:, 18:19])
    gathering.leave_at(name, k, rows, back[:, :6])


def _contact_through(gathering: Gathering, chain: Chain, k: int, rows: Ints, on: Floats) -> Floats:
    event, span = chain.events[k], chain.spans[k]
    if event.kind == "rest":
        return _settled_through(gathering, chain, k, rows, on)
    base = gathering.simulation.base_of(span)
    if event.kind == "leave":
        back = leave_back(base, span.contacting, span.ending, event.object in gathering.airs, on)
    else:
        back = on_back(base, span.contacting, span.ending, on)
    return split(gathering, back, span, rows)


def _settled_through(
    gathering: Gathering, chain: Chain, k: int, rows: Ints, on: Floats, shown: float | None = None
) -> Floats:
    event, span = chain.events[k], chain.spans[k]
    arrival = gathering.local.arrivals.get((span.object, k))
    rates = np.append(gathering.simulation.gravity, np.zeros(3))
    row = surface_row(gathering.local, span, event)
    if never_was_off(chain, k):
        row[TOUCH.slices["declared"]] = AT_BEGIN
    return settled_back(gathering, chain, k, row, rates, rows, on, arrival, shown)


def while_it_settles(gathering: Gathering, name: str, k: int, time: float, rows: Ints, on: Floats) -> None:
    """From covectors on a ball at a time at which the bounces at the end of span k are being summed up."""
    chain = gathering.chains[name]
    if chain.events[k].doubt:
        gathering.doubts.append(chain.events[k])
    if chain.spans[k].kind == "contact":
        struck_through(gathering, name, k, rows, on, time)
    else:
        gathering.leave_at(name, k, rows, _settled_through(gathering, chain, k, rows, on, time))


def never_was_off(chain: Chain, k: int) -> bool:
    """Whether a ball that comes to rest lay there when it was struck, and has flown for no time."""
    event, last = chain.events[k], chain.spans[k - 1]
    at_once = k > 0 and abs(chain.events[k - 1].time - event.touched) <= SOON
    return at_once and event.rate == 0.0 and last.kind == "contact"


def reached_start(gathering: Gathering, name: str, span: Span, rows: Ints, on: Floats) -> None:
    start = gathering.simulation.controls.starts[name]
    gathering.add(f"{name}.position", rows, on[:, :3])
    # a rotation vector on top of the scene's rotation: its left Jacobian takes it to a turn in the world
    gathering.add(f"{name}.turn", rows, on[:, 3:6] @ _left_jacobian(start.turn))
    if span.kind == "flight":
        gathering.add(f"{name}.velocity", rows, on[:, 6:9])
        gathering.add(f"{name}.spin", rows, on[:, 9:12])


def _left_jacobian(vector: Floats) -> Floats:
    """How a change of a rotation vector turns its rotation, in the world."""
    x = np.asarray(vector, float)
    angle = float(np.linalg.norm(x))
    K = np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])
    if angle < 1e-4:
        return np.eye(3) + K / 2 + K @ K / 6
    return np.asarray(np.eye(3) + (1 - np.cos(angle)) / angle**2 * K + (angle - np.sin(angle)) / angle**3 * (K @ K))

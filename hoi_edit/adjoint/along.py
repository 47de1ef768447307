"""Covectors carried back along a span, to its beginning: through flights, holds, and sustained contact."""

from hoi_edit.adjoint.accumulator import Gathering
from hoi_edit.adjoint.event_rows import carry_row
from hoi_edit.adjoint.local_links import flights_of
from hoi_edit.simulate.events.ball_jacobians import held_and_released
from hoi_edit.simulate.spans.flight_in_air import START_TIME, air_flights
from hoi_edit.simulate.spans.rolling_adjoint import Back, rest_back, riding_back, settling_back
from hoi_edit.simulate.trajectory import Chain, Span
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats


def state_back(gathering: Gathering, name: str, k: int, time: float, rows: Ints, on: Floats) -> None:
    """Covectors on the state of a thing at a time of a span, to that span's beginning."""
    span = gathering.chains[name].spans[k]
    if span.kind == "contact":
        ride_back(gathering, name, k, time, rows, on)
    elif span.kind == "flight" and name in gathering.airs:
        gathering.leave_at(name, k, rows, on @ air_flights(gathering.simulation, [(span, time)])[0])
    elif span.kind == "flight":
        gathering.leave_at(name, k, rows, on @ flights_of(gathering.local, name, [(span.state, time - span.start)])[0])
    else:
        frame = gathering.simulation.exact.frames([span.frame], [time])[0]
        link = held_and_released(gathering.simulation.gravity, carry_row(span, frame)[None])[0]
        gathering.on_frames.append((span.frame, time, rows, on @ link[:, 6:18]))
        gathering.leave_at(name, k, rows, on @ link[:, :6])


def ride_back(gathering: Gathering, name: str, k: int, time: float, rows: Ints, on: Floats) -> None:
    """Covectors on the state of a thing in contact at a time, to the beginning of that contact."""
    span = gathering.chains[name].spans[k]
    back = riding_back(gathering.simulation.base_of(span), span.contacting, time, on)
    gathering.leave_at(name, k, rows, split(gathering, back, span, rows))


def settled_back(
    gathering: Gathering, chain: Chain, k: int, row: Floats, rates: Floats, rows: Ints, on: Floats,
    arrival: Floats | None = None, shown: float | None = None,
) -> Floats:  # fmt: skip
    """From a contact to what settled into it, by a TOUCH row and the accelerations before; or, with a time `shown`,
    from the state at that time, while it settles.

    With an `arrival`, the Jacobian of a flight through air, the row is by the state just before.
    """
    after, (settling, touched) = chain.spans[k + 1], chain.events[k].settling
    rate = None if arrival is None else -arrival[:, START_TIME]
    touch = (gathering.simulation.base_of(after), gathering.simulation.gravity, row, rates, touched, settling, rate)
    back = rest_back(*touch, on) if shown is None else settling_back(*touch, shown, on)
    on_start = split(gathering, back, after, rows)
    return on_start if arrival is None else on_start @ arrival


def split(gathering: Gathering, back: Back, span: Span, rows: Ints) -> Floats:
    """The part on the chain; that on a character's parameters is noted."""
    if span.frame >= 0:
        character, _ = gathering.world.owner(span.frame)
        on = gathering.simulation.exact.parameters_back(span.frame, back.times, back.on_frames)
        gathering.whole.append((gathering.scene.characters[character].name, rows, on))
    return back.on_start

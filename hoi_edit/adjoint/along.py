"""Covectors carried back along a span, to its beginning: through flights, holds, and sustained contact."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hoi_edit.adjoint.accumulator import Gathering
from hoi_edit.adjoint.event_rows import carry_row
from hoi_edit.adjoint.local_links import flights_of
from hoi_edit.simulate.columns import in_chunks
from hoi_edit.simulate.events.ball_jacobians import held_and_released
from hoi_edit.simulate.packed_layouts import CHUNK
from hoi_edit.simulate.spans.flight_in_air import START_TIME, air_flights
from hoi_edit.simulate.spans.rolling_adjoint import rest_back, riding_back, settling_back
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
    own = (span.contacting, jnp.asarray(time))
    back = contact_back(riding_back, *gathering.simulation.surface_of(span), own, on)
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
    gravity = jnp.asarray(gathering.simulation.gravity)
    own = (gravity, row, jnp.asarray(rates), jnp.asarray(touched), settling, rate)
    surface = gathering.simulation.surface_of(after)
    if shown is None:
        back = contact_back(rest_back, *surface, own, on)
    else:
        back = contact_back(settling_back, *surface, (*own, jnp.asarray(shown)), on)
    on_start = split(gathering, back, after, rows)
    return on_start if arrival is None else on_start @ arrival


def contact_back(kernel: Any, surface: Any, u: Any, own: tuple[Any, ...], on: Floats) -> tuple[Floats, Any]:
    """A kernel of `links.contact` over any number of covectors."""
    parts = [jax.device_get(kernel(surface, u, *own, jnp.asarray(chunk))) for chunk in in_chunks(on, CHUNK)]
    joined = jax.tree.map(lambda *leaves: np.concatenate(leaves)[: len(on)], *parts)
    return joined[0], joined[1]


def split(gathering: Gathering, back: tuple[Floats, Any], span: Span, rows: Ints) -> Floats:
    """The part on the chain; that on a character's parameters is noted."""
    if span.frame >= 0:
        leaves = [np.asarray(leaf).reshape(len(rows), -1) for leaf in jax.tree.leaves(back[1])]
        character, _ = gathering.world.owner(span.frame)
        gathering.whole.append((gathering.scene.characters[character].name, rows, np.concatenate(leaves, axis=1)))
    return back[0]

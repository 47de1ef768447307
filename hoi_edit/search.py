"""Where flying balls may touch: a broad and a narrow phase over the table of poses.

Nothing is decided here but where to look. Distances are 1-Lipschitz in the ball's place in the surface's frame, so an
interval whose ends are further away than half the way travelled in it holds no touch: no ball is too fast and no limb
too thin. What remains is looked at in finer steps, on cubics through four rows of the table in the frame of the part,
and handed on as brackets in time to be polished exactly. A dip that comes closer than `BLUR`, which is more than the
cubics can be wrong by, is handed on as well: the exact closest approach then decides whether it is a touch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.world import Ints, PoseTable, Surfaces, World
from kinematics.rotation import Floats
from rigid.distance import RoundedBox, gap

FINE = 8  # steps within an interval of the table
BLUR = 1e-3  # [m]
CLEAR = 5e-3  # [m] a released ball is clear of what it touched
UNTIL_CLEAR, UNTIL_OFF = np.inf, 1e300  # instead of a time from which on a pair is seen: once it is clear, or just off
LOOSE = 0.01  # [m] by which motion between rows may bulge from a straight line


@dataclass(frozen=True, eq=False)
class Flights:
    """Balls in free flight to be searched, one a row."""

    start: Floats  # (N,) [s], the time of position and velocity
    position: Floats  # (N, 3)
    velocity: Floats  # (N, 3)
    radius: Floats  # (N,)
    begin: Floats  # (N,) [s] search from here
    until: Floats  # (N,) [s] to here

    def between(self, flight: Ints, begin: Floats, until: Floats) -> "Flights":
        """Some of them, searched over other times."""
        own = self.start[flight], self.position[flight], self.velocity[flight], self.radius[flight]
        return Flights(*own, begin, until)

    def at(self, flight: Ints, times: Floats, gravity: Floats) -> Floats:
        """Positions of flights (K,) at times (K, ...)."""
        tau = times - self.start[flight].reshape(-1, *[1] * (times.ndim - 1))
        x0, v0 = (a[flight].reshape(len(flight), *[1] * (times.ndim - 1), 3) for a in (self.position, self.velocity))
        return np.asarray(x0 + tau[..., None] * v0 + 0.5 * tau[..., None] ** 2 * gravity)


@dataclass(frozen=True, eq=False)
class Brackets:
    """Possible touches: between `low`, where the ball is clear, and `high`, where it may not be."""

    flight: Ints
    surface: Ints
    low: Floats
    high: Floats
    guess: Floats
    start: np.ndarray  # True: the flight begins here, perhaps touching

    @staticmethod
    def joined(parts: "Sequence[Brackets]") -> "Brackets":
        """All of them, by flight and time."""
        joined = [np.concatenate([getattr(part, name) for part in parts]) for name in Brackets.__dataclass_fields__]
        order = np.lexsort((joined[1], joined[2], joined[0]))
        return Brackets(*(column[order] for column in joined))


def possible_touches(world: World, table: PoseTable, gravity: Floats, flights: Flights, blind: Floats) -> Brackets:
    """Brackets of all flights in order of time.

    `blind` (flights, surfaces) says from when on a pair is seen: -inf always, inf not before it is clear.
    """
    return brackets_in(world.surfaces, table, gravity, flights, *near_intervals(world, table, gravity, flights), blind)


def brackets_in(
    surfaces: Surfaces, table: PoseTable, gravity: Floats, flights: Flights, flight: Ints, row: Ints, surface: Ints,
    blind: Floats,
) -> Brackets:  # fmt: skip
    """The narrow phase, over given intervals of the table."""
    seen = blind[flight, surface]
    begin = np.maximum(flights.begin[flight], table.start + table.step * row)
    begin = np.where(np.abs(seen) >= UNTIL_OFF, begin, np.maximum(begin, seen))
    until = np.minimum(flights.until[flight], table.start + table.step * (row + 1))
    ahead = np.flatnonzero(begin < until)
    flight, row, surface, begin, until, seen = (a[ahead] for a in (flight, row, surface, begin, until, seen))
    cubic = _relative_cubics(surfaces, table, gravity, flights, flight, row, surface)
    places = _Places(surfaces, table, flights, flight, row, surface, cubic)
    times = begin[:, None] + np.linspace(0.0, 1.0, FINE + 1) * (until - begin)[:, None]
    gaps = places.gaps(times)
    hidden = np.flatnonzero(seen >= UNTIL_OFF)
    if len(hidden):
        pair = flight[hidden] * len(surfaces) + surface[hidden]
        clear = np.where(seen[hidden] == UNTIL_CLEAR, CLEAR, BLUR)
        gaps[hidden] = _seen_when_clear(gaps[hidden], times[hidden], pair, clear)
    at_start = (begin == flights.start[flight]) & (gaps[:, 0] <= BLUR) & (seen == -np.inf)
    return _brackets(places, times, gaps, at_start)


def _seen_when_clear(gaps: Floats, times: Floats, pair: Ints, enough: Floats) -> Floats:
    """A pair that has just been let go is not seen before it is clear: until then its gaps are none."""
    which, pair = np.unique(pair, return_inverse=True)
    clear = np.full(len(which), np.inf)
    np.minimum.at(clear, pair, np.where(gaps > enough[:, None], times, np.inf).min(axis=1))
    return np.where(times < clear[pair][:, None], np.inf, gaps)


def near_intervals(world: World, table: PoseTable, gravity: Floats, flights: Flights) -> tuple[Ints, Ints, Ints]:
    """Intervals (flight, row) of the table in which a surface may be touched."""
    flight, row = rows_of(table, flights)
    times = table.start + table.step * row
    position = flights.at(flight, times, gravity)
    velocity = flights.velocity[flight] + (times - flights.start[flight])[:, None] * gravity
    way = 0.55 * table.step * np.sqrt((velocity**2).sum(-1)) + flights.radius[flight] + LOOSE
    same = flight[1:] == flight[:-1]
    found = [_near_bodies(world, table, row, position, way, same), _near_fixtures(world, position, way, same)]
    at = np.concatenate([a for a, _ in found])
    return flight[at], row[at], np.concatenate([s for _, s in found])


def rows_of(table: PoseTable, flights: Flights) -> tuple[Ints, Ints]:
    """(flight, row) of all rows of the table that flights are searched over, the one after the last included."""
    first = np.clip(np.floor((flights.begin - table.start) / table.step + 1e-9).astype(int), 0, len(table) - 2)
    last = np.clip(np.ceil((flights.until - table.start) / table.step - 1e-9).astype(int), first + 1, len(table) - 1)
    count = last - first + 1
    flight = np.repeat(np.arange(len(count)), count)
    return flight, np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)


def _near_bodies(
    world: World, table: PoseTable, row: Ints, position: Floats, way: Floats, same: np.ndarray
) -> tuple[Ints, Ints]:
    if not world.n_frames or not len(row):
        return np.zeros(0, int), np.zeros(0, int)
    away = position[:, None] - table.centre[row]
    reach = way[:, None] + (world.bounds[1] + 0.55 * table.step * table.speed)
    near = (away**2).sum(-1) < np.where(reach > 0, reach, 0.0) ** 2
    at, frame = np.nonzero((near[1:] | near[:-1]) & same[:, None])
    own = [world.by_frame[f] for f in frame]
    return np.repeat(at, [len(o) for o in own]), np.concatenate(own) if own else np.zeros(0, int)


def _near_fixtures(world: World, position: Floats, way: Floats, same: np.ndarray) -> tuple[Ints, Ints]:
    s = world.surfaces
    fixed = np.flatnonzero(s.frame < 0)
    rows, surfaces = [], []
    for k in fixed:
        local = (position - s.place[k]) @ s.turned[k]
        near = gap(RoundedBox(s.core[k], s.radius[k]), local) < way
        at = np.flatnonzero((near[1:] | near[:-1]) & same)
        rows.append(at)
        surfaces.append(np.full(len(at), k))
    return (np.concatenate(rows), np.concatenate(surfaces)) if rows else (np.zeros(0, int), np.zeros(0, int))


def _relative_cubics(
    s: Surfaces, table: PoseTable, gravity: Floats, flights: Flights, flight: Ints, row: Ints, surface: Ints
) -> Floats:
    """(K, 4, 3) places of the ball in the surface's own frame at four rows of the table around each interval."""
    rows = _first_row(table, row)[:, None] + np.arange(4)
    x = flights.at(flight, np.asarray(table.start + table.step * rows, float), gravity)
    frame = s.frame[surface]
    moving = np.flatnonzero(frame >= 0)
    if len(moving):
        at = (rows[moving], frame[moving][:, None])
        x[moving] = np.einsum("krji,krj->kri", table.rotation[at], x[moving] - table.position[at])
    return np.asarray(np.einsum("krj,kji->kri", x - s.place[surface][:, None], s.turned[surface]))


def _first_row(table: PoseTable, row: Ints) -> Ints:
    return np.clip(row - 1, 0, len(table) - 4)


@dataclass(frozen=True, eq=False)
class _Places:
    """Balls near surfaces, within intervals of the table, on cubics."""

    surfaces: Surfaces
    table: PoseTable
    flights: Flights
    flight: Ints
    row: Ints
    surface: Ints
    cubic: Floats

    def __getitem__(self, k: Ints) -> "_Places":
        own = (a[k] for a in (self.flight, self.row, self.surface, self.cubic))
        return _Places(self.surfaces, self.table, self.flights, *own)

    def at(self, times: Floats) -> Floats:
        """(K, M, 3) in the surface's frame."""
        u = (times - self.table.start) / self.table.step - _first_row(self.table, self.row)[:, None]
        a, b, c = u - 1.0, u - 2.0, u - 3.0
        weights = np.stack([-a * b * c / 6.0, u * b * c / 2.0, -u * a * c / 2.0, u * a * b / 6.0], axis=-1)
        return np.asarray(weights @ self.cubic)

    def gaps(self, times: Floats) -> Floats:
        """(K, M) at times (K, M)."""
        s, k = self.surfaces, self.surface
        radius = s.radius[k] + self.flights.radius[self.flight]
        return np.asarray(gap(RoundedBox(s.core[k][:, None], radius[:, None]), self.at(times)))

    def speed(self) -> Floats:
        """(K,) mean over the interval [m/s]."""
        k, first = np.arange(len(self.row)), self.row - _first_row(self.table, self.row)
        way = self.cubic[k, np.minimum(first + 1, 3)] - self.cubic[k, first]
        return np.asarray(np.sqrt((way**2).sum(-1)) / self.table.step)


def _brackets(places: _Places, times: Floats, gaps: Floats, at_start: np.ndarray) -> Brackets:
    """Sign changes, and dips below BLUR, of the sampled gaps; fine steps that may hide a dip are split once more."""
    a, b = gaps[:, :-1], gaps[:, 1:]
    crossing = (a > 0) & (b <= 0)
    way = 1.1 * places.speed() * (times[:, 1] - times[:, 0])
    hiding = ~crossing & (a > 0) & (b > 0) & (a + b - way[:, None] < 2 * BLUR) & np.isfinite(a) & np.isfinite(b)
    found = [
        _crossings(places, times, gaps, *np.nonzero(crossing)),
        _starts(places, times, gaps, np.flatnonzero(at_start)),
    ]
    k, i = np.nonzero(hiding)
    if len(k):
        # a step beyond either end, so that a dip at the end of a step has its neighbours
        share = np.linspace(-0.0625, 1.0625, 2 * FINE + 3)
        finer = times[k, i][:, None] + share * (times[k, i + 1] - times[k, i])[:, None]
        hidden = places[k]
        g = hidden.gaps(finer)
        inner = (g[:, 1:-2] > 0) & (g[:, 2:-1] <= 0)
        at, step = np.nonzero(inner)
        found.append(_crossings(hidden, finer, g, at, step + 1))
        # two cubics meet at a row of the table and differ there a little: a touch at that very time may lie beyond the
        # end of the one and before the start of the other
        goes_on = finer[:, -1] <= hidden.flights.until[hidden.flight]
        beyond = np.flatnonzero((g[:, -2] > 0) & (g[:, -1] <= 0) & goes_on)
        found.append(_around(hidden, finer, beyond))
        found.append(_dips(hidden, finer, g, np.any(inner, axis=1)))
    return Brackets.joined(found)


def _crossings(places: _Places, times: Floats, gaps: Floats, k: Ints, i: Ints) -> Brackets:
    low, high, a, b = times[k, i], times[k, i + 1], gaps[k, i], gaps[k, i + 1]
    far = np.where(np.isfinite(a), a, 1.0)
    guess = low + (high - low) * far / np.maximum(far - b, 1e-300)
    return Brackets(places.flight[k], places.surface[k], low, high, guess, np.zeros(len(k), bool))


def _around(places: _Places, times: Floats, k: Ints) -> Brackets:
    """The last two steps of each row, as one bracket."""
    low, guess, high = times[k, -3], times[k, -2], times[k, -1]
    return Brackets(places.flight[k], places.surface[k], low, high, guess, np.zeros(len(k), bool))


def _starts(places: _Places, times: Floats, gaps: Floats, k: Ints) -> Brackets:
    """Pairs that may touch at the very start of a flight: the rate of the gap decides."""
    t = times[k, 0]
    return Brackets(places.flight[k], places.surface[k], t, t, t, np.ones(len(k), bool))


def _dips(places: _Places, times: Floats, gaps: Floats, crossed: np.ndarray) -> Brackets:
    """The lowest inner sample of each row that has no crossing, if it is low enough to matter."""
    m = np.argmin(gaps, axis=1)
    rows, last = np.arange(len(m)), times.shape[1] - 1
    low_enough = (gaps[rows, m] < BLUR) & (gaps[rows, m] > 0) & ~crossed & (m > 0) & (m < last)
    k, m = rows[low_enough], m[low_enough]
    return Brackets(
        places.flight[k], places.surface[k], times[k, m - 1], times[k, m + 1], times[k, m], np.zeros(len(k), bool)
    )

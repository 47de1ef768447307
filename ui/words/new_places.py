"""Where something new goes that is put into a scene by a click at a hand, a foot or a club. No widgets here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import hoi_edit as hoi
from hoi_edit.edit.club_hits import spot_of
from hoi_edit.rollout import Rollout
from hoi_edit.scene import is_level
from hoi_edit.scene.supports import support_below
from ui.words.catch_candidates import palms
from ui.words.hit_candidates import top_of

Array = NDArray[np.float64]
SLOW = 0.5  # [m/s] of a foot, below which the ball lies under it
FARTHER = tuple(0.05 * k for k in range(11))  # [m] away from who is there, until it starts inside nobody
UNDER = 0.06  # [m] of a shelf under a palm, so that a hand has room above what is thin
SHELF = (0.4, 0.02, 0.15)  # [m] half of its length, thickness and depth
HANDLE = 0.28  # [m] from the middle of a bat to where it is held
PITCH, SOONEST, LATEST = 8.0, 0.3, 2.0  # [m/s] over the ground, and [s] that a pitched ball flies
LONG = 2.0  # times as long as wide
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Spot:
    """A place for what is new, and other ones farther off, should it start inside somebody there."""

    on: str  # what it lies on
    starts: tuple[hoi.Flying, ...]


def before_foot(rollout: Rollout, foot: str, t: float, radius: float) -> hoi.Flying:
    """Where a ball lies on the ground so that a foot that goes on as it does then runs into it."""
    state = rollout.state(foot, t)
    ahead = np.array([state.velocity[0], 0.0, state.velocity[2]])
    ahead *= radius / max(float(np.linalg.norm(ahead)), SLOW)
    ground = max((top_of(f) for f in rollout.model.scene.fixtures if is_level(f)), default=0.0)
    place = state.position + ahead
    return hoi.Flying(np.array([place[0], ground + radius, place[2]]))


def below_hands(rollout: Rollout, site: str, t: float, height: float) -> Spot | None:
    """Where something so high lies between the hands of whose hand this is, as they are then; a body may have one."""
    owner = site.partition("/")[0]
    own_palms = [palm for palm in palms(rollout.model.scene) if palm.startswith(f"{owner}/")]
    hands = [rollout.state(palm, t).position for palm in own_palms]
    return _below(rollout, np.mean(hands, axis=0), np.zeros(3), height, np.eye(3))


def below_hand(rollout: Rollout, site: str, t: float, height: float, lying: bool = False) -> Spot | None:
    """Where something so high stands below a hand as it is then, its side to whose hand it is; what is long is `lying`,
    with its handle there."""
    away, along = _about(rollout, site, t)
    place = rollout.state(site, t).position
    if lying:
        return _below(rollout, place, away, height, np.column_stack([np.cross(along, UP), along, UP]), HANDLE * along)
    return _below(rollout, place, away, height, np.column_stack([along, UP, np.cross(along, UP)]))


def shelf_below(rollout: Rollout, site: str, t: float, name: str) -> hoi.Fixture:
    """A shelf just below a hand as it is then."""
    _, along = _about(rollout, site, t)
    place = rollout.state(site, t).position - (UNDER + SHELF[1]) * UP
    turn = np.column_stack([along, UP, np.cross(along, UP)])
    return hoi.Fixture(name, hoi.RoundedBox(np.array(SHELF), 0.0), place, turn, hoi.Material(0.7, 0.7))


def is_long(rollout: Rollout, thing: str) -> bool:
    """Whether it is swung at balls, as bats, clubs and rackets are, by its shape."""
    body = rollout.model.scene.thing(thing).body
    sides = np.sort(np.ptp(np.asarray(body.vertices, float), axis=0) + 2.0 * float(body.radius))
    return bool(sides[2] >= LONG * sides[1])


def pitched(rollout: Rollout, club: str, t: float) -> hoi.Flying | str:
    """How a ball flies from the start of the scene, against a club that is swung, to where that is at a time; or why
    none can."""
    start = rollout.model.scene.start
    flies = t - start
    if flies < SOONEST:
        return f"it would have to get there in {flies:.2f} s; go to a later time"
    if flies > LATEST:
        return f"it would fly from the start on, {flies:.1f} s long; trim the clip to begin later"
    state, gravity = rollout.state(club, t), np.asarray(rollout.model.scene.gravity, float)
    arm = state.rotation @ spot_of(rollout, club, t)
    place, swung = state.position + arm, state.velocity + np.cross(state.angular_velocity, arm)
    level = swung * [1.0, 0.0, 1.0]
    level = level if np.linalg.norm(level) > SLOW else arm * [1.0, 0.0, 1.0]
    velocity = -PITCH * level / max(float(np.linalg.norm(level)), 1e-9)
    return hoi.Flying(place - flies * velocity, velocity - 0.5 * flies * gravity)  # as high as it sets out


def _about(rollout: Rollout, site: str, t: float) -> tuple[Array, Array]:
    """Level directions at a hand: away from whose it is, and across that, to where the thumb points."""
    scene = rollout.model.scene
    owner, _, point = site.partition("/")
    skeleton = scene.character(owner).skeleton
    hand, hips = rollout.state(site, t), rollout.state(f"{owner}/{skeleton.names[0]}", t).position
    away = (hand.position - hips) * [1.0, 0.0, 1.0]
    away = away / np.linalg.norm(away) if np.linalg.norm(away) > 1e-3 else np.array([0.0, 0.0, 1.0])
    along = np.cross(UP, away)
    axes = next(own.rotation for own in skeleton.sites if own.name == point)
    thumb = hand.rotation @ axes[:, 0] * (-1.0 if point.startswith("left") else 1.0)
    return away, along if along @ thumb >= 0.0 else -along


def _below(
    rollout: Rollout, place: Array, away: Array, height: float, turn: Array, aside: Array | float = 0.0
) -> Spot | None:
    support = support_below(rollout.model.scene, place)
    if support is None:
        return None
    middle = support.foot(place) + 0.5 * height * support.normal + aside
    starts = tuple(hoi.Flying(middle + step * away, rotation=turn) for step in FARTHER)
    return Spot(support.name, starts if away.any() else starts[:1])


def lying_on(spot: Spot) -> str:
    return f"on {'the ' if spot.on == 'ground' else ''}{spot.on}"

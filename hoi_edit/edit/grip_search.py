"""Where a hand takes a thing that is no ball: a place on one of its sides, near the palm and facing it.

The thing stays turned as it lies. Of its sides those come into question that a hand can get to, and the one is taken
that costs the palm the least way and turn; two hands take sides that are opposite to each other. Around a handle a hand
comes from wherever it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from hoi_edit.constraints.taking_hand import TakingHand, palm_normal, span_until
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Contact, named
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from rigid.body import Body, has_faces
from rigid.faces import Face, face_towards, faces_of

OFF = 3.5e-3  # [m] that the middle of a palm is off the side, so that the rest of it is not inside
MARGIN = 0.05  # [m] from the middle of a palm to an edge, where a side is that wide
LEVER = 0.25  # [m] by which a palm that turns by a radian counts as moved
UNDER = -0.5  # a side that looks down more than this lies on something
AGAINST = -0.5  # the cosine between two sides that two hands press together
ASUNDER = 1e3  # what it costs if they do not
STEEPLY = 0.5  # how far from above, rather than as it is turned, a hand comes to a handle that lies
AROUND = 0.8  # [rad] by which a palm may look past a handle


@dataclass(frozen=True, eq=False)
class _Way:
    """A hand to a side."""

    cost: float
    place: Floats  # on the thing, in its own frame
    normal: Floats  # of that side

    def grip(self, contact: Contact, site: str, with_face: bool, slack: float) -> TakingHand:
        facing = -self.normal if with_face else None
        return TakingHand(contact.id, contact.object, site, contact.time, self.place + OFF * self.normal, facing, slack)


def grips(seen: Rollout, contact: Contact, where: Sequence[Floats] = ()) -> list[TakingHand]:
    """Of every site of a grasp, in order; `where` says at which places of the thing, if they are given."""
    scene, sites = seen.model.scene, named(contact.other)
    body = scene.thing(contact.object).body
    if where:
        ways = [_to_given(body, np.asarray(place, float)) for place in where]
    elif has_faces(body):
        both = product(*(list(_to_sides(seen, contact, site)) for site in sites))
        ways = list(min(both, key=_cost))
    else:
        shares = [_share_along(seen, contact, _seen_from(seen, contact, site)[0]) for site in sites]
        ranks = np.argsort(np.argsort(shares, kind="stable"))  # who is nearer to its beginning stays so: no arms cross
        ways = [_to_handle(seen, contact, site, int(k), len(sites)) for site, k in zip(sites, ranks, strict=True)]
    slack = 0.0 if has_faces(body) else AROUND
    return [
        way.grip(contact, site, palm_normal(scene, site) is not None, slack)
        for way, site in zip(ways, sites, strict=True)
    ]


def _cost(ways: Iterable[_Way]) -> float:
    ways = list(ways)
    pressed = len(ways) < 2 or float(ways[0].normal @ ways[1].normal) <= AGAINST
    return sum(way.cost for way in ways) + (0.0 if pressed else ASUNDER)


def _seen_from(seen: Rollout, contact: Contact, site: str) -> tuple[Floats, Floats | None, Floats]:
    """Place and normal of a palm as seen from the thing, and what is up there."""
    held = seen.state_in(contact.object, contact.time, span_until(seen, contact.id, contact.object, contact.time))
    hand, out = seen.state(site, contact.time), palm_normal(seen.model.scene, site)
    normal = None if out is None else held.rotation.T @ hand.rotation @ out
    gravity = np.asarray(seen.model.scene.gravity, float)
    up = -gravity / max(float(np.linalg.norm(gravity)), 1e-12)
    return held.rotation.T @ (hand.position - held.position), normal, held.rotation.T @ up


def _to_sides(seen: Rollout, contact: Contact, site: str) -> Iterator[_Way]:
    palm, normal, up = _seen_from(seen, contact, site)
    for face in faces_of(seen.model.scene.thing(contact.object).body):
        if float(face.normal @ up) > UNDER or not _lies(seen, contact):
            place = face.nearest(palm, MARGIN)
            turn = 0.0 if normal is None else float(np.arccos(np.clip(-normal @ face.normal, -1.0, 1.0)))
            yield _Way(float((place - palm) @ (place - palm)) + (LEVER * turn) ** 2, place, face.normal)


def _lies(seen: Rollout, contact: Contact) -> bool:
    span = span_until(seen, contact.id, contact.object, contact.time)
    held = seen.trajectories.chains[contact.object].spans[span]
    return held.lies_still


def _to_handle(seen: Rollout, contact: Contact, site: str, which: int, count: int) -> _Way:
    """Around what is round: two hands take it a hand's width to either side of where each would alone."""
    palm, normal, up = _seen_from(seen, contact, site)
    corners = np.asarray(seen.model.scene.thing(contact.object).body.vertices, float)
    along = corners[1] - corners[0]
    share = float(np.clip(_share_along(seen, contact, palm), 0.0, 1.0))
    inner = min(0.5, MARGIN / float(np.linalg.norm(along)))
    share = float(np.clip(share, inner, 1.0 - inner))
    if count > 1:
        share = float(np.clip(share + (which - 0.5) * 4.0 * inner, inner, 1.0 - inner))
    core = corners[0] + share * along
    away = (palm - core) / max(float(np.linalg.norm(palm - core)), 1e-9)
    side = away if normal is None else away - normal
    if _lies(seen, contact):
        side = side + STEEPLY * up
    face = face_towards(seen.model.scene.thing(contact.object).body, side)
    return _Way(0.0, core + face.radius * face.normal, face.normal)


def _share_along(seen: Rollout, contact: Contact, palm: Floats) -> float:
    """How far along what is round a palm is, from its beginning at 0 to its end at 1."""
    corners = np.asarray(seen.model.scene.thing(contact.object).body.vertices, float)
    along = corners[1] - corners[0]
    return float((palm - corners[0]) @ along / (along @ along))


def _to_given(body: Body, place: Floats) -> _Way:
    """The nearest place of the surface."""
    if place.shape != (3,) or not np.isfinite(place).all():
        raise HoiError(f"a grip at {place.tolist()} is none; give three numbers [m], a place in the thing's own axes")

    def ways() -> Iterator[tuple[float, Floats, Face]]:
        for face in faces_of(body) or [face_towards(body, place - _on_core(body, place))]:
            nearest = face.nearest(place, 0.0)
            yield float(np.linalg.norm(nearest - place)), nearest, face

    _, nearest, face = min(ways(), key=lambda way: way[0])
    return _Way(0.0, nearest, face.normal)


def _on_core(body: Body, place: Floats) -> Floats:
    corners = np.asarray(body.vertices, float)
    if len(corners) == 1:
        return np.asarray(corners[0])
    along = corners[1] - corners[0]
    return np.asarray(corners[0] + np.clip((place - corners[0]) @ along / (along @ along), 0.0, 1.0) * along)

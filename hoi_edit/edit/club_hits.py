"""A ball is hit with what somebody holds: a bat, a club, a racket. Both are brought together first, where the club is
fast, and the hit is then an impact as any other."""

from dataclasses import replace

import numpy as np

from hoi_edit.constraints.brought_to_club import BroughtToClub
from hoi_edit.edit.document import Document
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.plan_solver import Solved, absent, on_scene, run, without_losses
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.reach import reach
from hoi_edit.reporting.findings import Amount, Finding
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from rigid.faces import face_towards

OUT = 0.75  # of the way from the hand to the far end: there a club hits
SLOWEST = 0.3  # [m/s] at which a ball is hit at least
STILL = 1e-3  # [m/s] what is slower comes from nowhere


def hit_with(
    model: Model, document: Document, iterate: Iterate, contact: Contact, progress: Listener | None = None
) -> Solved:
    """Ball and club meet at the contact's time, and the rest of the plan is kept."""
    seen, club = iterate.rollout, str(contact.other)
    _check(seen, contact)
    strike, what = striking(seen, contact), f"hit {contact.object} with {club} at {contact.time:.2f} s"
    stretch = reach(model.scene, document.freedom, [contact.time])
    kept = EditProblem.of(model, iterate, document.freedom, document.loose, stretch=stretch, starts=True)
    report, met, met_iterate = run(kept, document, iterate, (strike, *document.constraints), what, progress)
    if not report.converged:
        away = seen.state(contact.object, contact.time).position - seen.state(club, contact.time).position
        apart, ids = (Amount(float(np.linalg.norm(away)), "m"),), (contact.id,)
        why = Finding("out of reach", contact.object, club, contact.time, amounts=apart, contacts=ids)
        others = (finding for finding in report.binding if finding.name != contact.id)
        return replace(report, binding=(why, *others), unchanged=True), document, iterate
    scene = replace(model.scene, contacts=[*model.scene.contacts, replace(contact, declared=False)])
    real, staged, begun = on_scene(scene, model, met, met_iterate)
    if contact.id not in begun.rollout.happened:
        return absent(replace(report, unchanged=True), [contact.id], "lost by it"), document, iterate
    kept = EditProblem.of(real, begun, document.freedom, document.loose, stretch=stretch, starts=True)
    final = run(kept, staged, begun, document.constraints, what, progress)
    taken = report.iterations + final[0].iterations
    return without_losses(model.scene, document, iterate, (replace(final[0], iterations=taken), *final[1:]))


def striking(seen: Rollout, contact: Contact) -> BroughtToClub:
    """With the side of the club that the ball comes to, or that goes to the ball."""
    scene, club = seen.model.scene, str(contact.other)
    body, ball = scene.thing(club).body, scene.thing(contact.object).body
    held = seen.state(club, contact.time)
    now = seen.state_in(contact.object, contact.time, seen.flight_before(contact.object, contact.time))
    spot = spot_of(seen, club, contact.time)
    arm = held.rotation @ spot
    relative = now.velocity - held.velocity - np.cross(held.angular_velocity, arm)
    away = -relative if np.linalg.norm(relative) > STILL else now.position - held.position - arm
    face = face_towards(body, held.rotation.T @ away / max(float(np.linalg.norm(away)), 1e-9))
    place = face.nearest(spot, 0.0) + float(ball.radius) * face.normal
    approach = min(max(0.5 * float(np.linalg.norm(relative)), SLOWEST), 2.0)
    return BroughtToClub(contact.id, contact.object, club, contact.time, place, face.normal, approach)


def spot_of(seen: Rollout, club: str, t: float) -> Floats:
    """Where a club that is held hits: a place within it, far from the hand, in its own frame."""
    chain, body = seen.trajectories.chains[club], seen.model.scene.thing(club).body
    span = chain.span_at(t)
    hand = -np.asarray(span.rotation).T @ np.asarray(span.position)  # the origin of the hand's frame
    corners = np.asarray(body.vertices, float)
    axis = int(np.argmax(np.ptp(corners, axis=0)))
    low, high = corners[:, axis].min(), corners[:, axis].max()
    far = high if hand[axis] <= 0.5 * (low + high) else low
    near = low + high - far
    return np.asarray((near + OUT * (far - near)) * np.eye(3)[axis])


def _check(seen: Rollout, contact: Contact) -> None:
    scene, club = seen.model.scene, str(contact.other)
    if not scene.thing(contact.object).shape.any_prescribed:
        raise HoiError(f"{contact.object!r} is no ball; with what is held only balls are hit")
    if contact.object == club:
        raise HoiError(f"{club!r} cannot be hit with itself; name what it is to be hit with")
    seen.state(club, contact.time)  # it has to be a time of the scene
    span = seen.trajectories.chains[club].span_at(contact.time)
    if not span.in_hand:
        raise HoiError(f"{club!r} is in no hand at {contact.time:g} s; what hits something has to be held")

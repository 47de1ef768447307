"""Edits of holds: a thing is let go where it was held on, and a touch that happens is meant from now on."""

from dataclasses import dataclass, replace

from hoi_edit.constraints.open_hands import OpenHands
from hoi_edit.edit.contact_edits import ReleaseAt, first_free, released_at, with_release
from hoi_edit.edit.document import Document
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.plan_solver import Solved, on_scene, run, solved_plan, without_losses
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.reach import reach
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Scene
from hoi_edit.simulate.contact_laws import MATCH
from hoi_edit.simulate.trajectory import Chain, Event
from kinematics.errors import HoiError
from kinematics.feet import roles_of
from kinematics.rig_names import SIDES

SHORTEST = 0.01  # [s] that something is held


@dataclass(frozen=True)
class Hold:
    """A stretch of time in which a body carries a thing."""

    id: str  # of the contact that began it; of a start in a hand, the thing's own name
    thing: str
    part: str  # "juggler/right_hand"
    start: float  # [s]
    end: float  # [s], of the scene where nothing ends it

    def __str__(self) -> str:
        return f"by {self.part} from {self.start:.2f} to {self.end:.2f} s"


def is_held(chain: Chain, k: int) -> bool:
    """Whether a span of a thing is a hold. What lies on something goes along with it too, but nobody holds it."""
    span = chain.spans[k]
    return span.in_hand and (k == 0 or not chain.events[k - 1].rests)


def holds_of(seen: Rollout, thing: str) -> list[Hold]:
    """All that hold a thing, in order."""
    chain, found = seen.trajectories.chains[thing], list[Hold]()
    for k, span in enumerate(chain.spans):
        if is_held(chain, k):
            began = next((event.contact for event in chain.events[:k][::-1] if _begins_hold(event)), None)
            found.append(Hold(began or thing, thing, seen.model.world.frame_name(span.frame), span.start, span.end))
    return found


def _begins_hold(event: Event) -> bool:
    return event.holds and event.contact is not None


def hold_at(seen: Rollout, thing: str, t: float) -> Hold:
    """What holds a thing at a time, its end included."""
    seen.model.scene.thing(thing)
    holds = holds_of(seen, thing)
    at = [hold for hold in holds if hold.start <= t <= hold.end]
    if at:
        return at[-1] if t > at[-1].start else at[0]
    if not holds:
        raise HoiError(f"{thing!r} is never in a hand in this scene; grasp it first")
    raise HoiError(f"{thing!r} is in no hand at {t:g} s; it is held {', '.join(map(str, holds))}")


def let_go(
    model: Model, document: Document, iterate: Iterate, hold: Hold, t: float, progress: Listener | None = None
) -> Solved:
    """A hold ends at a time: sooner or later than it did, or where it went on to the end of the scene. The hand gives
    way, so that it does not go on into what it has let go."""
    if f"{hold.id}.release" in model.layout:
        return released_at(model, document, iterate, hold.id, t, progress)
    if not hold.start + SHORTEST <= t <= model.scene.end:
        raise HoiError(f"{hold.thing!r} cannot be let go at {t:g} s: it is held {hold}; give a time in between")
    scene = with_release(model.scene, hold.id, t)
    fresh, staged, begun = on_scene(scene, model, document, iterate)
    stretch, what = reach(scene, document.freedom, [t]), f"let go of {hold.thing} at {t:.2f} s"
    kept = EditProblem.of(fresh, begun, document.freedom, document.loose, stretch=stretch, starts=True)
    at_its_time = (*document.constraints, ReleaseAt(hold.id, float(t)))
    open_hand = [OpenHands((hold.id,))] if hold.id in OpenHands.of(scene).holds else []
    for wishes in dict.fromkeys(((*at_its_time, *open_hand), at_its_time)):  # if it need not be open, it keeps clear
        solved = run(replace(kept, excused=False), staged, begun, wishes, what, progress)
        if solved[0].converged:
            break
    return without_losses(model.scene, document, iterate, solved)


def meant(seen: Rollout, thing: str, t: float, name: str | None) -> Contact:
    """The touch by chance that is next to a time, as a contact of the plan."""
    seen.model.scene.thing(thing)
    by_chance = [event for event in seen.trajectories.chains[thing].events if _may_be_meant(event)]
    if not by_chance:
        raise HoiError(f"{thing!r} touches nothing by chance that could be meant; `hit` brings a touch about")
    event = min(by_chance, key=lambda event: abs(event.time - t))
    if abs(event.time - t) > MATCH:
        known = ", ".join(f"{event.other} at {event.time:.2f} s" for event in by_chance)
        raise HoiError(f"{thing!r} touches nothing by chance within {MATCH:g} s of {t:g} s; it touches {known}")
    return replace(new_touch(seen.model.scene, thing, str(event.other), event.time, name), declared=False)


def _may_be_meant(event: Event) -> bool:
    return event.hits_by_chance and event.other is not None


def new_touch(scene: Scene, thing: str, partner: str, t: float, name: str | None) -> Contact:
    """A touch that is declared, with a name that is not taken."""
    scene.thing(thing)
    return Contact(name or first_free(scene, "touch"), thing, partner, t, declared=True)


def check_not_meant(seen: Rollout, contact: Contact) -> None:
    """A touch that is asked for is not one that is meant already."""
    world = seen.model.world
    part = world.frame(contact.carrier)
    for other in seen.model.scene.plan_of(contact.object):
        near = abs(other.time - contact.time) <= MATCH and "/" in other.carrier
        if near and other.bounces and world.frame(other.carrier) == part:
            raise HoiError(
                f"{contact.object!r} is meant to touch {other.carrier!r} at about {other.time:.2f} s already, as "
                f"{other.id!r}; `retime` moves that, and a drag changes where it goes"
            )


def hit(
    model: Model, document: Document, iterate: Iterate, contact: Contact, progress: Listener | None = None
) -> Solved:
    """A new touch: thing and site are brought together at its time, and the rest of the plan is kept. Where the site
    itself does not get there, any place of its part will do, or of the toes of a foot."""
    what, taken = f"hit {contact.object} with {contact.carrier} at {contact.time:.2f} s", 0
    frame = model.world.frame(contact.carrier)
    for partner in dict.fromkeys((contact.carrier, model.world.frame_name(frame), *_toes_of(model, frame))):
        meant = replace(contact, other=partner)
        scene = replace(model.scene, contacts=[*model.scene.contacts, meant])
        solved = solved_plan(*on_scene(scene, model, document, iterate), what, progress)
        report, end, reached = without_losses(model.scene, document, iterate, solved)
        taken += report.iterations
        if report.converged:
            break
    return replace(report, iterations=taken), end, reached


def _toes_of(model: Model, frame: int) -> list[str]:
    """Of a part that is a foot, if it has any."""
    body, segment = model.world.owner(frame)
    roles = roles_of(model.scene.characters[body].skeleton)
    toes = [roles.get(f"{side}_toes") for side in SIDES if roles.get(f"{side}_foot") == segment]
    return [model.world.frame_name(int(frame - segment + own)) for own in toes if own is not None]

"""What an edit keeps of things that are no balls and change their carrier: hands come to where they take them, stay out
of them until then and afterwards, and what is put down lies flat."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.carried import ALWAYS, CarriedClear, CarriedLevel
from hoi_edit.constraints.hand_beside import HandBeside
from hoi_edit.constraints.put_down import PutDown
from hoi_edit.constraints.second_hand import SecondHand
from hoi_edit.constraints.taking_hand import TakingHand
from hoi_edit.edit.grip_search import grips
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Contact, Scene, named
from rigid.body import has_faces


def kept_handover(seen: Rollout, contact: Contact) -> Sequence[Constraint]:
    """Of a contact that happens, at its time."""
    if contact.puts_down:
        return (PutDown.of(seen, contact.id), *_flat_palms(seen, contact), *HandBeside.of(seen, contact.id))
    if contact.declared:
        return (*grips(seen, contact), *HandBeside.of(seen, contact.id))
    return (*(TakingHand.of(seen, contact.id, site) for site in named(contact.other)), *HandBeside.of(seen, contact.id))


def _flat_palms(seen: Rollout, contact: Contact) -> Iterator[TakingHand]:
    """Hands let go of a thing as they took it, palms on its sides: how the second one is turned in between is free, and
    one that is tilted then would have its fingers in there."""
    scene, (thing, k) = seen.model.scene, seen.happened[contact.id]
    grasps = [event.contact for event in seen.trajectories.chains[thing].events[:k] if event.holds]
    if grasps and grasps[-1] is not None and has_faces(scene.thing(thing).body):
        second = scene.contact(grasps[-1]).second
        if second is not None:
            yield replace(TakingHand.of(seen, grasps[-1], second), contact=contact.id, time=contact.time)


def carried_well(
    seen: Rollout, hold: str, stretch: tuple[float, float] | None = None
) -> tuple[CarriedLevel | CarriedClear, ...]:
    """How people carry what they have taken up from where it lay with both hands, in a stretch of time; nothing of
    other holds."""
    contact = seen.model.scene.contact(hold)
    two = contact.second is not None and has_faces(seen.model.scene.thing(contact.object).body)
    if not two or hold not in seen.happened or not _lay(seen, contact):
        return ()
    looked_at = ALWAYS if stretch is None else stretch
    level, clear = CarriedLevel.of(seen, hold), CarriedClear.of(seen, hold)
    return replace(level, looked_at=looked_at), replace(clear, looked_at=looked_at)


def _lay(seen: Rollout, contact: Contact) -> bool:
    """Whether a thing lies until it is grasped."""
    name, k = seen.happened[contact.id]
    span = seen.trajectories.chains[name].spans[k]
    return span.lies_still


def with_grips(kept: Sequence[Constraint], wanted: Mapping[tuple[str, str], TakingHand]) -> tuple[Constraint, ...]:
    """Constraints with given grips, by contact and site, in the place of those that were found; the second hand of a
    hold that is only planned then goes to its grip, too, and not to the nearest place."""

    def wished(constraint: Constraint) -> Constraint:
        if isinstance(constraint, TakingHand):
            return wanted.get((constraint.contact, constraint.site), constraint)
        if isinstance(constraint, SecondHand) and (constraint.hold, constraint.site) in wanted:
            return replace(constraint, place=wanted[constraint.hold, constraint.site].place)
        return constraint

    return tuple(wished(constraint) for constraint in kept)


def planned_grips(seen: Rollout, kept: Sequence[Constraint]) -> dict[tuple[str, str], TakingHand]:
    """Grips of contacts that are only declared, among what an edit keeps."""
    declared = {contact.id for contact in seen.model.scene.contacts if contact.declared}
    found = [constraint for constraint in kept if isinstance(constraint, TakingHand) and constraint.contact in declared]
    return to_the_end(seen.model.scene, found)


def to_the_end(scene: Scene, held: Sequence[TakingHand]) -> dict[tuple[str, str], TakingHand]:
    """Grips by contact and site, with the same where what they hold is put down again."""
    wanted = {(grip.contact, grip.site): grip for grip in held}
    for grip in held:
        later = [contact for contact in scene.plan_of(grip.thing) if contact.time > grip.time]
        if later and later[0].puts_down:
            end = later[0]
            wanted[end.id, grip.site] = replace(grip, contact=end.id, time=end.time)
    return wanted

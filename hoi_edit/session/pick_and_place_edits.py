"""Edits of things that lie and are carried: they are taken up, by one hand or by two, and put down again."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hoi_edit.edit import club_hits, holds
from hoi_edit.edit import contact_edits as plan
from hoi_edit.edit.document import Call, Document
from hoi_edit.edit.failed_trials import answered
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.pick_and_place import held_until, laid_down, put_on, taken_up
from hoi_edit.edit.plan_solver import Solved
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.report import Report
from hoi_edit.edit.stepping import is_strained, stepped_towards
from hoi_edit.scene import Contact, named
from hoi_edit.scene.arguments import are_numbers, is_text
from hoi_edit.session.hold_edits import HoldEdits, check_seconds, check_steps, check_text
from kinematics.errors import HoiError
from kinematics.rotation import Floats


class PickAndPlaceEdits(HoldEdits):
    """An open document whose things are taken up and put down."""

    @answered
    def grasp(
        self, name: str, site: str | tuple[str, ...], t: float, release: float | None = None,
        id: str | None = None, progress: Listener | None = None, declared: bool = False, grip: Any = None,  # noqa: A002
        steps: bool | str = False,
    ) -> Report:  # fmt: skip
        """Catch here: bring this thing and this site ("juggler/right_palm"), or two, together at a time, and hold it.

        Of two sites the first carries, and the second stays where it touches the thing first. What is no ball is taken
        from wherever it is by then, in flight, where it lies or in a hand, and stays turned as it is; the palm comes to
        the side that is nearest to it, or to its `grip`: a place [m] in the thing's own axes, of two sites a pair. One
        that is `declared` is only planned, and `solve` makes it come true. What is too far from where people stand they
        may step to (`steps`, as of `drag`).
        """
        check_steps(steps)
        check_text("what is caught", name)
        check_seconds(f"the time at which {name!r} is caught", t)
        contact = self._new_grasp(name, site, t, release, id)
        label = f"catch {name} with {' and '.join(named(site))} at {t:.2f} s"
        if declared and grip is not None:
            raise HoiError(f"the grip on {name!r} is chosen when it is grasped; leave it out of what is only declared")
        if declared:
            return self._declared(contact, label, Call("grasp", _arguments(contact, None) | {"declared": True}))
        return self._grasped(contact, grip, "grasp", label, progress, steps)

    @answered
    def pick_up(
        self, name: str, site: str | tuple[str, ...], t: float, release: float | None = None,
        id: str | None = None, grip: Any = None, progress: Listener | None = None,  # noqa: A002
        steps: bool | str = False,
    ) -> Report:  # fmt: skip
        """Take a thing up with this site, or two, from the ground, a table or another's hand: the hand comes to where
        it is at that time, and from then on it is carried as it lay. `grip`, `release`, `steps` are as of `grasp`."""
        check_steps(steps)
        check_text("what is picked up", name)
        check_seconds(f"the time at which {name!r} is picked up", t)
        contact = self._new_grasp(name, site, t, release, id)
        seen = self.iterate.rollout
        seen.state(name, t)  # it has to be a time of the scene
        if seen.trajectories.chains[name].span_at(float(t)).flies:
            raise HoiError(f"{name!r} is in the air at {t:g} s; `grasp` catches it, and `pick_up` is for what lies")
        label = f"pick {name} up with {' and '.join(named(site))} at {t:.2f} s"
        return self._grasped(contact, grip, "pick_up", label, progress, steps)

    def _grasped(
        self, contact: Contact, grip: Any, method: str, label: str, progress: Listener | None, steps: bool | str
    ) -> Report:
        """A ball comes into its hand; hands come to what is none, and people too where hands are not enough."""
        where, said = self._places(contact.object, grip, named(contact.other)), _arguments(contact, grip)

        def taken(document: Document, iterate: Iterate) -> Solved:
            if self.scene.thing(contact.object).shape.lies_on_palm:
                return plan.caught(self.model, document, iterate, contact, progress)
            return taken_up(self.model, document, iterate, contact, where, progress)

        solved, people = taken(self.document, self.iterate), {site.partition("/")[0] for site in named(contact.other)}
        before, after = self.iterate.rollout, solved[2].rollout
        strained = any(is_strained(before, after, who, contact.time) for who in people)
        if steps and (strained or not solved[0].converged):
            here = self.model, self.document, self.iterate
            nearer = stepped_towards(*here, contact, steps == "stay", progress)
            by_steps = None if nearer is None else taken(*nearer)
            if by_steps is not None and by_steps[0].converged:
                solved, said = by_steps, said | {"steps": steps}
        return self._planned(solved, label, Call(method, said))

    @answered
    def put_down(
        self,
        name: str,
        place: Any = None,
        t: float | None = None,
        id: str | None = None,  # noqa: A002
        progress: Listener | None = None,
    ) -> Report:
        """Put a thing down at a time: on what is below it, on a fixture ("table"), or at a place, three numbers [m] of
        which the height does not count. It comes to lie on the side that is lowest, still and flat, and stays there
        until somebody takes it up again."""
        check_text("what is put down", name)
        check_seconds(f"the time at which {name!r} is put down", t)
        if place is not None and not is_text(place) and not are_numbers(place, (3,)):
            raise HoiError(f"{name!r} is to be put down at {place!r}; give the name of a fixture, or three numbers [m]")
        seen, thing, when = self.iterate.rollout, self.scene.thing(name), float(t or 0.0)
        held_until(seen, thing, when)
        wanted = place if place is None or is_text(place) else np.asarray(place, float)
        support, where = put_on(seen, name, when, wanted)
        contact = plan.new_contact(self.scene, name, support.name, when, None, id, "put", "rest")
        solved = laid_down(self.model, self.document, self.iterate, contact, where, progress)
        said = {"name": name, "place": wanted, "t": when, "id": contact.id}
        label = f"put {name} down on {support.name} at {when:.2f} s"
        return self._planned(solved, label, Call("put_down", said))

    @answered
    def hit(
        self, name: str, site: str, t: float, id: str | None = None,  # noqa: A002
        progress: Listener | None = None, declared: bool = False,
    ) -> Report:  # fmt: skip
        """Kick, head or hit it: bring this thing and this site ("player/right_instep"), or what somebody holds ("bat"),
        together at a time, and let it bounce off. Where it goes then can be dragged. What cannot be met with the site
        itself, as a ball that lies, is met with the nearest place on its part, or on the toes of a foot. One that is
        `declared` is only planned, and `solve` brings it about."""
        check_text("what is hit", name)
        check_seconds(f"the time at which {name!r} is hit", t)
        if site not in [thing.name for thing in self.scene.things]:
            return self._hit_by_part(name, site, t, id, progress, declared)
        if declared:
            raise HoiError(f"a hit with {site!r} cannot be declared; only those with parts of bodies can")
        self._check_new(id)
        self.scene.thing(name)
        touch = Contact("", name, site, float(t))
        contact = replace(touch, id=holds.new_touch(self.scene, name, site, float(t), id).id)
        solved = club_hits.hit_with(self.model, self.document, self.iterate, contact, progress)
        call = Call("hit", {"name": name, "site": site, "t": float(t), "id": contact.id})
        return self._planned(solved, f"hit {name} with {site} at {t:.2f} s", call)

    def _places(self, name: str, grip: Any, sites: Sequence[str]) -> list[Floats]:
        """Where on a thing each of its sites is to be; none if that is to be found."""
        if grip is None:
            return []
        if self.scene.thing(name).shape.lies_on_palm:
            raise HoiError(f"{name!r} is a ball, which lies on a palm in one way only; leave out its grip")
        places = [grip] if are_numbers(grip, (3,)) else list(grip) if isinstance(grip, Sequence | np.ndarray) else []
        if len(places) != len(sites) or not all(are_numbers(place, (3,)) for place in places):
            raise HoiError(
                f"the grip on {name!r} is {grip!r}; give three numbers [m] in the thing's own axes for each of "
                f"{len(sites)} sites"
            )
        return [np.asarray(place, float) for place in places]


def _arguments(contact: Contact, grip: Any) -> dict[str, Any]:
    """Of the call that a grasp is."""
    said = {"name": contact.object, "site": contact.other, "t": contact.time, "release": contact.release}
    return {**said, "id": contact.id} if grip is None else {**said, "id": contact.id, "grip": grip}

"""Edits of what there is in a scene: things, people and contacts that come in, go, or become others."""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path

from hoi_edit.edit import additions as staging
from hoi_edit.edit import removals as taking_out
from hoi_edit.edit import thing_changes as changing
from hoi_edit.edit.document import Call, Document
from hoi_edit.edit.failed_trials import answered
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.report import NOTHING, Report, changes
from hoi_edit.reporting.findings import Finding
from hoi_edit.reporting.words import said
from hoi_edit.scene import Character, Contact, Fixture, Thing
from hoi_edit.scene.arguments import check_radians, is_real
from hoi_edit.session.gate import beside, objections, stopped_by
from hoi_edit.session.open_document import OpenDocument
from kinematics.errors import HoiError


def check_turn(turn: float) -> None:
    """More than a full turn is hardly ever meant: it is an angle in degrees."""
    check_radians("a turn of", turn)


class SceneEdits(OpenDocument):
    """An open document whose scene can change."""

    def _planned(self, solved: tuple[Report, Document, Iterate], label: str, call: Call) -> Report:
        report, document, iterate = solved
        if not report.holds or document.is_same_as(self.document):
            return report.refused
        wrong = objections(self.iterate, iterate)
        if wrong:
            return stopped_by(report, wrong)
        new = {contact.id for contact in document.scene.contacts}.difference(
            contact.id for contact in self.scene.contacts
        )
        different = changes(self.iterate.rollout, iterate.rollout, but=new)  # what was asked for goes without saying
        different = (*beside(self.iterate.rollout, iterate.rollout), *different)
        self._done(label, call, document, iterate)
        return replace(report, events_changed=different)

    def _scene_edited(self, label: str, call: Call, document: Document, iterate: Iterate) -> None:
        """A step of the history of an edit that does all that it is asked for, or nothing."""
        wrong = objections(self.iterate, iterate)
        if wrong:
            raise HoiError(f"{label} was not done: it would lead to {', '.join(said(wrong))}")
        self._done(label, call, document, iterate)

    def add_thing(self, thing: Thing, progress: Listener | None = None) -> tuple[Finding, ...]:
        """Put another thing into the scene; what that changes about contacts."""
        staged = staging.with_thing(self.model, self.document, self.iterate, thing, progress)
        return self._staged(staged, f"add {thing.name}", Call("add_thing", {"thing": thing}))

    def remove_thing(self, name: str, progress: Listener | None = None) -> tuple[Finding, ...]:
        """Take a thing out of the scene, with its contacts and with constraints and locks about it; what went with
        it and what that changes."""
        staged = taking_out.without_thing(self.model, self.document, self.iterate, name, progress)
        return self._taken(staged, f"remove {name}", Call("remove_thing", {"name": name}))

    def add_fixture(self, fixture: Fixture, progress: Listener | None = None) -> tuple[Finding, ...]:
        """Put something that never moves into the scene, a table, a shelf or a wall; what that changes about
        contacts."""
        staged = staging.with_fixture(self.model, self.document, self.iterate, fixture, progress)
        return self._staged(staged, f"add {fixture.name}", Call("add_fixture", {"fixture": fixture}))

    def remove_fixture(self, name: str, progress: Listener | None = None) -> tuple[Finding, ...]:
        """Take something that never moves out of the scene, with its contacts; what lay on it falls."""
        staged = taking_out.without_fixture(self.model, self.document, self.iterate, name, progress)
        return self._taken(staged, f"remove {name}", Call("remove_fixture", {"name": name}))

    def remove_character(self, name: str, progress: Listener | None = None) -> tuple[Finding, ...]:
        """Take a person out of the scene, with all that was about them. What they hold at the start has to go first."""
        staged = taking_out.without_character(self.model, self.document, self.iterate, name, progress)
        return self._taken(staged, f"remove {name}", Call("remove_character", {"name": name}))

    def add_contact(self, contact: Contact, progress: Listener | None = None) -> tuple[Finding, ...]:
        """Let a touch that happens by itself be meant, so that edits keep it; what that changes.

        One that is declared need not happen yet: it is planned, and `solve` brings it about.
        """
        staged = taking_out.with_contact(self.model, self.document, self.iterate, contact, progress)
        return self._taken(staged, f"add {contact.id}", Call("add_contact", {"contact": contact}))

    def remove_contact(self, contact: str, progress: Listener | None = None) -> tuple[Finding, ...]:
        """Take a contact out of the plan, with constraints and locks about it; what that changes. What was
        hit is still hit, by chance; what was caught is not held any more."""
        staged = taking_out.without_contact(self.model, self.document, self.iterate, contact, progress)
        return self._taken(staged, f"remove {contact}", Call("remove_contact", {"contact": contact}))

    def _taken(self, staged: taking_out.Staged, label: str, call: Call) -> tuple[Finding, ...]:
        document, iterate, told = staged
        self._scene_edited(label, call, document, iterate)
        return told

    @answered
    def change_thing(
        self,
        name: str,
        mass: float | None = None,
        radius: float | None = None,
        restitution: float | None = None,
        friction: float | None = None,
        progress: Listener | None = None,
    ) -> Report:
        """Let a thing be heavier [kg], of another radius [m], bouncier or rougher; what is kept is kept, and the rest
        follows as little as it can. It changes as much as is asked for, or nothing changes.

        A radius only balls have, and it can be another one where no hand holds them. Contacts that were given a
        restitution or friction of their own keep it.
        """
        self.scene.thing(name)  # of people and fixtures only the material can be another one
        qualities = {"mass": mass, "radius": radius, "restitution": restitution, "friction": friction}
        return self._changed("change_thing", name, qualities, progress)

    @answered
    def change_material(
        self,
        name: str,
        restitution: float | None = None,
        friction: float | None = None,
        progress: Listener | None = None,
    ) -> Report:
        """Let a person, a fixture ("ground") or a thing be bouncier or rougher; what is kept is kept, and the rest
        follows as little as it can. It changes as much as is asked for, or nothing changes.

        Restitutions and frictions of two that touch are multiplied. All of a person is of one material. Contacts that
        were given a restitution or friction of their own keep it.
        """
        return self._changed("change_material", name, {"restitution": restitution, "friction": friction}, progress)

    def _changed(
        self, method: str, name: str, qualities: Mapping[str, float | None], progress: Listener | None
    ) -> Report:
        for quality, value in qualities.items():
            if value is not None and not is_real(value):
                raise HoiError(f"the {quality} that {name!r} is to have is {value!r}; it must be one number")
        wanted = {quality: float(value) for quality, value in qualities.items() if value is not None}
        if changing.is_so(self.scene, name, wanted):
            return NOTHING
        solved = changing.changed(self.model, self.document, self.iterate, name, wanted, progress)
        words = ", ".join(f"{quality} {value:g}" for quality, value in wanted.items())
        return self._planned(solved, f"change {name}: {words}", Call(method, {"name": name, **wanted}))

    def import_clip(
        self,
        path: str | PathLike[str],
        onto: str | None = None,
        name: str | None = None,
        trim: tuple[float, float] | None = None,
        at: float | None = None,
        move: tuple[float, float] = (0.0, 0.0),
        turn: float = 0.0,
        units: str | float | None = None,
        up: str | None = None,
        roles: Mapping[str, str | None] | None = None,
        cut: bool | None = None,
        level: bool | None = None,
        progress: Listener | None = None,
    ) -> tuple[Finding, ...]:
        """A recorded motion for somebody of the scene, or somebody new who moves so; what that changes.

        A stretch of the clip can be taken (`trim` [s]), begin at another time (`at` [s]), be moved on the ground
        (`move`, x and z [m]) and turned there (`turn` [rad]). `units`, `up`, `roles`, `cut` and `level` say what
        reading the file could not know, as for `hoi.open`. What the person was meant to catch is declared: `solve`
        brings it about with the new motion. Joint limits are made anew; what else was about the old body is taken out.
        It ends with what was decided in reading the clip, which part of it is before the scene begins, and how far the
        scene has grown with it.
        """
        check_turn(turn)
        said = staging.reading(units, up, roles, cut, level)
        clip, told = staging.clip_from(path, trim, at, move, turn, **said), tuple[Finding, ...]()
        noticed = [*clip.notices]
        if onto is not None:
            document, iterate, told = staging.with_motion(self.model, self.document, self.iterate, onto, clip, progress)
            staged = document, iterate
        else:
            name = name or staging.free_name(Path(path).stem, staging.names_in(self.scene))
            person = Character.of(name, clip)
            staged = staging.with_character(self.model, self.document, self.iterate, person, progress)
            noticed += staging.on_top_of(staged[1].rollout, name, clip)
        noticed += [*staging.left_out(staged[0].scene, clip), *staging.longer(self.scene, staged[0].scene)]
        arguments = {"path": str(path), "onto": onto, "name": name, "trim": trim, "at": at, "move": move, "turn": turn}
        given = {key: value for key, value in arguments.items() if value is not None}
        changed = self._staged(staged, f"import {Path(path).name}", Call("import_clip", given | said))
        return (*told, *changed, *(Finding("notice", why=notice) for notice in noticed))

    def _staged(self, staged: tuple[Document, Iterate], label: str, call: Call) -> tuple[Finding, ...]:
        document, iterate = staged
        before = self.iterate.rollout
        different = (*beside(before, iterate.rollout), *changes(before, iterate.rollout))
        self._scene_edited(label, call, document, iterate)
        return different

"""What the window asks the session for about holds and touches: what is let go, thrown, given, caught, hit, meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding
from ui.editor.edits import Edits, deleted
from ui.words.messages import Message
from ui.words.names import capital, plain
from ui.words.refusals import catch_refused, hit_refused, pass_refused, toss_refused
from ui.worker.import_job import ThingWish, free_name, names_in

MOST = 3  # changes that are told


class HoldActions(Edits):
    """Each is one edit, which undo takes back as one."""

    def catch(self, thing: str, site: str, t: float, until: float | None = None) -> None:
        def catch(session: hoi.EditSession, tell: hoi.Listener) -> Report | Message:
            seen, document = session.rollout, session.document
            report = session.grasp(thing, site, t, release=until, progress=tell)
            return report if report.holds else catch_refused(seen, document, report, thing, site, t)

        done = f"{plain(site)} catches {thing}" + (f" and lets it go at {until:.2f} s." if until is not None else ".")
        self.edit("Catching", catch, done)

    def release(self, thing: str, t: float) -> None:
        """Whatever holds a thing at a time lets it go then."""
        done = f"{thing} is let go at {t:.2f} s."
        self.edit("Letting go", lambda s, tell: s.release(thing, t, tell), done, compare=True)

    def toss(self, thing: str, site: str, t: float, times: Sequence[float]) -> None:
        """Throw it to a hand, which catches it at the first of some times at which it can."""

        def toss(session: hoi.EditSession, tell: hoi.Listener) -> Report | Message:
            seen, document, reports = session.rollout, session.document, list[Report]()
            for caught in times:
                reports.append(session.throw(thing, caught, site, tell, release=t))
                if reports[-1].holds:
                    return reports[-1]
            return toss_refused(seen, document, reports[0], thing, site, t)

        self.edit("Throwing", toss, f"{thing} is thrown to {plain(site)}.", compare=True)

    def pass_to(self, thing: str, site: str, t: float, until: float | None = None) -> None:
        """Another hand takes it out of the one that holds it."""

        def give(session: hoi.EditSession, tell: hoi.Listener) -> Report | Message:
            seen, document = session.rollout, session.document
            report = session.pass_to(thing, site, t, release=until, progress=tell)
            return report if report.holds else pass_refused(seen, document, report, thing, site, t)

        self.edit("Passing", give, f"{plain(site)} takes {thing}.", compare=True)

    def lay_on(self, thing: str, site: str, t: float) -> None:
        """What is no ball comes to lie on a shoulder, or under an arm, with the side that is nearest to it."""

        def lay(session: hoi.EditSession, tell: hoi.Listener) -> Report | Message:
            seen, document = session.rollout, session.document
            report = session.grasp(thing, site, t, progress=tell)
            return report if report.holds else pass_refused(seen, document, report, thing, site, t)

        self.edit("Passing", lay, f"{plain(site)} takes {thing}.", compare=True)

    def pick_up(self, thing: str, sites: tuple[str, ...], t: float) -> None:
        """One hand or two take what lies there."""

        def lift(session: hoi.EditSession, tell: hoi.Listener) -> Report:
            return session.pick_up(thing, sites if len(sites) > 1 else sites[0], t, progress=tell)

        self.edit("Picking it up", lift, f"{thing} is picked up at {t:.2f} s.", compare=True)

    def put_down(self, thing: str, t: float) -> None:
        """Whoever holds it lays it on what is below."""

        def lay(session: hoi.EditSession, tell: hoi.Listener) -> Report:
            return session.put_down(thing, t=t, progress=tell)

        self.edit("Putting it down", lay, f"{thing} is put down at {t:.2f} s.", compare=True)

    def mean(self, thing: str, t: float) -> None:
        """Whatever a thing touches by chance next to a time is meant from now on."""
        done = f"The touch of {thing} at {t:.2f} s is meant: edits keep it, and it can be moved in time."
        self.edit("Meaning it", lambda s, tell: s.mean(thing, t, progress=tell), done)

    def hit(self, thing: str, site: str, t: float) -> None:
        def hit(session: hoi.EditSession, tell: hoi.Listener) -> Report | Message:
            seen, document = session.rollout, session.document
            report = session.hit(thing, site, t, progress=tell)
            return report if report.holds else hit_refused(seen, document, report, thing, site, t)

        self.edit("Hitting", hit, f"{capital(plain(site))} hits {thing}.", compare=True)

    def add_new(self, wish: ThingWish, starts: Sequence[hoi.Held | hoi.Flying]) -> None:
        """A new thing, in somebody's hand or at rest in its place: the first one where it starts inside nobody."""
        if self.scene is None:
            return
        name = free_name(wish.name, names_in(self.scene))
        thing = replace(wish, name=name).thing()

        def add(session: hoi.EditSession, tell: hoi.Listener) -> Report:
            for start in starts[:-1]:
                try:
                    return _told(session.add_thing(replace(thing, start=start), tell))
                except hoi.Cancelled:
                    raise
                except hoi.HoiError:  # somebody is there
                    continue
            return _told(session.add_thing(replace(thing, start=starts[-1]), tell))

        self.edit(f"Adding {name}", add, f"Added {name}.")

    def add_fixture(self, fixture: hoi.Fixture) -> None:
        """Something that never moves."""

        def add(session: hoi.EditSession, tell: hoi.Listener) -> Report:
            return _told(session.add_fixture(fixture, tell))

        self.edit(f"Adding {fixture.name}", add, f"Added {fixture.name}.")

    def delete_hold(self, contact: str) -> None:
        """What was caught is not caught any more, and flies on."""
        self.chosen = None
        self.edit("Deleting", lambda s, tell: deleted(s, contact, s.remove_contact))

    def delete(self, name: str | None = None) -> None:
        """The hold that was clicked on, or else what is selected or named."""
        chosen, self.chosen = self.chosen, None
        if name is not None or chosen is None or chosen[1] != self.selected:
            super().delete(name)
        elif chosen[0] == chosen[1]:
            self.say("warning", f"{chosen[1]} is in the hand from the start: drag the end of the bar to let it go.")
        else:
            self.delete_hold(chosen[0])


def _told(changes: Sequence[Finding]) -> Report:
    """What came of something new."""
    return Report(True, 0.0, 0, events_changed=tuple(changes[:MOST]))

"""Edits of who is in a scene and when: another name, later, slower, or a stretch of a clip."""

from hoi_edit.edit import people_in_time as timing
from hoi_edit.edit.document import Call
from hoi_edit.edit.renaming import check_new_name, renamed
from hoi_edit.edit.report import changes
from hoi_edit.motions.clip_times import ClipTimes
from hoi_edit.reporting.findings import Finding
from hoi_edit.scene.arguments import is_number
from hoi_edit.session.gate import beside
from hoi_edit.session.scene_edits import SceneEdits
from kinematics.errors import HoiError

SLOWEST, FASTEST = 10.0, 0.1  # times as long: beyond that a factor is hardly meant


class PeopleEdits(SceneEdits):
    """An open document whose people can be moved in time."""

    def shift(self, name: str, by: float) -> tuple[Finding, ...]:
        """Let somebody's whole clip be later by so many seconds, or earlier; what that changes.

        What nobody else touches goes along, flights included. Other catches of this person are declared, when the clip
        has them now, and `solve` brings them about. The scene grows as far as the clip goes.
        """
        self._check_number(name, "shifted by", by, "seconds")
        if by == 0.0:
            return ()
        return self._in_time(
            name,
            ClipTimes(later=float(by)),
            f"shift {name} by {by:g} s",
            Call("shift", {"name": name, "by": float(by)}),
        )

    def trim(self, name: str, start: float, end: float) -> tuple[Finding, ...]:
        """Keep a stretch of somebody's clip, from one time of the scene to another; before and after, they stand as it
        begins and ends. What that changes."""
        for t in (start, end):
            self._check_number(name, "trimmed to", t, "seconds")
        motion = self.scene.character(name).motion
        first, last = float(motion.start), float(motion.end)
        if not first - 1e-9 <= start < end <= last + 1e-9:
            raise HoiError(
                f"the clip of {name!r} cannot be trimmed to {start:g}..{end:g} s: it runs from {first:.2f} to "
                f"{last:.2f} s; give a start and a later end in between"
            )
        call = Call("trim", {"name": name, "start": float(start), "end": float(end)})
        return self._in_time(
            name, ClipTimes(kept=(float(start), float(end))), f"trim {name} to {start:g}..{end:g} s", call
        )

    def stretch(self, name: str, factor: float, about: float | None = None) -> tuple[Finding, ...]:
        """Let somebody's clip take so many times as long, around a time that stays where it is (else its start); what
        that changes. Catches of this person are declared, and `solve` brings them about."""
        self._check_number(name, "stretched by", factor, "times as long")
        motion = self.scene.character(name).motion
        if not FASTEST <= factor <= SLOWEST:
            raise HoiError(
                f"{name!r} is to take {factor:g} times as long; give a factor from {FASTEST:g} to {SLOWEST:g}, where "
                "2 is half as fast"
            )
        if factor == 1.0:
            return ()
        fixed = float(motion.start) if about is None else about
        self._check_number(name, "stretched about", fixed, "seconds")
        times = ClipTimes(float(factor), (1.0 - float(factor)) * float(fixed))
        call = Call("stretch", {"name": name, "factor": float(factor), "about": about})
        return self._in_time(name, times, f"stretch {name} by {factor:g}", call)

    def rename(self, name: str, to: str) -> None:
        """Another name for a person or a thing, wherever the document says it."""
        check_new_name(self.scene, name, to)
        if name == to:
            return
        document, iterate = renamed(self.model, self.document, self.iterate, name, to)
        self._done(f"rename {name} to {to}", Call("rename", {"name": name, "to": to}), document, iterate)

    def _in_time(self, name: str, times: ClipTimes, label: str, call: Call) -> tuple[Finding, ...]:
        document, iterate, told = timing.in_other_time(self.model, self.document, self.iterate, name, times)
        before = self.iterate.rollout
        different = (*beside(before, iterate.rollout), *changes(before, iterate.rollout))
        self._scene_edited(label, call, document, iterate)
        return (*told, *different)

    def _check_number(self, name: str, what: str, value: object, unit: str) -> None:
        self.scene.character(name)
        if not is_number(value):
            raise HoiError(f"{name!r} is to be {what} {value!r}; it must be one number, in {unit}")

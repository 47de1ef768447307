"""What comes in: clips for people old and new, and things, as the dialogs describe them. No widgets here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.additions import CLIPS, Unsaid, clip_from, free_name, names_in
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from ui.words.finding_names import told
from ui.words.fixes import COME_TRUE, UNDO
from ui.words.messages import Message
from ui.words.names import capital
from ui.words.problems import clears

MESHES = (".obj", ".stl", ".ply", ".glb", ".off")
_OF_FILE = re.compile(r"^.*\.(?:bvh|amc|asf): ")  # before what a reader noticed; the dialog's title names the file
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inches": 0.0254}  # [m] in which meshes are written
MOST = 3  # changes that are told
Kind = Literal["ball", "box", "bat", "mesh"]
__all__ = [
    "CLIPS", "MESHES", "UNITS", "ClipFile", "ClipWish", "ThingWish", "Unsaid", "free_name", "look_into", "names_in",
]  # fmt: skip


@dataclass(frozen=True)
class ClipFile:
    """A clip's file, as far as a dialog needs to know it."""

    path: str
    start: float  # [s]
    end: float
    rate: float  # [Hz]
    joints: int
    unsaid: Unsaid
    notices: tuple[str, ...] = ()


def look_into(path: str) -> ClipFile:
    clip = clip_from(path)
    notices = tuple(_OF_FILE.sub("", notice) for notice in clip.notices)
    joints = len(clip.skeleton.names)
    return ClipFile(path, clip.start, clip.end, 1.0 / clip.frame_time, joints, Unsaid.of(clip), notices)


@dataclass(frozen=True)
class ClipWish:
    path: str
    trim: tuple[float, float]  # [s] of the clip
    at: float  # [s] of the scene
    move: tuple[float, float] = (0.0, 0.0)  # [m] x and z
    turn: float = 0.0  # [degrees]
    onto: str | None = None  # whose motion it becomes; None: somebody new
    reading: Mapping[str, Any] = field(default_factory=dict)  # units, up, roles and cut, where they are said

    def problem(self) -> str | None:
        numbers = (*self.trim, self.at, *self.move, self.turn)
        if not np.all(np.isfinite(numbers)):
            return "All of these must be numbers."
        if not self.trim[1] > self.trim[0]:
            return f"It is to end at {self.trim[1]:g} s, before it begins at {self.trim[0]:g} s."
        return None

    def into(self, session: hoi.EditSession) -> Message:
        """As an edit of a scene."""
        turn = float(np.deg2rad(np.fmod(self.turn, 360.0)))
        findings = session.import_clip(
            self.path, onto=self.onto, trim=self.trim, at=self.at, move=self.move, turn=turn, **self.reading
        )
        return imported(self.path, findings, session.rollout)

    def scene(self) -> hoi.Scene:
        """As a scene of its own, on level ground."""
        turn = float(np.deg2rad(self.turn))
        clip = clip_from(self.path, self.trim, self.at, self.move, turn, **self.reading)
        name = Path(self.path).stem
        person = hoi.Character.of(free_name(name, []), clip)
        return hoi.Scene([person], fixtures=[hoi.ground()], start=clip.start, end=clip.end, name=name)


def imported(path: str, findings: Sequence[Finding], rollout: Rollout) -> Message:
    """What came of a clip: a sentence each, without the file's name in every one, and buttons for what is amiss."""
    names = {owner.name for owner in rollout.model.scene.owners}  # which are as they are written
    asks_first = sorted(findings, key=lambda finding: finding.kind != "declared")  # for something to be done
    clauses = [told(replace(finding, why=_OF_FILE.sub("", finding.why)), rollout) for finding in asks_first[:MOST]]
    said = " ".join(f"{clause if clause.split(' ')[0] in names else capital(clause)}." for clause in clauses)
    declared = any(contact.declared for contact in rollout.model.scene.contacts)
    hits = [fix for finding in findings for fix in clears(finding, rollout)][:1]
    fixes = (*((COME_TRUE,) if declared else ()), *hits)
    words = f"Imported {Path(path).name}. {said}".strip()
    return Message("warning" if declared else "good", words, fixes=(*fixes, UNDO) if fixes else ())


def _told(changes: tuple[Finding, ...]) -> Report:
    """What came of something new, the first few of it: a ball may bounce often."""
    return Report(True, 0.0, 0, events_changed=changes[:MOST])


@dataclass(frozen=True)
class ThingWish:
    kind: Kind
    name: str
    mass: float = 0.2  # [kg]
    radius: float = 0.05  # [m] of a ball, or a bat
    sides: tuple[float, float, float] = (0.3, 0.3, 0.3)  # [m] of a box, whole
    path: str = ""  # of a mesh
    position: tuple[float, float, float] = (0.0, 1.0, 0.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    held_by: str | None = None  # "juggler/right_palm"
    restitution: float = 0.5
    friction: float = 0.5
    unit: float = 1.0  # [m] of what a mesh's file counts as one
    length: float = 0.85  # [m] of a bat, whole

    def problem(self, taken: list[str]) -> str | None:
        if not self.name.strip() or "/" in self.name:
            return "Give it a name, without a slash."
        if self.name in taken:
            return f"There is a {self.name} already; give it another name."
        numbers = (self.mass, self.radius, *self.sides, *self.position, *self.velocity)
        if not np.all(np.isfinite(numbers)):
            return "All of these must be numbers."
        if self.mass <= 0:
            return "Its mass must be more than nothing."
        if (self.kind in ("ball", "bat") and self.radius <= 0) or (self.kind == "box" and min(self.sides) <= 0):
            return "Its size must be more than nothing."
        if self.kind == "bat" and self.length <= 2.0 * self.radius:
            return "It must be longer than it is thick."
        if not (0.0 <= self.restitution <= 1.0 and self.friction >= 0.0):
            return "Its restitution is from 0 to 1, its friction 0 or more."
        return None

    def into(self, session: hoi.EditSession) -> Report:
        """As an edit of a scene."""
        return _told(session.add_thing(self.thing()))

    def thing(self) -> hoi.Thing:
        start = (
            hoi.Flying(np.array(self.position), np.array(self.velocity))
            if self.held_by is None
            else hoi.Held(self.held_by)
        )
        return hoi.Thing(self.name.strip(), self._body(), start, hoi.Material(self.restitution, self.friction))

    def _body(self) -> hoi.Body:
        if self.kind == "ball":
            return hoi.ball(self.mass, self.radius)
        if self.kind == "bat":
            return hoi.capsule(self.mass, self.radius, 0.5 * self.length - self.radius)
        if self.kind == "box":
            return hoi.box(self.mass, [0.5 * side for side in self.sides])
        return scaled(hoi.mesh(self.mass, self.path), self.unit)


def scaled(body: hoi.Body, by: float) -> hoi.Body:
    """A body as large, of the same mass: what turns it grows with the square."""
    return replace(
        body, vertices=by * body.vertices, radius=by * body.radius, moments=by**2 * body.moments,
        mesh_centre=by * body.mesh_centre,
    )  # fmt: skip

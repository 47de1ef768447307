"""What is asked of a linearisation, and what it answers.

A `Functional` names numbers of a scene by the states that they are linear in; `Rows` is their derivative by u, in
blocks.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hoi_edit.motions.sensitivity import KnotTerm, terms
from hoi_edit.scene.controls import Controls, Layout
from hoi_edit.simulate.trajectory import Event
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats


@dataclass(frozen=True, eq=False)
class PoseBlock:
    """Covectors (R, D) on q and q̇ of one character at one time."""

    character: str
    time: float
    rows: Ints  # (R,) which rows these are, each once
    on_q: Floats
    on_rate: Floats


@dataclass(frozen=True, eq=False)
class Rows:
    """A Jacobian of `count` rows in blocks."""

    count: int
    poses: Sequence[PoseBlock]
    whole: Sequence[tuple[str, Ints, Floats]]  # character, rows, covectors on all of its parameters
    columns: dict[str, Floats]  # name of a block of u -> (count, size)
    doubts: Sequence[Event]  # events on the way whose derivative is not to be trusted
    spans: Collection[tuple[str, int]] = ()  # things, and which of their spans the rows came back along

    def dense(self, layout: Layout, controls: Controls, motions: dict[str, Any]) -> Floats:
        """The same as one matrix (count, n)."""
        J = np.zeros((self.count, layout.size))
        for name, values in self.columns.items():
            J[:, layout[name].indices] += values
        for character, rows, values in self.whole:
            start = layout.first(character)
            np.add.at(J[:, start : start + values.shape[1]], rows, values)
        for character, motion in motions.items():
            blocks = [block for block in self.poses if block.character == character]
            if blocks:
                start = layout.first(character)
                times = np.array([block.time for block in blocks])
                _scatter(J, start, blocks, terms(motion, controls.motions[character], times))
        return J


def _scatter(J: Floats, start: int, blocks: Sequence[PoseBlock], pose_terms: Sequence[Any]) -> None:
    for term in pose_terms:
        for k, block in enumerate(blocks):
            if isinstance(term, KnotTerm):
                entries = (
                    term.value[k][None, :, None] * block.on_q[:, None]
                    + term.rate[k][None, :, None] * block.on_rate[:, None]
                )
                D = block.on_q.shape[1]
                at = start + term.offset + int(term.first[k]) * D
                J[block.rows, at : at + 4 * D] += entries.reshape(len(block.rows), 4 * D)
            else:
                entries = block.on_q @ term.value[k] + block.on_rate @ term.rate[k]
                at = start + term.offset
                J[block.rows, at : at + entries.shape[1]] += entries


@dataclass(frozen=True)
class Target:
    """The state of a thing, or of a point of a body, at a time. Rows: position, turn, velocity, spin (12)."""

    name: str
    time: float
    span: int | None = None  # extend this span to the time, whether or not it lasts that long: a drag binds to one


@dataclass(frozen=True, eq=False)
class Functional:
    """Some numbers of a scene, each linear in states of things and motions of frames and poses at given times.

    Coefficients have a row for each number. Those of a thing, of a point of a body and of a frame are on place, turn,
    velocity and spin (12); of a pose on q and on its rate; of an outcome on what an event gave: a flight (12) or a pose
    in the hand (6).
    """

    count: int
    things: Sequence[tuple[Target, Floats]] = ()
    frames: Sequence[tuple[int, float, Floats]] = ()  # frame, time, coefficients
    poses: Sequence[tuple[str, float, Floats, Floats]] = ()  # character, time, coefficients of q and of its rate
    outcomes: Sequence[tuple[str, int, Floats]] = ()  # thing, which of its events, coefficients
    columns: Sequence[tuple[str, Floats]] = ()  # block of u or name of a node, coefficients

"""`EditSession`: one scene, its control vector, and everything a user asks of them."""

from collections.abc import Sequence

import numpy as np

from hoi_edit.controls import Layout
from hoi_edit.linearise import Target
from hoi_edit.scene import Scene
from hoi_edit.simulation import POSITION_AND_VELOCITY, BodyState, Model, Rollout
from kinematics.errors import HoiError
from kinematics.rotation import Floats


class EditSession:
    """What is shown is `rollout`: every stretch between intended contacts, simulated from its node."""

    def __init__(self, scene: Scene) -> None:
        self._model = Model.of(scene)
        self._rollout = self._model.simulate(self._model.start, strict=True)

    @property
    def scene(self) -> Scene:
        return self._model.scene

    @property
    def u(self) -> Floats:
        """The control vector (n,); a copy."""
        return self._rollout.u.copy()

    @property
    def layout(self) -> Layout:
        """Which stretch of `u` is what: `layout["ball1.velocity"].indices`."""
        return self._model.layout

    @property
    def rollout(self) -> Rollout:
        return self._rollout

    def state(self, name: str, t: float) -> BodyState:
        """Of a thing ("ball1") or a point of a body ("juggler/right_hand") at time t [s]."""
        return self._rollout.state(name, t)

    def simulate(self, u: Floats) -> Rollout:
        """A full, fresh simulation of any control vector, from the start of the scene."""
        return self._model.simulate(np.asarray(u, float))

    def linearise(self, name: str | Sequence[tuple[str, float]], t: float | None = None) -> tuple[Floats, Floats]:
        """x = [position, velocity] (6,) of a thing or a point of a body at time t, and J = dx/du (6, n).

        A list of (name, t) pairs stacks its rows. What follows an event follows its time as well.
        """
        pairs = [(name, t)] if isinstance(name, str) else [tuple(pair) for pair in name]
        if not pairs or any(len(pair) != 2 or not isinstance(pair[1], int | float) for pair in pairs):
            raise HoiError("linearise wants a name and a time, or a list of such pairs: linearise('ball1', t=1.2)")
        targets = [Target(str(who), float(when)) for who, when in pairs]  # type: ignore[arg-type]
        states = [self._rollout.state(target.name, target.time) for target in targets]
        x = np.concatenate([np.concatenate([state.position, state.velocity]) for state in states])
        return x, self._rollout.dense(self._rollout.rows(targets, POSITION_AND_VELOCITY))

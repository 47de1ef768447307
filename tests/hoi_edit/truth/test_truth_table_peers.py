"""What MuJoCo MJX, differentiated through its time steps, answers to the rows of the truth table.

Nothing is asserted of MJX but that it was asked the same question: its simulation must end near ours. The numbers are
printed: `make peers ARGS="-s -k mjx"`.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hoi_edit.rollout import Model
from hoi_edit.truth import CASES, Case
from hoi_edit.truth.difference_quotients import quotient, state_at
from hoi_edit.truth.truth_table import unit
from kinematics.rotation import Floats
from tests.mjcf import Softness, mujoco_scene, pose_and_rate, start

pytestmark = pytest.mark.peers

SOFT = Softness(stiffness=500.0, step=1e-3, cone="pyramidal")  # a bounce of six steps
NEAR = 0.25  # [m] from us at most, for the same story to have been told; after three round touches anything goes
# rows that MuJoCo is not asked, and why
WITHOUT = {
    "catch, throw, bounce": "no grasp that is released",
    "throw, catch, hold, throw": "no grasp that is released",
    "two balls, meeting twice": "no grasp that is released",
    "a pitch through air, bouncing": "another law of drag and lift",
    "thrown through air on a paddle": "another law of drag and lift",
    "two balls, one feels the air": "another law of drag and lift",
}


def simulated(mjx: Any, case: Case) -> tuple[Floats, Floats]:
    """[position, velocity] of the case's thing, and its derivative by the printed entry: one forward pass."""
    scene = case.scene()
    model = Model.of(scene)
    engine = mujoco_scene(scene, SOFT)
    device = mjx.put_model(engine)
    at = model.layout.unflatten(model.start)
    along = model.layout.unflatten(unit(model.layout, case.entry))
    blank = mjx.make_data(device)
    q, v = (int(address[0]) for address in (engine.body(case.thing).jntadr, engine.body(case.thing).dofadr))
    q = int(engine.jnt_qposadr[q])

    def end(s: Any) -> Any:
        controls = jax.tree.map(lambda a, b: a + s * b, at, along)
        qpos, qvel = start(model, controls)

        def step(data: Any, k: Any) -> tuple[Any, None]:
            for character in scene.characters:  # moved by hand: a spline that no force disturbs
                pose, rate = pose_and_rate(character, controls.motions[character.name], k * SOFT.step)
                n = len(pose)
                data = data.replace(qpos=data.qpos.at[:n].set(pose), qvel=data.qvel.at[:n].set(rate))
            return mjx.step(device, data), None

        count = round(case.time / SOFT.step)
        data, _ = jax.lax.scan(step, blank.replace(qpos=qpos, qvel=qvel), jnp.arange(count, dtype=float))
        return jnp.concatenate([data.qpos[q : q + 3], data.qvel[v : v + 3]])

    value, slope = jax.jit(lambda s: jax.jvp(end, (s,), (jnp.ones_like(s),)))(jnp.asarray(0.0))
    return np.asarray(value), np.asarray(slope)


def test_every_row_is_asked_or_says_why_not() -> None:
    assert set(WITHOUT) <= {case.name for case in CASES}
    assert all(case.name in WITHOUT for case in CASES if "air" in case.name)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_mjx_beside_the_truth(case: Case) -> None:
    mjx = pytest.importorskip("mujoco.mjx", reason="a peer: `make peers` installs it")
    model = Model.of(case.scene())
    truth = quotient(model, model.start, unit(model.layout, case.entry), case.thing, case.time).value[
        case.entry.component
    ]
    line = f"\n{case.name:30} {case.entry!s:>24}   truth {truth:>14.6f}   MJX at 1 kHz "
    if case.name in WITHOUT:
        print(f"{line}{'-':>14}  ({WITHOUT[case.name]})")
        return
    with jax.numpy_rank_promotion("allow"):
        value, slope = simulated(mjx, case)
    print(f"{line}{slope[case.entry.component]:>14.6f}")
    away = np.abs(value - state_at(model.simulate(model.start), case.thing, case.time))[:3].max()
    assert away <= NEAR or "round" in case.name

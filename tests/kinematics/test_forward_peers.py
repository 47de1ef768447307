"""Forward kinematics and Jacobians against MuJoCo's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kinematics.forward import forward, point_jacobians, points
from kinematics.human import human42
from tests.mujoco_model import mujoco_model

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("seed", range(3))
def test_frames_and_jacobians_are_mujocos(seed: int) -> None:
    mujoco = pytest.importorskip("mujoco", reason="a peer: `make peers` installs it")
    skeleton = human42()
    model = mujoco_model(skeleton)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(seed)
    q, segment, local = rng.normal(size=42), rng.integers(0, 18, 20), rng.normal(size=(20, 3))
    order = [model.joint(name).qposadr[0] for name in skeleton.topology.dof_names]
    data.qpos[order] = q
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    frames = jax.jit(forward)(skeleton, q)
    bodies = [model.body(name).id for name in skeleton.names]
    np.testing.assert_allclose(frames.position, data.xpos[bodies], atol=1e-13)
    np.testing.assert_allclose(frames.rotation, data.xmat[bodies].reshape(-1, 3, 3), atol=1e-13)
    p = points(frames, segment, jnp.asarray(local))
    ours = np.asarray(point_jacobians(skeleton, frames, segment, p))
    for k in range(20):
        theirs = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, theirs, None, np.asarray(p[k]), bodies[segment[k]])
        np.testing.assert_allclose(ours[k], theirs[:, order], atol=1e-12)

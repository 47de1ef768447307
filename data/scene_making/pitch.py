"""A pitch that meets the bat: the thrower's arm and trunk change, the batter swings as ever."""

import numpy as np

from data.scene_making.keep_clear import within_limits
from data.scene_making.least_change import Metric, Wanted, least_change
from data.scene_making.rows import Places, Seen
from hoi_edit.scenes.baseball import BAT_RADIUS, HIT, RADIUS, RELEASE, scene
from hoi_edit.simulation import Model, Rollout
from kinematics.rotation import Floats

SWEET = 0.25  # [m] from the middle of the bat
LEAVING = ((0.01, 0.0), (0.02, 0.001), (0.04, 0.005))  # [s] after the release, and how far the ball is off the palm [m]
FREE = ("abdomen", "thorax", "right_upper_arm", "right_forearm", "right_hand")
ROUNDS = 3


def locked(dof: str) -> bool:
    return not dof.startswith(FREE)


def head_on(rollout: Rollout) -> Floats:
    """Where the ball's centre is at the hit, as the bat sees it: on the side from which it comes."""
    bat, release, time = rollout.state("bat", HIT), rollout.state("ball", RELEASE), HIT - RELEASE
    arm = SWEET * bat.rotation[:, 1]
    gravity = rollout.simulation.gravity
    coming = (bat.position + arm - release.position) / time + 0.5 * time * gravity
    towards = bat.rotation.T @ (coming - bat.velocity - np.cross(bat.angular_velocity, arm))
    towards[1] = 0.0
    side = -(BAT_RADIUS + RADIUS) * towards / np.linalg.norm(towards)
    return np.asarray(side + np.array([0.0, SWEET, 0.0]))


def out_of_the_hand() -> Places:
    """The hand does not push the ball once it has let it go."""
    seen = [Seen("ball", "ball", RELEASE + dt, "pitcher/right_palm") for dt, _ in LEAVING]
    wanted = np.array([[0.0, 0.0, RADIUS + gap] for _, gap in LEAVING])
    return Places(seen, wanted, [np.array([0.0, 0.0, 1.0])] * len(seen))


def baseball() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/baseball.npz`."""
    model = Model.of(scene("plan"))
    rollout, metric = model.simulate(model.start), Metric.of(model, locked)
    metric = Metric(metric.pieces[:1])  # the pitcher's
    aim = Places([Seen("ball", "ball", HIT, "bat")], head_on(rollout)[None])
    for _ in range(ROUNDS):
        wanted = Wanted([aim], [out_of_the_hand(), within_limits(rollout, "pitcher", locked)])
        rollout = least_change(model, rollout.u, model.start, wanted, metric, steps=8, still=1e-3)
    rollout = least_change(model, rollout.u, rollout.u, wanted, metric, steps=5, still=1e-11)
    return {"pitcher": np.asarray(rollout.controls.motions["pitcher"])}

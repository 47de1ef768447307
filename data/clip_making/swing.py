"""A right-handed batter's swing, without the bat: the ball would come from +X and be hit in front, towards +X."""

import jax
import jax.numpy as jnp
import numpy as np

from data.clip_making.curves import through
from data.clip_making.perform import Script, perform
from data.clip_making.poses import arm
from hoi_edit.footwork.foot_path import FootKey
from hoi_edit.footwork.limb_reach import Goal
from kinematics.clip import Clip
from kinematics.forward import forward
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

SECONDS = 2.0
HIT = 1.0  # [s]: the bat would meet the ball

APART, HANDLE = 0.115, 0.018  # [m]: palms along the handle, and the handle's radius with some flesh
THUMBS = np.array([0.0, 0.0, 0.08])  # [m]: the thumb's side of a hand, which points to the far end of the bat

# Time, the middle of the grip and the way the bat points, both as the chest sees them: left, up, ahead [m].
GRIP = (
    (0.00, (-0.17, 0.17, 0.29), (-0.25, 0.90, -0.30)),
    (0.38, (-0.16, 0.15, 0.30), (-0.38, 0.86, -0.22)),
    (0.72, (-0.24, 0.19, 0.26), (-0.10, 0.92, -0.30)),
    (0.86, (-0.20, 0.09, 0.33), (-0.55, 0.72, -0.30)),
    (0.93, (-0.16, 0.02, 0.41), (-0.88, 0.26, -0.05)),
    (HIT, (-0.12, -0.02, 0.50), (-0.82, -0.14, 0.55)),
    (1.06, (-0.05, -0.02, 0.485), (-0.20, -0.18, 0.96)),
    (1.13, (0.03, 0.03, 0.45), (0.55, 0.02, 0.83)),
    (1.24, (0.12, 0.13, 0.37), (0.92, 0.32, 0.24)),
    (1.42, (0.14, 0.22, 0.30), (0.74, 0.62, -0.26)),
    (SECONDS, (0.12, 0.18, 0.30), (0.60, 0.78, -0.20)),
)

# Time, and how far the right palm lies above the handle [m], the left one below it: the hands roll over each other.
ROLL = ((0.0, 0.0), (0.86, 0.0), (0.96, -0.012), (HIT, -0.010), (1.10, 0.024), (1.25, 0.026), (SECONDS, 0.018))


def _trunk(
    turn: float, chest: float, lean: float, side: float, rise: float, look: float, nod: float
) -> dict[str, float]:
    """`look` is where the eyes are, seen from above: 90 is the pitcher."""
    return {
        "turn": turn,
        "chest_turn": chest,
        "lean": lean,
        "belly_bend": 0.5 * lean,
        "chest_bend": 0.5 * lean,
        "belly_side": side,
        "chest_side": side,
        "rise": rise,
        "head_turn": max(-60.0, min(70.0, look - turn - chest)),
        "nod": nod,
    }


def _arms(right: tuple[float, float, float, float], left: tuple[float, float, float, float]) -> dict[str, float]:
    """About where the arms are, for the solver to start from: flex, out, elbow and palm up of each."""
    names = ("flex", "out", "elbow", "palm_up")
    angles = {"right": dict(zip(names, right, strict=True)), "left": dict(zip(names, left, strict=True))}
    return arm("right", twist=-30.0, **angles["right"]) | arm("left", twist=-35.0, **angles["left"])


BACK = _arms((35, 40, 105, 0), (62, -15, 85, 0))
KEYS = (
    (0.00, _trunk(-4, -6, 9, 0, -8.0, 60, 4) | BACK),
    (0.38, _trunk(-9, -9, 9, 1, -8.5, 58, 4) | BACK),
    (0.72, _trunk(-18, -17, 10, 3, -10.0, 42, 5) | BACK),
    (0.86, _trunk(6, -22, 10, 4, -11.0, 46, 10) | _arms((32, 32, 100, 15), (60, -14, 75, -15))),
    (0.93, _arms((25, 18, 85, 50), (55, -10, 45, -55))),
    (HIT, _trunk(44, 4, 9, 6, -11.0, 46, 16) | _arms((42, 8, 55, 50), (55, 5, 25, -50))),
    (1.06, _arms((52, 0, 35, 5), (58, 8, 25, -10))),
    (1.13, _trunk(58, 20, 6, 5, -10.5, 54, 14) | _arms((65, -18, 35, -40), (52, 12, 45, 35))),
    (1.24, _arms((75, -30, 50, -60), (45, 20, 85, 60))),
    (1.42, _trunk(64, 26, 2, 2, -9.5, 84, 2) | _arms((75, -32, 65, -50), (45, 25, 105, 50))),
    (SECONDS, _trunk(60, 21, 2, 1, -8.5, 90, 0) | _arms((70, -30, 70, -45), (40, 25, 105, 45))),
)
LEFT_FOOT = (
    FootKey(0.0, 0.23, 0.14, yaw=14.0),
    FootKey(0.42, 0.23, 0.14, yaw=14.0),
    FootKey(0.62, 0.29, 0.14, 0.07, 22.0, 8.0, down=False),
    FootKey(0.80, 0.36, 0.15, yaw=36.0),
    FootKey(SECONDS, 0.36, 0.15, yaw=36.0),
)
RIGHT_FOOT = (
    FootKey(0.0, -0.22, 0.12, yaw=-6.0),
    FootKey(0.84, -0.22, 0.12, yaw=-6.0),
    FootKey(1.16, -0.22, 0.12, yaw=48.0, pitch=38.0),
    FootKey(SECONDS, -0.22, 0.12, yaw=46.0, pitch=34.0),
)
LOAD = ((0.0, 0.55), (0.40, 0.95), (0.62, 1.0), (0.76, 0.98), (0.90, 0.6), (1.05, 0.35), (1.5, 0.26), (SECONDS, 0.28))


def swing_mime() -> Clip:
    """A swing at a ball that is not there, hands as on a handle."""
    return perform(
        Script(
            "swing_mime", SECONDS, KEYS, LEFT_FOOT, RIGHT_FOOT, LOAD, seed=31, sway=0.003, loose=0.5, hands=_on_the_bat
        )
    )


def _on_the_bat(skeleton: Skeleton, times: Floats, poses: Floats) -> list[Goal]:
    """Both palms on the handle, the left one at its end, thumbs towards the barrel."""
    chest = skeleton.segment("thorax")
    R, origin = (np.asarray(a)[:, chest] for a in _frames(skeleton, jnp.asarray(poses)))
    middle = np.stack([through([(t, p[k]) for t, p, _ in GRIP], times) for k in range(3)], axis=1)
    along = np.stack([through([(t, d[k]) for t, _, d in GRIP], times) for k in range(3)], axis=1)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    middle, along = origin + np.einsum("nij,nj->ni", R, middle), np.einsum("nij,nj->ni", R, along)
    # each palm on its own side of the handle, or forearm and hand would go through each other when the bat points ahead
    across, up = R[:, :, 0], R[:, :, 1]
    beside = HANDLE * _across(across, along) - through(ROLL, times)[:, None] * _across(up, along)
    goals = []
    for side, sign in (("left", -1.0), ("right", 1.0)):
        hand, palm = skeleton.point(f"{side}_palm")
        wanted = middle + 0.5 * sign * APART * along - sign * beside
        goals.append(Goal(hand, palm, wanted))
        goals.append(Goal(hand, palm + THUMBS, wanted + np.linalg.norm(THUMBS) * along, 0.1))
    return goals


def _across(a: Floats, along: Floats) -> Floats:
    """The part of vectors (N, 3) at right angles to unit vectors `along`."""
    return np.asarray(a - along * np.sum(a * along, axis=1, keepdims=True))


@jax.jit
def _frames(skeleton: Skeleton, poses: jax.Array) -> tuple[jax.Array, jax.Array]:
    frames = jax.vmap(lambda q: forward(skeleton, q))(poses)
    return frames.rotation, frames.position

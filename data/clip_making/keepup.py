"""Keeping a soccer ball up, without the ball: feet, thighs and head take turns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from data.clip_making.perform import Script, perform
from data.clip_making.poses import arm
from hoi_edit.footwork.foot_path import FootKey
from kinematics.clip import Clip

SECONDS = 8.0


@dataclass(frozen=True)
class Touch:
    """A moment [s] at which a site of the body would meet the ball, moving up."""

    t: float
    site: str

    @property
    def side(self) -> str:
        """The leg that is used; none for the head."""
        return self.site.partition("_")[0] if "_" in self.site else ""


# What a scene with a ball needs to know: when which site of the body is there to play it.
TOUCHES = (
    Touch(0.95, "right_instep"),
    Touch(1.72, "right_instep"),
    Touch(2.42, "left_instep"),
    Touch(3.16, "right_thigh"),
    Touch(3.88, "left_thigh"),
    Touch(4.72, "head"),
    Touch(5.52, "right_instep"),
    Touch(6.17, "left_instep"),
    Touch(6.93, "right_instep"),
)


@dataclass(frozen=True)
class Via:
    """A foot on its way: time from the touch [s], height and way forward from where it stood [m], pitch [deg]."""

    t: float
    lift: float
    ahead: float
    pitch: float


KICK = (
    Via(-0.15, 0.035, 0.17, 12.0),
    Via(0.0, 0.21, 0.40, 6.0),
    Via(0.08, 0.31, 0.43, -2.0),
    Via(0.22, 0.17, 0.29, 2.0),
)
KNEE = (
    Via(-0.14, 0.035, 0.10, 24.0),
    Via(0.0, 0.23, 0.245, 32.0),
    Via(0.08, 0.35, 0.255, 30.0),
    Via(0.22, 0.21, 0.17, 26.0),
)
# [s] that a foot is off the ground before and after a touch, and the most of the time to the next touch that this takes
RAISING, LOWERING = (0.30, 0.42), (0.42, 0.55)

STANCE = {"left": FootKey(0.0, 0.105, 0.13, yaw=8.0), "right": FootKey(0.0, -0.105, 0.12, yaw=-9.0)}
HEADER_HEELS = ((-0.36, 0.0), (-0.12, 20.0), (0.13, 22.0), (0.42, 0.0))  # (time from the touch, pitch): up on the toes


def keepup_mime() -> Clip:
    """A person who pretends to keep a soccer ball up; `TOUCHES` says when and with what."""
    rng = np.random.default_rng(5)
    leaps = [airborne(k) for k in range(len(TOUCHES))]
    return perform(
        Script(
            name="keepup_mime",
            seconds=SECONDS,
            keys=_body(rng),
            left_foot=_foot("left", leaps, rng),
            right_foot=_foot("right", leaps, rng),
            load=_load(leaps),
            seed=17,
            sway=0.005,
        )
    )


def airborne(k: int) -> tuple[float, float]:
    """When the foot of a touch leaves the ground and comes back: never before the other one is down again."""
    times = [0.0, *(touch.t for touch in TOUCHES), SECONDS]
    before, t, after = times[k : k + 3]
    return t - min(RAISING[0], RAISING[1] * (t - before)), t + min(LOWERING[0], LOWERING[1] * (after - t))


def _foot(side: str, leaps: Sequence[tuple[float, float]], rng: np.random.Generator) -> list[FootKey]:
    """Down, up to each touch of this side, and down again not quite where it was."""
    here = STANCE[side]
    keys = [here]
    for touch, (start, end) in zip(TOUCHES, leaps, strict=True):
        if touch.site == "head":
            keys += [replace(here, t=touch.t + t, pitch=pitch) for t, pitch in HEADER_HEELS]
        if touch.side == side:
            keys.append(here.at(start))
            inwards = -np.sign(here.x) * rng.uniform(0.01, 0.05)
            height = rng.uniform(0.93, 1.07)
            for via in KICK if touch.site.endswith("instep") else KNEE:
                reach = min(1.0, via.ahead / 0.2)
                keys.append(
                    FootKey(
                        touch.t + via.t,
                        here.x + inwards * reach,
                        here.z + via.ahead,
                        height * via.lift,
                        here.yaw * (1 - reach),
                        via.pitch,
                        down=False,
                    )
                )
            home, stray = STANCE[side], rng.uniform(-0.02, 0.02, 2)
            here = replace(home, x=home.x + stray[0], z=home.z + stray[1], yaw=home.yaw + rng.uniform(-5, 5))
            keys.append(here.at(end))
    return [*keys, here.at(SECONDS)]


def _load(leaps: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """All the weight on the foot that stands while the other plays."""
    load = [(0.0, 0.5)]
    for touch, (start, end) in zip(TOUCHES, leaps, strict=True):
        if touch.site == "head":
            load += [(touch.t - 0.1, 0.5), (touch.t + 0.1, 0.5)]
        else:
            on_right = 0.0 if touch.side == "right" else 1.0
            load += [(start + 0.02, on_right), (end - 0.02, on_right)]
    return [*load, (SECONDS, 0.5)]


READY = (
    {"rise": -4.0, "lean": 3.0, "belly_bend": 3.0, "chest_bend": 3.0, "nod": 10.0}
    | {"roll": 0.0, "belly_side": 0.0, "chest_turn": 0.0}
    | arm("left", flex=8.0, out=24.0, elbow=42.0, palm_up=10.0)
    | arm("right", flex=8.0, out=24.0, elbow=42.0, palm_up=10.0)
)
STRETCHED = {"rise": 1.5, "lean": 1.0, "belly_bend": 2.0, "chest_bend": 3.0, "nod": -8.0}
CROUCHED = {"rise": -16.5, "lean": 12.0, "belly_bend": 4.0, "chest_bend": -1.0, "nod": -28.0}


def _body(rng: np.random.Generator) -> list[tuple[float, dict[str, float]]]:
    """Trunk and arms: a pose at each touch, and in between back to readiness with the eyes on the ball above."""
    keys: list[tuple[float, dict[str, float]]] = [(0.0, READY | {"nod": 16.0})]
    for touch, following in pairwise([*TOUCHES, Touch(SECONDS, "")]):
        keys += _header(touch.t) if touch.site == "head" else [(touch.t, _at_touch(touch, rng))]
        if touch.site != "head" and following.site != "head":
            keys.append((0.45 * touch.t + 0.55 * following.t, READY | {"nod": rng.uniform(0.0, 8.0)}))
    keys[-1] = (keys[-1][0] + 0.25, READY | {"nod": 14.0})
    return keys


def _at_touch(touch: Touch, rng: np.random.Generator) -> dict[str, float]:
    """Leaning away from the leg that plays; the arms as a counterweight, the far one forward."""
    left = 1.0 if touch.side == "left" else -1.0
    far, near = ("right", "left") if touch.side == "left" else ("left", "right")
    high = touch.site.endswith("thigh")
    much = rng.uniform(0.85, 1.15)
    return (
        {"rise": -2.5 if high else -4.0, "lean": -5.0 if high else -4.0, "belly_bend": 8.0 if high else 6.0}
        | {"roll": left * 3.0, "belly_side": -left * 3.0, "chest_turn": left * 7.0 * much}
        | {"chest_bend": 8.0 if high else 7.0, "nod": 20.0 if high else 26.0}
        | arm(far, flex=24.0 * much, out=34.0 * much, elbow=48.0, palm_up=10.0)
        | arm(near, flex=-14.0 * much, out=38.0 * much, elbow=40.0, palm_up=10.0)
    )


def _header(t: float) -> list[tuple[float, dict[str, float]]]:
    """Down into the knees under the ball, and up to meet it with the forehead."""
    low = arm("left", flex=-5.0, out=30.0, elbow=60.0) | arm("right", flex=-5.0, out=30.0, elbow=60.0)
    high = arm("left", flex=20.0, out=34.0, elbow=55.0) | arm("right", flex=20.0, out=34.0, elbow=55.0)
    return [
        (t - 0.50, READY | {"nod": -18.0}),
        (t - 0.12, READY | CROUCHED | low),
        (t + 0.09, READY | STRETCHED | high),
        (t + 0.42, READY | {"nod": 4.0}),
    ]

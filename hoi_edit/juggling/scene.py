"""From a pattern to a scene whose plan of catches is declared, and nearly true already."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.juggling.notation import HANDS, Pattern, parse
from hoi_edit.juggling.paths import Paths, hand_paths, stands
from hoi_edit.juggling.performer import ARMS, juggler, names, off_path
from hoi_edit.juggling.timing import Schedule, schedule
from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Contact, Held, Scene, Thing, ground
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from rigid.body import ball
from rigid.impact import Material

MASS, RADIUS = 0.13, 0.035
BEANBAG = Material(restitution=0.45, friction=0.6)
APART = 2.2  # [m] between two jugglers
REACHED = 0.01  # [m] that a hand may be off its path: the solver makes up for it
KNOTS = 9  # in one cycle of a hand, at least
# [m] across and along the hand: where balls wait in it that are thrown one after the other, by how many there are
PLACES = (
    ((0.0, 0.0),),
    ((0.0, 0.07), (0.0, -0.012)),
    ((0.0, 0.077), (0.039, 0.002), (-0.039, 0.002)),
    ((0.039, 0.077), (-0.039, 0.077), (0.039, -0.003), (-0.039, -0.003)),
)


def scene(
    pattern: str | Pattern,
    jugglers: int | None = None,
    *,
    beat: float | None = None,
    dwell: float | None = None,
    rounds: int | None = None,
    seconds: float | None = None,
    apart: float = APART,
) -> Scene:
    """Jugglers and balls of a pattern, with every catch declared: what `hoi.juggle` solves."""
    own = parse(pattern, jugglers) if isinstance(pattern, str) else pattern
    return draft(schedule(own, beat, dwell, rounds, seconds), apart).scene


@dataclass(frozen=True, eq=False)
class Draft:
    """A scene that is nearly true, and the paths that it was made of."""

    plan: Schedule
    scene: Scene
    paths: Paths
    misses: Floats  # (hands, N) [m] how far hands are from their paths, at the times of the clips
    times: Floats  # (N,) [s]

    def check(self, most: float) -> None:
        """Whether a body can do it, by what it would take at least."""
        self._check_acceleration(most)
        self._check_reach()

    def _check_acceleration(self, most: float) -> None:
        accel = np.linalg.norm(self.paths.at(self.times, 2), axis=2)
        hand, at = np.unravel_index(int(np.argmax(accel)), accel.shape)
        if accel[hand, at] > most:
            raise HoiError(
                f"{self._words()}: the {self._hand(int(hand))} would have to accelerate by {accel[hand, at]:.0f} m/s² "
                f"at {self.times[at]:.2f} s, and {most:.0f} m/s² is the most"
            )

    def _check_reach(self) -> None:
        hand, at = np.unravel_index(int(np.argmax(self.misses)), self.misses.shape)
        if self.misses[hand, at] > REACHED:
            raise HoiError(
                f"{self._words()}: the {self._hand(int(hand))} does not get to where it must be at "
                f"{self.times[at]:.2f} s, by {1e3 * self.misses[hand, at]:.0f} mm; {self._stopped(int(hand), int(at))}"
            )

    def _words(self) -> str:
        return f"pattern {self.plan.pattern.text!r} with a beat of {self.plan.beat:.3g} s"

    def _hand(self, hand: int) -> str:
        who = names(self.plan.pattern.jugglers)[hand // 2]
        return f"{HANDS[hand % 2]} hand of {who}"

    def _stopped(self, hand: int, at: int) -> str:
        """The joint of the arm that is closest to its limit."""
        character = self.scene.characters[hand // 2]
        pose = np.asarray(character.motion.pose(character.motion.parameters(), self.times[at]))
        dofs = [character.skeleton.dof(f"{HANDS[hand % 2]}_{name}") for name in ARMS]
        low, high = np.asarray(character.skeleton.limits)[dofs].T
        room = np.minimum(pose[dofs] - low, high - pose[dofs])
        k = int(np.argmin(room))
        name = character.skeleton.topology.dof_names[dofs[k]]
        return f"{name} is {np.rad2deg(room[k]):.0f}° from its limit then"


def draft(plan: Schedule, apart: float = APART) -> Draft:
    if not 1.0 <= apart <= 6.0:
        raise HoiError(f"jugglers {apart:g} m apart were asked for; they can be 1 to 6 m from each other")
    where = stands(plan.pattern.jugglers, apart)
    lying = _waiting(plan)
    paths = hand_paths(plan, where, [np.array([-across, 0.0, along]) for across, along in lying])
    who = names(plan.pattern.jugglers)
    clips = [juggler(k, stand, paths, RADIUS, plan.end) for k, stand in enumerate(where)]
    spacing = min(0.08, 2.0 * plan.beat / KNOTS)
    scene = Scene(
        characters=[
            Character(name, clip.skeleton, Layer.over(clip, spacing)) for name, clip in zip(who, clips, strict=True)
        ],
        things=_balls(plan, clips[0].skeleton, who, lying),
        fixtures=[ground()],
        contacts=_catches(plan, who),
        end=plan.end,
        name=plan.pattern.text,
    )
    misses = np.concatenate([off_path(clip, k, paths, RADIUS) for k, clip in enumerate(clips)])
    return Draft(plan, scene, paths, misses, clips[0].times)


def _waiting(plan: Schedule) -> list[tuple[float, float]]:
    """Across and along the hand, where each ball lies at the start: first thrown, first at the fingers."""
    found: dict[int, tuple[float, float]] = {}
    first = [course[0] for course in plan.holds]
    for hand in {(own.juggler, own.hand) for own in first}:
        balls = [k for k, own in enumerate(first) if (own.juggler, own.hand) == hand]
        if len(balls) > len(PLACES):
            raise HoiError(
                f"pattern {plan.pattern.text!r} begins with {len(balls)} balls in one hand; a hand holds {len(PLACES)}"
            )
        balls.sort(key=lambda k: np.inf if first[k].release is None else float(first[k].release or 0.0))
        found |= dict(zip(balls, PLACES[len(balls) - 1], strict=True))
    return [found[k] for k in range(len(first))]


def _palm(who: Sequence[str], juggler: int, hand: int) -> str:
    return f"{who[juggler]}/{HANDS[hand]}_palm"


def _balls(plan: Schedule, skeleton: Skeleton, who: Sequence[str], lying: Sequence[tuple[float, float]]) -> list[Thing]:
    found = []
    for k, (course, (across, along)) in enumerate(zip(plan.holds, lying, strict=True)):
        first = course[0]
        site = skeleton.site(f"{HANDS[first.hand]}_palm")
        position = site.position + site.rotation @ np.array([across, along, RADIUS])
        held = Held(_palm(who, first.juggler, first.hand), first.release, position)
        found.append(Thing(f"ball{k + 1}", ball(MASS, RADIUS), held, BEANBAG))
    return found


def _catches(plan: Schedule, who: Sequence[str]) -> list[Contact]:
    rows = [(f"ball{k + 1}", hold) for k, course in enumerate(plan.holds) for hold in course if hold.catch is not None]
    rows.sort(key=lambda row: float(row[1].catch or 0.0))
    return [
        Contact(
            f"catch{k}",
            thing,
            _palm(who, h.juggler, h.hand),
            float(h.catch or 0.0),
            "grasp",
            h.release,
            declared=True,
        )
        for k, (thing, h) in enumerate(rows, start=1)
    ]

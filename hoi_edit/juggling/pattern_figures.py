"""What came of a pattern, in numbers."""

from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.hand_acceleration import RATE, palm_accelerations
from hoi_edit.juggling.timing import Schedule
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Character
from hoi_edit.simulate.trajectory import Event
from kinematics.feet import foot_points


@dataclass(frozen=True)
class Figures:
    """Of a solved pattern."""

    pattern: str
    balls: int
    beat: float  # [s]
    dwell: float  # [beats]
    heights: tuple[tuple[int, float], ...]  # of throws, and how far over the hands they go [m]
    events: int
    catches: int
    missed: int
    collisions: int  # that nobody called for
    acceleration: float  # [m/s²] the most of any palm
    beyond_limits: float  # [rad] the most that any joint is beyond its limits
    foot_slide: float  # [m] the farthest that any point of a foot gets from where it was
    residual: float  # [m] the worst gap, or leap, at a catch

    def __str__(self) -> str:
        high = ", ".join(f"{height}: {metres:.2f} m" for height, metres in self.heights)
        limits = "kept" if self.beyond_limits <= 0.0 else f"exceeded by {np.rad2deg(self.beyond_limits):.1f}°"
        return "\n".join(
            [
                f"{self.pattern}: {self.balls} balls, a beat of {self.beat:.3f} s, {self.dwell:.2g} of it in the hand",
                f"  heights over the hands  {high}",
                f"  events                  {self.events}, {self.catches} of them catches, {self.missed} missed",
                f"  worst residual          {self.residual:.1e} m",
                f"  peak hand acceleration  {self.acceleration:.1f} m/s²",
                f"  joint limits            {limits}",
                f"  foot slide              {1e3 * self.foot_slide:.1f} mm",
                f"  uncalled-for collisions {self.collisions}",
            ]
        )


def uncalled_for(rollout: Rollout) -> list[Event]:
    """What nobody meant to touch."""
    return [event for event in rollout.events if not (event.intended or event.lets_go or event.catches)]


def figures(plan: Schedule, rollout: Rollout) -> Figures:
    scene = rollout.model.scene
    heights = sorted({flight.toss.height for flight in plan.flights})
    return Figures(
        plan.pattern.text,
        plan.pattern.balls,
        plan.beat,
        plan.dwell,
        tuple((height, plan.height(height)) for height in heights),
        len(rollout.events),
        len(rollout.happened),
        len(rollout.missed),
        len(uncalled_for(rollout)),
        max(float(palm_accelerations(rollout, c.name).max()) for c in scene.characters),
        max(_beyond(rollout, c) for c in scene.characters),
        max(_slide(rollout, c) for c in scene.characters),
        _residual(rollout),
    )


def _beyond(rollout: Rollout, character: Character) -> float:
    poses, limits = rollout.poses(character.name), np.asarray(character.skeleton.limits)
    return float(np.maximum(poses - limits[:, 1], limits[:, 0] - poses).max())


def _slide(rollout: Rollout, character: Character) -> float:
    feet = sorted({character.skeleton.names[point.segment] for point in foot_points(character.skeleton)})
    times = np.arange(rollout.model.scene.start, rollout.model.scene.end, 1.0 / RATE)
    places = np.stack([rollout.positions(f"{character.name}/{foot}", times) for foot in feet])
    return float(np.linalg.norm(places - places[:, :1], axis=2).max())


def _residual(rollout: Rollout) -> float:
    """Of surfaces that met, how far apart they were; of balls in hands, how far they leap when they are caught."""
    gaps = [abs(float(event.gap)) for event in rollout.events if event.catches]
    leaps = [float(np.linalg.norm(leap[:3])) for leap in rollout.continuity.values()]
    return max([0.0, *gaps, *leaps])

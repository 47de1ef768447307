"""From a pattern to a scene whose plan of catches is declared, and nearly true already."""

from collections.abc import Sequence

import numpy as np

from hoi_edit.juggling.feasibility import check_acceleration, check_reach, check_room
from hoi_edit.juggling.hand_paths import hand_paths
from hoi_edit.juggling.performer import as_turned, juggler, names, off_path
from hoi_edit.juggling.siteswap import HANDS, Pattern, parse
from hoi_edit.juggling.throws import RADIUS, lying_of, shared_holds, stands, until
from hoi_edit.juggling.timing import Schedule, schedule
from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Contact, Held, Scene, Thing, ground
from kinematics.errors import HoiError
from kinematics.skeleton import Skeleton
from rigid.body import ball
from rigid.impact import Material

MASS = 0.13  # [kg]
BEANBAG = Material(restitution=0.45, friction=0.6)
APART = 2.2  # [m] between two jugglers
KNOTS = 9  # in one cycle of a hand, at least


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
    parsed = parse(pattern, jugglers) if isinstance(pattern, str) else pattern
    return draft(schedule(parsed, beat, dwell, rounds, seconds), apart)


def draft(plan: Schedule, apart: float = APART, most: float = np.inf) -> Scene:
    """The scene of a plan; what a body cannot do, with hands that accelerate by no more than `most` [m/s²], is told."""
    if not 1.0 <= apart <= 6.0:
        raise HoiError(f"jugglers {apart:g} m apart were asked for; they can be 1 to 6 m from each other")
    where, who = stands(plan.pattern.jugglers, apart), names(plan.pattern.jugglers)
    paths = hand_paths(plan, where)
    check_acceleration(plan, paths, most)
    check_room(plan)
    clips = [juggler(k, stand, paths, RADIUS, plan.end) for k, stand in enumerate(where)]
    if shared_holds(plan):  # these lie off the middle of hands, so it matters how hands are turned
        paths = hand_paths(plan, where, as_turned(clips, RADIUS))
        check_acceleration(plan, paths, most)
        clips = [juggler(k, stand, paths, RADIUS, plan.end) for k, stand in enumerate(where)]
    for k, clip in enumerate(clips):
        check_reach(plan, clip, k, off_path(clip, k, paths, RADIUS))
    spacing = min(0.08, 2.0 * plan.beat / KNOTS)
    return Scene(
        characters=[
            Character(name, clip.skeleton, Layer.over(clip, spacing)) for name, clip in zip(who, clips, strict=True)
        ],
        things=_balls(plan, clips[0].skeleton, who),
        fixtures=[ground()],
        contacts=_catches(plan, who),
        end=plan.end,
        name=plan.pattern.text,
    )


def _palm(who: Sequence[str], juggler: int, hand: int) -> str:
    return f"{who[juggler]}/{HANDS[hand]}_palm"


def _balls(plan: Schedule, skeleton: Skeleton, who: Sequence[str]) -> list[Thing]:
    balls, lying = [], lying_of(plan)
    for k, course in enumerate(plan.holds):
        first, (across, along) = course[0], lying[k, 0]
        site = skeleton.site(f"{HANDS[first.hand]}_palm")
        position = site.position + site.rotation @ np.array([across, along, RADIUS])
        held = Held(_palm(who, first.juggler, first.hand), first.release, position)
        balls.append(Thing(f"ball{k + 1}", ball(MASS, RADIUS), held, BEANBAG))
    return balls


def _catches(plan: Schedule, who: Sequence[str]) -> list[Contact]:
    rows = [(f"ball{k + 1}", hold) for k, course in enumerate(plan.holds) for hold in course if hold.catch is not None]
    rows.sort(key=lambda row: (float(row[1].catch or 0.0), -until(row[1])))  # in this order they lie in a hand
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

"""From a pattern to a scene whose plan of catches is declared, and nearly true already."""

from collections.abc import Sequence

import numpy as np

from hoi_edit.juggling.able import check_acceleration, check_hands, check_reach
from hoi_edit.juggling.notation import HANDS, Pattern, parse
from hoi_edit.juggling.paths import hand_paths, stands
from hoi_edit.juggling.performer import juggler, names, off_path
from hoi_edit.juggling.timing import Schedule, schedule
from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Contact, Held, Scene, Thing, ground
from kinematics.errors import HoiError
from kinematics.skeleton import Skeleton
from rigid.body import ball
from rigid.impact import Material

MASS, RADIUS = 0.13, 0.035
BEANBAG = Material(restitution=0.45, friction=0.6)
APART = 2.2  # [m] between two jugglers
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
    return draft(schedule(own, beat, dwell, rounds, seconds), apart)


def draft(plan: Schedule, apart: float = APART, most: float = np.inf) -> Scene:
    """The scene of a plan; what a body cannot do, with hands that accelerate by no more than `most` [m/s²], is told."""
    if not 1.0 <= apart <= 6.0:
        raise HoiError(f"jugglers {apart:g} m apart were asked for; they can be 1 to 6 m from each other")
    check_hands(plan)
    where, who = stands(plan.pattern.jugglers, apart), names(plan.pattern.jugglers)
    lying = _waiting(plan)
    paths = hand_paths(plan, where, [np.array([-across, 0.0, along]) for across, along in lying])
    check_acceleration(plan, paths, most)
    _check_room(plan)
    clips = [juggler(k, stand, paths, RADIUS, plan.end) for k, stand in enumerate(where)]
    for k, clip in enumerate(clips):
        check_reach(plan, clip, k, off_path(clip, k, paths, RADIUS))
    spacing = min(0.08, 2.0 * plan.beat / KNOTS)
    return Scene(
        characters=[
            Character(name, clip.skeleton, Layer.over(clip, spacing)) for name, clip in zip(who, clips, strict=True)
        ],
        things=_balls(plan, clips[0].skeleton, who, lying),
        fixtures=[ground()],
        contacts=_catches(plan, who),
        end=plan.end,
        name=plan.pattern.text,
    )


def _by_hand(plan: Schedule) -> list[list[int]]:
    """Balls that wait in one hand, in the order in which they are thrown."""
    first = [course[0] for course in plan.holds]
    order = sorted(
        range(len(first)), key=lambda k: np.inf if first[k].release is None else float(first[k].release or 0)
    )
    hands = sorted({(own.juggler, own.hand) for own in first})
    return [[k for k in order if (first[k].juggler, first[k].hand) == hand] for hand in hands]


def _waiting(plan: Schedule) -> list[tuple[float, float]]:
    """Across and along the hand, where each ball lies at the start: first thrown, first at the fingers."""
    found = dict.fromkeys(range(len(plan.holds)), (0.0, 0.0))
    for balls in _by_hand(plan):
        if len(balls) <= len(PLACES):
            found |= dict(zip(balls, PLACES[len(balls) - 1], strict=True))
    return [found[k] for k in range(len(found))]


def _check_room(plan: Schedule) -> None:
    many = max(len(balls) for balls in _by_hand(plan))
    if many > len(PLACES):
        raise HoiError(
            f"pattern {plan.pattern.text!r} begins with {many} balls in one hand; a hand holds {len(PLACES)}"
        )


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

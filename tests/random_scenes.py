"""Random scenes of clips with things: one or two people, for seconds or for minutes, and balls, boxes, bags and bats in
hands, in the air and on the ground."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.scenes.building_blocks import performed
from kinematics.clip import Clip
from kinematics.clip_tools import place, repeat
from kinematics.io import read_clip
from kinematics.rotation import Floats, rotation_exp
from tests.clips import swinging_human

MIMES = ("juggling_mime", "kick_mime", "catch_mime", "stand_mime", "box_mime")
LENGTHS = (10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 90.0, 300.0)  # [s], each as often as it stands here
SHAPES = ("ball", "ball", "ball", "box", "bag", "bat")
LIVELY, DULL = hoi.Material(restitution=0.6, friction=0.5), hoi.Material(restitution=0.2, friction=0.7)


def clips(folder: Path | None) -> list[Clip]:
    """What people do: recorded, where there is a folder of recordings, and performed."""
    made = [swinging_human(4.0), *map(performed, MIMES)]
    return [*made, *(read_clip(path) for path in sorted(folder.glob("*.bvh")))] if folder else made


def scene_of(known: Sequence[Clip], rng: np.random.Generator, seconds: float) -> hoi.Scene:
    """Somebody, or two, with one to three things."""
    chosen = [_any(known, rng)]
    people = [hoi.Character.of("ann", _as_long(chosen[0], seconds))]
    start, end = people[0].motion.start, people[0].motion.end
    if rng.random() < 0.4:
        aside, turn = rng.uniform(-2.5, 2.5, 3) * [1.0, 0.0, 1.0], float(rng.uniform(-np.pi, np.pi))
        chosen.append(_any(known, rng))
        people.append(hoi.Character.of("bob", place(_as_long(chosen[1], seconds), aside, turn)))
    end = min(end, start + seconds)
    alone = hoi.open(hoi.Scene(people, [], [hoi.ground()], start=start, end=end))
    things: list[hoi.Thing] = []
    for k in range(int(rng.integers(1, 4))):
        who = people[int(rng.integers(len(people)))]
        taken = {site for thing in things if isinstance(thing.start, hoi.Held) for site in _hands(thing.start)}
        things.append(_thing(k + 1, alone, who, taken, rng))
    name = " and ".join(clip.name for clip in chosen)
    return hoi.Scene(people, things, [hoi.ground()], start=start, end=end, name=name)


def _any(known: Sequence[Clip], rng: np.random.Generator) -> Clip:
    return known[int(rng.integers(len(known)))]


def _as_long(clip: Clip, seconds: float) -> Clip:
    return repeat(clip, int(np.ceil(seconds / clip.duration))) if seconds > clip.duration else clip


def _hands(held: hoi.Held) -> tuple[str, ...]:
    return (held.by,) if isinstance(held.by, str) else held.by


def _thing(
    number: int, seen: hoi.EditSession, who: hoi.Character, taken: set[str], rng: np.random.Generator
) -> hoi.Thing:
    shape = SHAPES[int(rng.integers(len(SHAPES)))]
    body, name = body_of(shape, rng), f"{shape}{number}"
    material = LIVELY if shape == "ball" else DULL
    hands = [f"{who.name}/{side}_palm" for side in ("right", "left")]
    hand = hands[int(rng.random() < 0.5)]
    if rng.random() < 0.5 and shape in ("ball", "bat") and hand not in taken:
        share = float(rng.uniform(0.1, 0.9))
        release = None if rng.random() < 0.4 else seen.scene.start + share * (seen.scene.end - seen.scene.start)
        return hoi.Thing(name, body, _held(shape, hand, who, release), material)
    t = float(rng.uniform(seen.scene.start, min(seen.scene.end, seen.scene.start + 10.0)))
    near, turn = seen.state(hand, t).position, rotation_exp(np.array([0.0, rng.uniform(-np.pi, np.pi), 0.0]))
    x, z = near[[0, 2]] + rng.normal(size=2) * 0.3
    if shape == "ball" and rng.random() < 0.5:  # it comes to where the hand is then, or nearly
        met, lasts = near + 0.1 * rng.normal(size=3), min(t - seen.scene.start, 1.5)
        velocity = np.array([*rng.normal(size=2) * 2.0, 0.0])[[0, 2, 1]] + [0.0, 0.5 * 9.81 * lasts, 0.0]
        begin = met - velocity * lasts + [0.0, 0.5 * 9.81 * lasts**2, 0.0]
        return hoi.Thing(name, body, hoi.Flying(begin, velocity), material)
    low = -float(np.min(np.asarray(body.vertices, float)[:, 1], initial=0.0)) + float(np.asarray(body.radius))
    if shape == "bat":  # it lies along the ground
        turn, low = turn @ rotation_exp(np.array([0.5 * np.pi, 0.0, 0.0])), float(np.asarray(body.radius))
    return hoi.Thing(name, body, hoi.Flying(np.array([x, low, z]), rotation=turn), material)


def body_of(shape: str, rng: np.random.Generator) -> hoi.Body:
    if shape == "ball":
        return hoi.ball(float(rng.uniform(0.05, 1.0)), float(rng.uniform(0.02, 0.12)))
    if shape == "bat":
        return hoi.capsule(0.9, 0.03, float(rng.uniform(0.3, 0.4)))
    halves: Floats = np.array([0.12, 0.15, 0.06]) if shape == "bag" else rng.uniform(0.08, 0.2, 3)
    return hoi.box(float(rng.uniform(0.5, 3.0)), halves)


def _held(shape: str, hand: str, who: hoi.Character, release: float | None) -> hoi.Held:
    """A ball lies on the palm; the hand is round the handle of a bat."""
    if shape == "ball":
        return hoi.Held(hand, release)
    palm = who.skeleton.site(hand.partition("/")[2])
    X, Y, Z = palm.rotation.T
    return hoi.Held(hand, release, palm.position + 0.03 * Z + 0.25 * X, np.column_stack([Z, X, Y]))

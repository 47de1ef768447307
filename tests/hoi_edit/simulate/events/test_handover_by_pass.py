"""A hold goes over into another: nothing leaps, and the derivative goes through it, its time included."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.events.handover import handed_back
from hoi_edit.simulate.packed_states import relative
from hoi_edit.simulate.trajectory import Event
from kinematics.errors import HoiError
from kinematics.rotation import rotation_between, rotation_exp
from rigid.body import Body
from tests.clips import swinging_human

END, PASSED, THROWN = 1.6, 0.6, 1.1


def scene(*passes: hoi.Contact, body: Body | None = None) -> hoi.Scene:
    """Two people who swing, and what the first has in hand: it is passed on however far off the other is."""
    people = [hoi.Character.of(name, swinging_human(END, seed=k)) for k, name in enumerate(("ann", "bob"))]
    thing = hoi.Thing("ball", body or hoi.ball(0.2, 0.05), hoi.Held("ann/right_palm"), hoi.Material(0.5, 0.5))
    return hoi.Scene(people, [thing], [], passes, end=END)


def to_bob(**how: object) -> hoi.Contact:
    fields: dict = {"id": "pass", "object": "ball", "other": "bob/left_palm", "time": PASSED, "kind": "pass"}
    return hoi.Contact(**(fields | {"release": THROWN} | how))


def passes_of(seen: Rollout) -> list[Event]:
    return [event for event in seen.events if event.kind == "pass"]


BODIES = {"ball": hoi.ball(0.2, 0.05), "club": hoi.capsule(mass=0.3, radius=0.02, half_length=0.2)}


@pytest.mark.parametrize("body", BODIES)
def test_place_and_turn_go_on_and_the_new_hand_carries_it(body: str) -> None:
    session = hoi.open(scene(to_bob(), body=BODIES[body]))
    (event,) = passes_of(session.rollout)
    before, after = np.asarray(event.before), np.asarray(event.after)
    assert np.abs(before[:12] - after[:12]).max() < 1e-12
    assert event.time == PASSED and event.other == "bob/left_hand" and not session.rollout.missed
    for t in (PASSED + 0.2, THROWN - 1e-6):
        hand, ball = session.state("bob/left_hand", t), session.state("ball", t)
        place = np.asarray(session.rollout.spans("ball")[1].position)
        assert np.abs(hand.position + hand.rotation @ place - ball.position).max() < 1e-12
    just, then = (session.state("ball", PASSED + wait) for wait in (-1e-9, 1e-9))
    assert np.abs(just.position - then.position).max() < 1e-7  # some m/s for two nanoseconds
    assert np.abs(just.velocity - then.velocity).max() > 1e-3  # nobody has brought these two together yet


def test_its_way_back_is_what_difference_quotients_say() -> None:
    rng = np.random.default_rng(3)

    def motion(size: int) -> np.ndarray:
        packed = rng.normal(size=size)
        packed[3:12] = rotation_exp(rng.normal(size=3)).ravel()
        return packed

    before, new = motion(18), motion(24)

    def varied(packed: np.ndarray, z: np.ndarray, tau: float) -> np.ndarray:
        """By place and turn, and as it moves on."""
        moved, spin = packed.copy(), packed[15:18]
        moved[:3] += z[:3] + tau * packed[12:15]
        moved[3:12] = (rotation_exp(tau * spin) @ rotation_exp(z[3:6]) @ packed[3:12].reshape(3, 3)).ravel()
        return moved

    def outcome(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return relative(varied(new, z[12:24], z[24]), varied(before, z[:12], z[24]))

    def change(z: np.ndarray) -> np.ndarray:
        p, R = outcome(z)
        return np.concatenate([p, rotation_between(R, outcome(np.zeros(25))[1])])

    step = 1e-5
    quotients = [(change(step * e) - change(-step * e)) / (2 * step) for e in np.eye(25)]
    back = np.concatenate(handed_back(before, new, np.eye(6)), axis=1)
    assert np.abs(back - np.stack(quotients, axis=1)).max() < 1e-8


@pytest.mark.parametrize("t", [PASSED + 0.3, THROWN + 0.3])
def test_the_derivative_goes_through_it(t: float) -> None:
    session, step = hoi.open(scene(to_bob())), 1e-5
    _, J = session.linearise("ball", t)
    own = np.zeros(len(session.u))
    own[session.layout["pass.passed"].indices] = 1.0
    rng = np.random.default_rng(1)
    for direction in (own, *rng.normal(size=(4, len(own)))):
        way = direction / np.linalg.norm(direction)
        ends = [session.simulate(session.u + sign * step * way).state("ball", t) for sign in (1, -1)]
        a, b = (np.concatenate([end.position, end.velocity]) for end in ends)
        quotient = (a - b) / (2 * step)
        assert np.abs(J @ way - quotient).max() < 1e-7 * max(1.0, float(np.abs(quotient).max()))
        assert np.abs(quotient).max() > 1e-3
    event = passes_of(session.rollout)[0]
    slip = np.asarray(event.before)[12:15] - np.asarray(event.after)[12:15]
    if t < THROWN:  # later, it has gone so much longer with the first hand
        hand = session.state("bob/left_hand", PASSED), session.state("bob/left_hand", t)
        turned = hand[1].rotation @ hand[0].rotation.T @ slip
        assert np.abs(J[:3] @ own - turned).max() < 1e-9


def test_one_thing_may_go_from_hand_to_hand() -> None:
    back = to_bob(id="back", other="ann/left_palm", time=0.9, release=None)
    session = hoi.open(scene(to_bob(release=None), back))
    assert [event.contact for event in passes_of(session.rollout)] == ["pass", "back"]
    assert [span.kind for span in session.rollout.spans("ball")] == ["held"] * 3
    _, J = session.linearise("ball", 1.3)
    assert np.isfinite(J).all() and np.abs(J[:3, session.layout["pass.passed"].indices]).max() > 1e-3


def test_what_is_not_held_is_not_passed() -> None:
    thrown = scene(to_bob())
    start = hoi.Held("ann/right_palm", release=PASSED - 0.1)
    thing = hoi.Thing("ball", hoi.ball(0.2, 0.05), start, hoi.Material(0.5, 0.5))
    seen = hoi.open(hoi.Scene(thrown.characters, [thing], [], thrown.contacts, end=END)).rollout
    assert "pass" in seen.missed and not passes_of(seen)


def test_a_pass_before_the_catch_happens_at_once_with_a_doubt() -> None:
    session = hoi.open(scene(to_bob(release=None), to_bob(id="back", other="ann/left_palm", time=0.9, release=None)))
    u = session.u.copy()
    u[session.layout["back.passed"].indices] = PASSED - 0.2
    first, second = passes_of(session.simulate(u))
    assert first.doubt is None and second.doubt is not None and second.time == first.time


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"other": "bob"}, "character/site"),
        ({"other": "ball"}, "with itself"),
        ({"release": 0.5}, "before it is passed on"),
        ({"kind": "toss"}, "a grasp, an impact, a pass or a rest"),
        ({"other": ("bob/left_palm", "bob/left_palm")}, "twice"),
    ],
)
def test_what_is_no_pass_is_told(how: dict, why: str) -> None:
    with pytest.raises(HoiError, match=why):
        scene(to_bob(**how))

"""How an edit looks: hands are not jerked, however close the knots are, and the body stays where it stands."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.hand_acceleration import accelerations
from hoi_edit.scenes.juggle3 import juggle3
from hoi_edit.session import EditSession

SPACINGS = (0.2, 0.1, 0.05)  # [s] between knots
NEAR = 0.5  # [s] to both sides, in which an edit is judged
JERKED = 40.0  # [m/s²]
UP_AND_OUT = np.array([0.4, 0.8, 0.2]) / np.linalg.norm([0.4, 0.8, 0.2])
WRISTS = ("juggler/left_hand", "juggler/right_hand")
EDITS = [("juggler/right_hand", 2.0), ("ball1", 1.2), ("ball1", 1.6)]  # a hand, a ball in flight, one in a hand


@pytest.fixture(scope="module")
def spaced() -> Callable[[float], EditSession]:
    """The cascade with its motion as the recording, under a layer with knots so far apart."""
    baked = hoi.open("juggle3").bake("juggler")
    sessions: dict[float, EditSession] = {}

    def session_of(spacing: float) -> EditSession:
        if spacing not in sessions:
            layer = hoi.Layer.over(baked, spacing)
            scene = replace(juggle3(), characters=[hoi.Character("juggler", baked.skeleton, layer)])
            sessions[spacing] = hoi.open(scene)
        while sessions[spacing].undo():
            pass
        return sessions[spacing]

    return session_of


@dataclass(frozen=True)
class Jerk:
    """The largest accelerations of either wrist around an edit [m/s²], as a clip at 60 Hz shows them."""

    change: float  # of the edited motion less the source
    edited: float
    source: float

    @staticmethod
    def of(session: EditSession, t: float) -> "Jerk":
        found = []
        for wrist in WRISTS:
            times, now = accelerations(session.rollout, wrist)
            _, was = accelerations(session.source, wrist)
            near = np.abs(times - t) < NEAR
            found.append([np.linalg.norm(own[near], axis=1).max() for own in (now - was, now, was)])
        return Jerk(*(round(float(peak), 1) for peak in np.max(found, axis=0)))


@pytest.mark.parametrize("spacing", SPACINGS)
@pytest.mark.parametrize(("name", "t"), EDITS)
def test_an_edit_of_40_cm_jerks_no_wrist(
    spaced: Callable[[float], EditSession], name: str, t: float, spacing: float
) -> None:
    session = spaced(spacing)
    assert not session.rollout.missed
    report = session.drag(name, t, session.state(name, t).position + 0.4 * UP_AND_OUT)
    found = Jerk.of(session, t)
    print(f"\n{name} at {t} s by 40 cm, knots each {spacing} s: {found} {report}")
    assert report.converged, report
    assert found.change < JERKED and found.edited < JERKED


@pytest.mark.parametrize("spacing", SPACINGS)
def test_root_and_feet_stay_in_a_hand_edit_of_30_cm(spaced: Callable[[float], EditSession], spacing: float) -> None:
    session = spaced(spacing)
    target = session.state("juggler/right_hand", 2.0).position + 0.3 * UP_AND_OUT
    assert session.drag("juggler/right_hand", 2.0, target).converged
    times = np.linspace(session.scene.start, session.scene.end, 500)
    for name in ("juggler/pelvis", "juggler/left_foot", "juggler/right_foot"):
        moved = session.rollout.positions(name, times) - session.source.positions(name, times)
        far = float(np.linalg.norm(moved, axis=1).max())
        print(f"\n{name}, knots each {spacing} s: {1e3 * far:.2f} mm")
        assert far < 0.02

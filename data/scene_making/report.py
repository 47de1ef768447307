"""What came of a solved scene, in numbers."""

import jax
import jax.numpy as jnp
import numpy as np

from hoi_edit.motions import Motion
from hoi_edit.motions.base import Parameters, poses
from hoi_edit.motions.point_tracks import point_tracks
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Character
from kinematics.rotation import Floats

STEP = 0.005  # [s]


def report(model: Model) -> str:
    """Of the scene as it opens, simulated afresh."""
    rollout = model.simulate(model.start)
    lines = [
        f"{model.scene.name}: n = {model.layout.size}, {len(rollout.events)} events, missed {list(rollout.missed)}"
    ]
    lines += [f"  not intended: {event}" for event in unintended(rollout)]
    lines.append(f"  contacts off their times by up to {1e3 * largest_delay(rollout):.2g} ms")
    lines += [_of_body(character, rollout) for character in model.scene.characters]
    return "\n".join(lines)


def unintended(rollout: Rollout) -> list[str]:
    """Touches that nobody planned, up to the last planned one."""
    last = max((event.time for event in rollout.events if event.intended), default=np.inf)
    touches = [e for e in rollout.events if not e.intended and e.kind != "release" and e.time <= last]
    return [repr(event) for event in touches]


def largest_delay(rollout: Rollout) -> float:
    planned = {contact.id: contact.time for contact in rollout.model.scene.contacts}
    touches = [event for event in rollout.events if event.kind in ("impact", "grasp") and event.contact in planned]
    return max((abs(event.time - planned[str(event.contact)]) for event in touches), default=0.0)


def _of_body(character: Character, rollout: Rollout) -> str:
    own, scene = rollout.controls.motions[character.name], rollout.model.scene
    times = np.arange(scene.start, scene.end, STEP)
    tracks = point_tracks(character.skeleton, character.motion, own, times, ["left_palm", "right_palm"])
    change = angle_change(character.motion, own, times)
    dof = int(np.argmax(change))
    return (
        f"  {character.name}: palms at most {np.linalg.norm(tracks.acceleration, axis=2).max():.0f} m/s² and "
        f"{np.linalg.norm(tracks.velocity, axis=2).max():.1f} m/s; largest change {change[dof]:.2f} rad, of "
        f"{character.skeleton.topology.dof_names[dof]}"
    )


def angle_change(motion: Motion, own: Parameters, times: Floats) -> Floats:
    """(D,) the largest change of each DOF from the performed clip."""
    at, none = jnp.asarray(times), jax.tree_util.tree_map(jnp.zeros_like, own)
    return np.asarray(np.abs(np.asarray(poses(motion, own, at) - poses(motion, none, at))).max(axis=0))

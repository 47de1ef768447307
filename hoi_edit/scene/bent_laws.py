"""Bent physics: laws of contacts that an animator has opened and edits have changed, beside what the scene says."""

from dataclasses import dataclass

import numpy as np

from hoi_edit.scene import Scene
from hoi_edit.scene.controls import Controls, contact_material

NOTHING = 1e-9  # change of a law, or turn of a surface [rad], that is round-off


@dataclass(frozen=True)
class Bent:
    """How an intended impact goes, where that is not what the scene says."""

    contact: str
    restitution: tuple[float, float]  # of the scene, and now
    friction: tuple[float, float]
    turn: float  # [rad] by which its surface faces elsewhere

    @property
    def is_none(self) -> bool:
        return all(abs(now - was) <= NOTHING for was, now in (self.restitution, self.friction, (0.0, self.turn)))

    @property
    def how(self) -> str:
        parts = [
            f"{verb} by {_digits(was, now)}"
            for verb, (was, now) in (("bounces", self.restitution), ("rubs", self.friction))
            if abs(now - was) > NOTHING
        ]
        if self.turn > NOTHING:
            parts.append(f"has its surface turned by {np.rad2deg(self.turn):.2g}°")
        return " and ".join(parts) or "obeys its laws"

    def __str__(self) -> str:
        return f"{self.contact} {self.how}"


def _digits(was: float, now: float) -> str:
    """Two numbers with as many digits as tell them apart."""
    digits = next((k for k in range(2, 10) if f"{was:.{k}f}" != f"{now:.{k}f}"), 10)
    return f"{now:.{digits}f} instead of {was:.{digits}f}"


def bent_laws(scene: Scene, controls: Controls) -> tuple[Bent, ...]:
    """Those that are bent, in the order of the plan."""
    laws = []
    for contact in scene.contacts:
        contact_controls = controls.contacts[contact.id]
        if contact_controls.restitution is not None:
            e, mu = contact_material(scene, contact)
            turn = float(np.linalg.norm(contact_controls.normal))
            laws.append(
                Bent(contact.id, (e, float(contact_controls.restitution)), (mu, float(contact_controls.friction)), turn)
            )
    return tuple(bent for bent in laws if not bent.is_none)

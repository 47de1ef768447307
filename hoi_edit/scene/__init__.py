"""What there is and what is meant to happen: frozen descriptions, whether they make sense, and the controls `u`.

In come bodies, motions, things and intended contacts; out come a checked `Scene` and the control vector that an edit
changes.
"""

from hoi_edit.scene.scene import (
    PLANE,
    Character,
    Contact,
    Fixture,
    Flying,
    Held,
    Scene,
    Thing,
    ground,
    in_words,
    is_level,
    named,
)

__all__ = [
    "PLANE",
    "Character",
    "Contact",
    "Fixture",
    "Flying",
    "Held",
    "Scene",
    "Thing",
    "ground",
    "in_words",
    "is_level",
    "named",
]

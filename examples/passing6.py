"""Two jugglers with six balls, from two mimes: `python examples/passing6.py [FOLDER]` leaves documents and pictures.

The same mime stands there twice, face to face. The plan has 46 catches, and all come about at once; then a pass is
dragged higher, and both follow.
"""

import sys
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.report import Report

LIKE_THE_MIME = ("abdomen", "thorax", "left_upper_arm", "right_upper_arm")
DEARER = 4.0  # than by their inertia: what forearms and hands can do is left to them
PASS, HIGHER = ("ball1", 2.1), np.array([0.0, 0.25, 0.0])  # a pass on its way, [s]; [m]


def juggle(session: hoi.EditSession) -> Report:
    """All catches of both at once."""
    for person in ("ann", "bob"):
        session.lock(f"{person}/pelvis")
    session.free(scales={f"{person}/{part}": DEARER for person in ("ann", "bob") for part in LIKE_THE_MIME})
    return session.solve()


def pass_higher(session: hoi.EditSession) -> Report:
    name, t = PASS
    return session.drag(name, t, session.state(name, t).position + HIGHER)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    session = hoi.open("passing6:start")
    session.export(folder / "passing6-start.png", start=1.6, end=3.2)
    print(juggle(session))
    session.save(folder / "passing6.hoi")
    session.export(folder / "passing6.png", start=1.6, end=3.2)
    print(pass_higher(session))
    print(session.compare().largest(3))
    session.save(folder / "passing6-higher.hoi")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))

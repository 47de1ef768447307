"""Solves the scenes in `data/scenes`: run `python data/make_scenes.py [NAME ...]` to solve them again.

Each starts from clips that were performed without any thing, and a plan; what is stored is the plan and the control
points that make it come true.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from data.scene_making import box, cascade, keepup, pitch, save
from data.scene_making.report import report
from hoi_edit import scenes
from hoi_edit.compiling.runtime import keep_compiled_functions
from hoi_edit.rollout import Model

FOLDER = Path(__file__).parent / "scenes"
MAKERS: dict[str, Callable[[], Mapping[str, Any]]] = {
    "juggle3": cascade.juggle3,
    "passing6": cascade.passing6,
    "soccer": keepup.soccer,
    "baseball": pitch.baseball,
    "box": box.box,
    "save": save.save,
}


def main(names: list[str]) -> None:
    keep_compiled_functions()
    FOLDER.mkdir(exist_ok=True)
    for name in names or list(MAKERS):
        arrays = MAKERS[name]()
        path = FOLDER / f"{name}.npz"
        np.savez_compressed(path, **arrays)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")
        print(report(Model.of(scenes.build(name))))


if __name__ == "__main__":
    main(sys.argv[1:])

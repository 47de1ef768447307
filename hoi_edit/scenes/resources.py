"""Where the clips and scenes that ship with the program lie."""

import os
from pathlib import Path

from kinematics.errors import HoiError, unknown


def data_folder() -> Path:
    """`hoi_edit/data` in an installation, `data` beside the packages in a checkout."""
    here = Path(__file__).resolve().parents[1]
    for folder in (here / "data", here.parent / "data"):
        if (folder / "clips").is_dir():
            return folder
    raise HoiError("the program's own clips are missing from its installation; install it again")


def built_in_clips() -> dict[str, Path]:
    """Files of the built-in clips by name."""
    return {path.stem: path for path in sorted((data_folder() / "clips").glob("*.bvh"))}


def clip_path(name: str) -> Path:
    """The file of a built-in clip, or the path itself if it names a file."""
    clips = built_in_clips()
    if name in clips:
        return clips[name]
    if Path(name).suffix or Path(name).exists() or os.sep in name:
        return Path(name)
    raise unknown("built-in clip", name, clips)


def solved_scene_path(name: str) -> Path:
    """The file with the numbers of a built-in scene that were solved for."""
    return data_folder() / "scenes" / f"{name}.npz"

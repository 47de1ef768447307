"""Makes the clips in `data/clips`: run `python data/make_clips.py` to make them again, digit for digit.

They are mimes, as of an untrained person pretending: imprecise in timing and height, shifting weight from foot to foot,
with nothing in the hands. Joint angles are drawn as curves; the feet are then planted by the program's own tool.
Names after the command make only those: `python data/make_clips.py stand_mime`.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from data.clip_making.box import box_mime
from data.clip_making.catch import catch_forward_mime, catch_mime
from data.clip_making.juggling import juggling_mime
from data.clip_making.keepup import keepup_mime
from data.clip_making.kick import kick_mime
from data.clip_making.pitch import pitch_low_mime, pitch_mime
from data.clip_making.stand import stand_mime
from data.clip_making.swing import swing_mime
from kinematics.clip import Clip
from kinematics.io import write_bvh

FOLDER = Path(__file__).parent / "clips"
MAKERS: tuple[Callable[[], Clip], ...] = (
    juggling_mime,
    keepup_mime,
    kick_mime,
    pitch_mime,
    pitch_low_mime,
    swing_mime,
    catch_mime,
    catch_forward_mime,
    box_mime,
    stand_mime,
)


def main(names: Sequence[str] = ()) -> None:
    FOLDER.mkdir(exist_ok=True)
    for make in MAKERS:
        if not names or make.__name__ in names:
            clip = make()
            path = FOLDER / f"{clip.name}.bvh"
            write_bvh(clip, path, own_channels=True)
            print(f"{path.name}: {clip.n_frames} rows, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])

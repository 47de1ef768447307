"""Pictures of recipes that are made with the mouse, from clips of our own, taken from the real window.

python docs/make_recipe_pictures.py [toss] [pass] [kick] [bag] [bat]    into docs/pictures; needs xdotool, ImageMagick
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from docs.editor_window import editor_window
from docs.make_screenshots import save
from hoi_edit.scenes.resources import clip_path
from tests.ui import recipes, screen
from tests.ui.screen import Hand, pixels


def begin(hand: Hand, folder: Path, **clips: str) -> None:
    """Clips by the names of who is in them; the first one is opened."""
    for who, clip in clips.items():
        shutil.copyfile(clip_path(clip), folder / f"{who}.bvh")
    first, editor = next(iter(clips)), hand.app.editor
    editor.open(str(folder / f"{first}.bvh"))
    hand.until(lambda: editor.shown.title == first, "the clip is open")
    hand.settle()


def take(hand: Hand, name: str) -> None:
    hand.steps(4)
    save(f"recipe_{name}", pixels())


def look_from(hand: Hand, azimuth: float, distance: float) -> None:
    """At everybody, from a height at which people look."""
    editor = hand.app.editor
    camera = editor.camera
    editor.camera = type(camera)(camera.target, camera.distance, azimuth, 0.16)
    hand.app.act("frame_all")
    editor.camera = editor.camera.dolly(distance)
    hand.settle()


def leave(hand: Hand) -> None:
    hand.move(5, screen.HEIGHT - 5)
    hand.app.editor.selected = None
    hand.settle()


def toss(hand: Hand, folder: Path) -> None:
    begin(hand, folder, ann="juggling_mime")
    recipes.give_ball(hand, "ann", "right")
    recipes.throw(hand, "ann", "right", 1.6, "ann's left hand", lambda _: take(hand, "toss_menu"))
    recipes.go_to(hand, 1.85)
    leave(hand)
    take(hand, "toss")


def passing(hand: Hand, folder: Path) -> None:
    begin(hand, folder, ann="pitch_low_mime", bob="catch_mime")
    recipes.bring(hand, folder, "bob")
    recipes.place(hand, (0.0, 3.0), 2)
    look_from(hand, 0.9, 1.2)
    take(hand, "place")
    recipes.give_ball(hand, "ann", "right")
    recipes.throw(hand, "ann", "right", 1.45, "bob's right hand")
    recipes.go_to(hand, 1.8)
    leave(hand)
    take(hand, "pass")


def kicking(hand: Hand, folder: Path) -> None:
    begin(hand, folder, kicker="kick_mime")
    recipes.go_to(hand, 1.22)
    look_from(hand, -1.3, 2.2)
    recipes.kick(hand, "kicker", "right", 1.22, lambda step: take(hand, "mean") if step == "mean" else None)
    recipes.pull_ball(hand, 1.34, (30.0, -50.0))
    leave(hand)
    take(hand, "kick")


def bagging(hand: Hand, folder: Path) -> None:
    begin(hand, folder, porter="box_mime")
    low = lowest(hand, "porter")
    look_from(hand, 0.7, 1.1)
    recipes.sling_bag(hand, "porter", low, low + 2.8, lambda _: take(hand, "bag_menu"))
    recipes.go_to(hand, low + 2.95)
    leave(hand)
    take(hand, "bag")


def lowest(hand: Hand, who: str) -> float:
    """When the right hand is lowest, in the first half of a clip."""
    playback, rollout = hand.app.editor.playback, hand.app.editor.rollout
    times = np.linspace(playback.start, 0.5 * (playback.start + playback.end), 200)
    return round(float(times[np.argmin(rollout.positions(f"{who}/right_palm", times)[:, 1])]), 2)


def batting(hand: Hand, folder: Path) -> None:
    begin(hand, folder, batter="swing_mime")
    look_from(hand, 0.9, 1.1)
    steps = {"menu": "bat_menu", "mean": "bat_mean"}
    recipes.bat_a_ball(hand, "batter", 0.4, 1.0, lambda step: take(hand, steps[step]))
    recipes.go_to(hand, 1.1)
    leave(hand)
    take(hand, "bat")


RECIPES = {"toss": toss, "pass": passing, "kick": kicking, "bag": bagging, "bat": batting}


def main(only: list[str]) -> None:
    with editor_window(1200, 800, 1.0) as hand, tempfile.TemporaryDirectory() as folder:
        for name, make in RECIPES.items():
            if not only or name in only:
                make(hand, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])

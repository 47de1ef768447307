"""A drag of 300 mouse moves in the real window, on a virtual screen: frames, solves, pictures, the longest wait, and
what was compiled meanwhile.

python -m bench.window
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.machine import cpu_model
from tests.compilations import compilations
from tests.ui import screen
from tests.ui.screen import Hand, virtual_screen

MOVES, RATE = 300, 60.0  # [Hz]
THING, MOMENT = "ball1", 1.05  # [s]
os.environ["HOI_EDIT_COMPILE"] = "now"  # what is timed is machine code

# The mouse is another program's, as it is for a user: round a circle of 60 pixels, twice.
MOUSE = """
import math, subprocess, sys, time
x, y, moves, rate = (float(word) for word in sys.argv[1:])
feed = subprocess.Popen(["xdotool", "-"], stdin=subprocess.PIPE, text=True)
began = time.perf_counter()
for k in range(int(moves)):
    angle = 4 * math.pi * k / moves
    feed.stdin.write(f"mousemove {round(x + 60 * math.sin(angle))} {round(y + 60 * (1 - math.cos(angle)))}\\n")
    feed.stdin.flush()
    time.sleep(max(0.0, began + (k + 1) / rate - time.perf_counter()))
feed.stdin.close()
feed.wait()
"""


@dataclass(frozen=True)
class Measured:
    took: float  # [s]
    gaps: list[float]  # [s] from frame to frame
    solves: list[float]  # [s] that each took
    pictures: int
    compiled: list[str]


def timed(function: Callable[..., Any], into: list[float]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        began = time.perf_counter()
        try:
            return function(*arguments, **options)
        finally:
            into.append(time.perf_counter() - began)

    return call


def drag(app: Any, at: tuple[float, float]) -> Measured:
    """While another program moves the mouse: what `App.run` does, watched."""
    editor, first = app.editor, app.editor.viewport.frame.number
    gaps: list[float] = []
    solves: list[float] = []
    editor.worker._move = timed(editor.worker._move, solves)
    with compilations() as compiled:
        mouse = subprocess.Popen([sys.executable, "-c", MOUSE, *map(str, (*at, MOVES, RATE))])
        start = last = time.perf_counter()
        while mouse.poll() is None:
            began = time.monotonic()
            app.step()
            app.rest(began)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now
    return Measured(last - start, gaps, solves, editor.viewport.frame.number - first, compiled)


def main() -> None:
    with virtual_screen(), tempfile.TemporaryDirectory() as folder:
        os.environ["HOI_EDIT_CONFIG"] = folder
        from ui.app import App

        app = App("juggle3", screen.WIDTH, screen.HEIGHT)
        hand, editor = Hand(app), app.editor
        hand.until(lambda: editor.shown is not None, "the scene is open")
        hand.settle()
        editor.playback = editor.playback.at(MOMENT)
        hand.settle()
        at = hand.where(THING, MOMENT)
        hand.drag(at, (6.0, 0.0))  # the first drag, after which nothing is to be compiled
        hand.settle()
        at = hand.where(THING, MOMENT)
        load = os.getloadavg()[0]
        hand.move(*at)
        hand.press()
        hand.move(at[0] + 6, at[1])
        hand.until(lambda: editor.worker.live is not None, "the first move is solved")
        measured = drag(app, at)
        hand.release()
        hand.settle()
        print(f"{cpu_model()}, {os.cpu_count()} cores, load {load:.1f} before; drawn by {editor.viewport.driver}; "
              f"window {screen.WIDTH} x {screen.HEIGHT}")  # fmt: skip
        frames, solves, pictures = (
            n / measured.took for n in (len(measured.gaps), len(measured.solves), measured.pictures)
        )
        print(f"{MOVES} mouse moves in {measured.took:.1f} s: {frames:.1f} frames/s, {solves:.1f} solves/s, "
              f"{pictures:.1f} pictures/s")  # fmt: skip
        print(f"from frame to frame {_said(measured.gaps)}; a solve {_said(measured.solves)}")
        print(f"compiled meanwhile: {', '.join(measured.compiled) or 'nothing'}. {editor.messages[-1].text}")
        app.close()


def _said(times: list[float]) -> str:
    middle, most, longest = (1e3 * float(np.percentile(times, share)) for share in (50, 95, 100))
    return f"{middle:.0f} ms (p95 {most:.0f}, longest {longest:.0f})"


if __name__ == "__main__":
    main()

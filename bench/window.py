"""A drag of 300 mouse moves in the real window, on a virtual screen: frames, solves, pictures, and the longest wait.

python -m bench.window
"""

import os
import platform
import subprocess
import tempfile
import threading
import time

import numpy as np

from tests.ui import screen
from tests.ui.screen import Hand, virtual_screen

MOVES, RATE = 300, 60.0  # [Hz]


def circle(at: tuple[float, float]) -> None:
    """The mouse, as another program moves it: round a circle of 60 pixels, twice."""
    feed = subprocess.Popen(["xdotool", "-"], stdin=subprocess.PIPE, text=True)
    assert feed.stdin is not None
    for k in range(MOVES):
        angle = 4 * np.pi * k / MOVES
        x, y = at[0] + 60 * np.sin(angle), at[1] + 60 * (1 - np.cos(angle))
        feed.stdin.write(f"mousemove {round(x)} {round(y)}\n")
        feed.stdin.flush()
        time.sleep(1.0 / RATE)
    feed.stdin.close()
    feed.wait()


def main() -> None:
    with virtual_screen(), tempfile.TemporaryDirectory() as folder:
        os.environ["HOI_EDIT_CONFIG"] = folder
        import dearpygui.dearpygui as dpg

        from ui.app import App

        app = App("juggle3", screen.WIDTH, screen.HEIGHT)
        hand, editor = Hand(app), app.editor
        hand.until(lambda: editor.shown is not None, "the scene is open")
        hand.settle()
        editor.playback = editor.playback.at(1.05)
        hand.settle()
        assert editor.rollout is not None
        x, y, _ = editor.camera.project(editor.rollout.state("ball1", 1.05).position, *app.viewport.size)
        left, top = dpg.get_item_rect_min(app.viewport.drawlist)
        at = (float(x + left), float(y + top))
        hand.move(*at)
        hand.press()
        hand.move(at[0] + 6, at[1])
        hand.until(lambda: editor.worker.live is not None, "the first move is solved")
        mouse = threading.Thread(target=circle, args=(at,))
        frame = editor.viewport.frame
        solves, pictures, gaps = editor.worker.solves, 0 if frame is None else frame.number, []
        mouse.start()
        began = last = time.perf_counter()
        busy = time.process_time()
        while mouse.is_alive():
            app.step()
            now = time.perf_counter()
            gaps.append(now - last)
            last = now
            app.rest(app._last)
        took, busy = time.perf_counter() - began, time.process_time() - busy
        frame = editor.viewport.frame
        drawn = (0 if frame is None else frame.number) - pictures
        solved = editor.worker.solves - solves
        hand.release()
        hand.settle()
        print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {editor.viewport.driver}")
        print(f"{MOVES} mouse moves in {took:.1f} s: {len(gaps) / took:.0f} frames/s, {solved / took:.0f} solves/s, "
              f"{drawn / took:.0f} pictures/s; a frame took {1e3 * np.median(gaps):.0f} ms (p95 "
              f"{1e3 * np.percentile(gaps, 95):.0f}, longest {1e3 * max(gaps):.0f})")  # fmt: skip
        print(f"{1e3 * busy / max(solved, 1):.0f} ms of all processors for each solve")
        print(editor.messages[-1].text)
        app.close()


if __name__ == "__main__":
    main()

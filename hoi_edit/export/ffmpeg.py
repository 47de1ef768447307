"""Films through ffmpeg, the system's own or the one that the extra `video` brings."""

import importlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from kinematics.errors import HoiError

PATIENCE = 300.0  # [s] for one call


def program(path: Path) -> str:
    """Where ffmpeg is."""
    installed = shutil.which("ffmpeg")
    if installed is not None:
        return installed
    try:
        return str(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise HoiError(
            f"{path}: films as .mp4 need ffmpeg, which is not there; install it, or imageio-ffmpeg where hoi-edit is "
            "installed (.venv/bin/pip install imageio-ffmpeg in a clone), or write a .gif"
        ) from None


def encoded(ffmpeg: str, frames: Iterable[np.ndarray], size: tuple[int, int], rate: float, path: Path) -> bytes:
    """The bytes of an .mp4 of frames (height, width, 3). Nothing is left behind if whoever makes the frames stops."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "film.mp4"
        command = [
            ffmpeg, "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}",
            "-r", f"{rate:.12g}", "-i", "-", "-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20",
            "-movflags", "+faststart", str(target),
        ]  # fmt: skip
        with (Path(folder) / "said.txt").open("w+") as said:
            running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said)
            assert running.stdin is not None
            try:
                for frame in frames:
                    running.stdin.write(np.ascontiguousarray(frame).tobytes())
                running.stdin.close()
                status = running.wait(PATIENCE)
            except BrokenPipeError:
                status = running.wait(PATIENCE) or 1
            except BaseException:
                running.kill()
                running.wait()
                raise
            if status != 0 or not target.exists():
                said.seek(0)
                why = " ".join(said.read().split())[-200:]
                raise HoiError(f"{path}: ffmpeg could not make the film: {why or f'it ended with status {status}'}")
        return target.read_bytes()


def frames_in(ffmpeg: str, film: Path, size: tuple[int, int]) -> int:
    """How many frames of a size a film has, all of them decoded; 0 where they are of another size."""
    command = [ffmpeg, "-v", "error", "-i", str(film), "-f", "rawvideo", "-pix_fmt", "gray", "-"]
    decoded = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
    count, rest = divmod(len(decoded.stdout), size[0] * size[1])
    return count if decoded.returncode == 0 and rest == 0 else 0

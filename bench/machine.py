"""On what machine the times were taken; without it a time means nothing."""

import os
import platform
import subprocess
from pathlib import Path

import jax


def cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    if platform.system() == "Darwin":
        question = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(question, capture_output=True, text=True, check=False).stdout.strip()
    return platform.machine()


def machine() -> dict[str, str | int]:
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count() or 0,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "jax": jax.__version__,
    }

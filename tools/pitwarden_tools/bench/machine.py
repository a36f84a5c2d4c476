"""Description of the measuring machine, and its other load."""

import os
import platform
from pathlib import Path


def machine() -> str:
    """Return processor, cores, system and load."""
    model = "unknown processor"
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = (
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        )
        model = next(names, model)
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    return f"{model}, {os.cpu_count()} cores, {system}, load {load}"

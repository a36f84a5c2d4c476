"""What a process has used so far, as Linux counts it."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Used:
    """Processor seconds, and resident memory in kB."""

    cpu_s: float
    rss_kb: int


def used(pid: int) -> Used:
    """Of process `pid`; OSError when it is gone."""
    process = Path(f"/proc/{pid}")
    words = (process / "stat").read_text().rpartition(")")[2].split()
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return Used((int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK"), int(status["VmRSS"].split()[0]))

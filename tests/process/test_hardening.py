"""A crash of this process leaves no core file: it would hold hidden cards and keys."""

import subprocess
import sys
from pathlib import Path

CRASH = "import os; from pitwarden.system.process import disable_core_dumps; {}; os.chdir({!r}); os.abort()"
READ = "from pitwarden.system.process import disable_core_dumps as f; f(); print(open('/proc/self/limits').read())"


def test_the_limit_is_zero() -> None:
    said = subprocess.run([sys.executable, "-c", READ], capture_output=True, text=True, check=True).stdout
    [line] = [line for line in said.splitlines() if line.startswith("Max core file size")]
    assert line.split()[4:6] == ["0", "0"]


def test_the_process_is_not_dumpable() -> None:
    code = (
        "import ctypes; from pitwarden.system.process import disable_core_dumps; disable_core_dumps();"
        "print(ctypes.CDLL(None).prctl(3))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "0"  # PR_GET_DUMPABLE


def test_an_abort_leaves_no_core(tmp_path: Path) -> None:
    code = CRASH.format("disable_core_dumps()", str(tmp_path))
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert result.returncode == -6
    assert list(tmp_path.iterdir()) == []

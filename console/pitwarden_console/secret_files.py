"""Files with secrets, such as a key: read only where other accounts of this machine cannot read or change them."""

import stat
from pathlib import Path
from typing import Final

from pitwarden_console.errors import ConsoleSettingsError

_OPEN_TO_OTHERS: Final = stat.S_IROTH | stat.S_IWOTH


def refuse_open_to_others(path: Path) -> None:
    """Refuse a file that every account of this machine can read or change.

    Raises:
        ConsoleSettingsError: They can; the sentence has the remedy.
        OSError: There is no such file.
    """
    if path.stat().st_mode & _OPEN_TO_OTHERS:
        raise ConsoleSettingsError(f"{path}: holds secrets and can be read by others: chmod 0640 {path}")

"""Source folder of a new driver: a small protocol that runs, with its simulated device, test, capture and page."""

import keyword
import re
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{1,30}")
_TEMPLATES: Final = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    "{name}/__init__.py": "init.py.txt",
    "{name}/wire.py": "wire.py.txt",
    "{name}/meaning.py": "meaning.py.txt",
    "{name}/session.py": "session.py.txt",
    "{name}/device.py": "device.py.txt",
    "tests/test_{name}.py": "test.py.txt",
    "captures/first.capture": "first.capture.txt",
    "captures/first.capture.events": "first.capture.events.txt",
}
"""Template of each file of a driver."""


class DriverSourceError(ValueError):
    """The folder cannot be made. Policy: print the reason and end with 78. Example: the name is that of a library."""


def write_driver_source(name: str, folder: Path) -> list[Path]:
    """Write the files of the driver `name` into `folder`, which must not exist, and return them.

    Raises:
        DriverSourceError: The name is not usable, or the folder exists.
        OSError: A file cannot be written.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise DriverSourceError(
            f"{name}: write a name of small letters, digits and _ that begins with a letter, as acme_shoe"
        )
    if name in sys.stdlib_module_names or find_spec(name) is not None:
        raise DriverSourceError(f"{name}: is the name of an installed Python module. Choose another name")
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise DriverSourceError(f"{folder}: exists already. Name another folder with --folder") from None
    made = []
    for place, template in _TEMPLATES.items():
        file = folder / place.format(name=name)
        file.parent.mkdir(exist_ok=True)
        file.write_text(_filled(template, name), encoding="utf-8")
        made.append(file)
    return made


def _filled(template: str, name: str) -> str:
    text = files("pitwarden.installation").joinpath("data", "driver", template).read_text(encoding="utf-8")
    camel = "".join(part.capitalize() for part in name.split("_"))
    return text.replace("@NAME@", name).replace("@CLASS@", camel)

"""How every command reads a table file: the same checks, the same sentences, exit code 78."""

import os
import sys
from pathlib import Path

from pitwarden.config.load import Refusals, load
from pitwarden.config.models import TableFile
from pitwarden.config.problems import ConfigRefused
from pitwarden_drivers import registry
from pitwarden_drivers.ports.paths import check_path

EX_CONFIG = os.EX_CONFIG


def refusals() -> Refusals:
    """The checks that the drivers bring."""
    return Refusals(
        port=lambda path, simulated: check_path(path, simulated=simulated),
        driver=registry.find,
    )


def read(file: Path) -> TableFile | None:
    """The table file, or None after its problems were said on standard error."""
    try:
        return load(file, refusals(), os.environ)
    except ConfigRefused as error:
        print(error, file=sys.stderr)  # noqa: T201  a command talks to a person
        return None

"""The page of the TDP specification. Its home is the file next to the driver, which vendors receive with the code."""

from pathlib import Path

import pitwarden_drivers.tdp


def tdp() -> str:
    """Return the text of the specification."""
    return Path(pitwarden_drivers.tdp.__file__).with_name("SPEC.md").read_text(encoding="utf-8")

"""Version of pitwarden, read once: an upgrade replaces the package's metadata while the service runs."""

from importlib.metadata import version
from typing import Final

VERSION: Final = version("pitwarden")
"""Version of the code that this process runs."""

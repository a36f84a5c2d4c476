"""The page of the Python interfaces: the client for consumers and the interface of drivers, by autodoc."""

import pitwarden_client
import pitwarden_drivers.api
from _generate.markdown import page


def python_api() -> str:
    """Return the page of the Python interfaces."""
    client, drivers = pitwarden_client, pitwarden_drivers.api
    return page(
        "Python interfaces",
        "Two packages are meant to be imported by other software. Everything else is internal.",
        "## Client",
        *(_object(f"{client.__name__}.{name}", getattr(client, name)) for name in sorted(client.__all__)),
        "## Drivers",
        f"```{{eval-rst}}\n.. automodule:: {drivers.__name__}\n   :members:\n   :undoc-members:\n```",
    )


def _object(path: str, of: object) -> str:
    """Return the directive that documents one exported name with its public members."""
    if isinstance(of, type):
        members = "\n   :members:" + ("\n   :show-inheritance:" if issubclass(of, Exception) else "")
        return f"```{{eval-rst}}\n.. autoclass:: {path}{members}\n```"
    kind = "function" if callable(of) and hasattr(of, "__code__") else "data"
    return f"```{{eval-rst}}\n.. auto{kind}:: {path}\n```"

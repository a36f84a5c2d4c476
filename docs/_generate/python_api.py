"""The page of the Python interfaces: the client for consumers and the interface of drivers, by autodoc."""

from pkgutil import iter_modules

import pitwarden_client
import pitwarden_client.events
import pitwarden_drivers.api
from _generate.markdown import code, page


def python_api() -> str:
    """Return the page of the Python interfaces."""
    client, models, drivers = pitwarden_client, pitwarden_client.events, pitwarden_drivers.api
    return page(
        "Python interfaces",
        "Two packages are meant to be imported by other software. Everything else is internal.",
        "## Client",
        *(_object(f"{client.__name__}.{name}", getattr(client, name)) for name in sorted(client.__all__)),
        "### Message models",
        f"All message models of the contract are in `{models.__name__}`, in these modules: "
        f"{', '.join(code(module.name) for module in iter_modules(models.__path__))}. "
        "[Events and outputs](events.md), [acts](acts.md) and [the contract](asyncapi.md) describe them.",
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

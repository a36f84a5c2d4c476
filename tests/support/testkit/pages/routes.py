"""Addresses of the console, as the application itself lists them."""

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.routing import Route
from starlette.types import ASGIApp

from testkit.pages.people import People

if TYPE_CHECKING:
    from starlette.applications import Starlette


def routes(app: ASGIApp) -> list[tuple[str, str]]:
    """Return method and address of each route of the application.

    Raises:
        LookupError: It has none, so that no test passes because it asked nothing.
    """
    inner: Starlette = vars(app)["_app"]
    found = [(method, one.path) for one in inner.routes if isinstance(one, Route) for method in one.methods or ()]
    listed = sorted((method, path) for method, path in found if method != "HEAD")
    if {method for method, _ in listed} != {"GET", "POST"}:
        raise LookupError("the application has no routes")
    return listed


def filled(people: People, path: str) -> str:
    """Return the address with the table, the incident and the pit of `people` in its places."""
    values = {"site": "silent", "name": "tab-shielded", "ref": people.ref, "pit": "Pit A", "number:int": "1"}
    return re.sub(r"\{([^}]+)\}", lambda found: quote(values[found[1]]), path)

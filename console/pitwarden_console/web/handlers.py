"""Shapes of what handlers of addresses are given and are."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response

from pitwarden_console.ingest.feed import TableKey

PageMaker = Callable[..., Response]
"""Maker of a page, from the name of its template, the request, its values and the status."""
Handler = Callable[[Request], Awaitable[Response]]
"""Handler of an address."""
HandledAddress = tuple[str, Handler, tuple[str, ...]]
"""Address, its handler, and the methods that it answers."""


class TableFinder(Protocol):
    """Finder of a table in the console file."""

    def __call__(self, request: Request) -> TableKey:
        """Return the key of the table in a request's address; HTTPException for another one."""
        ...

"""UTC on demand: a choice of the browser, kept in a cookie until it is closed.

Every page holds both times, and the choice decides whether the second one is seen: parts of a page are rendered once
for all who read them.
"""

from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pitwarden_console.web.handlers import HandledAddress
from pitwarden_console.web.session_guard import SessionGuard, local_path

COOKIE: Final = "__Host-utc"
_SHOWN: Final = "shown"


class UtcChoice:
    """The choice, and the address at which it is made."""

    def __init__(self, guard: SessionGuard) -> None:
        self._guard = guard

    def routes(self) -> list[HandledAddress]:
        """Return address, handler and methods."""
        return [("/utc", self._choose, ("POST",))]

    async def _choose(self, request: Request) -> Response:
        fields = await self._guard.form(request, request.state.session)
        answer = RedirectResponse(local_path(fields.get("next", "/")), HTTPStatus.SEE_OTHER)
        if fields.get("utc") == _SHOWN:
            answer.set_cookie(COOKIE, _SHOWN, secure=True, httponly=True, samesite="strict")
        else:
            answer.delete_cookie(COOKIE, secure=True, httponly=True, samesite="strict")
        return answer


def shows_utc(request: Request) -> bool:
    """Return whether the pages of this browser show UTC next to the local time."""
    return request.cookies.get(COOKIE) == _SHOWN


def page_address(request: Request) -> str:
    """Return the address of the page that a request asked for, with its query; the first page after a form."""
    query = request.url.query
    return "/" if request.method != "GET" else request.url.path + (f"?{query}" if query else "")

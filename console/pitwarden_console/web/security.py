"""Response headers, and the limits of a request, for every answer.

Threats: a page of another origin, markup in a table's text, a forged host name, a body without an end.
"""

from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY: Final = 16_384  # the longest form is a reason of 500 characters
CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types pit"
)
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "Strict-Transport-Security": "max-age=31536000",  # ignored by browsers over plain HTTP
}


class SecurityBoundary:
    """Outermost layer of the application: it refuses unknown hosts and long bodies, and sets the headers."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app, self._hosts = app, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        refused = self._refusal(headers)
        answer = self._app if refused is None else refused

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    added[name] = value
                added.setdefault("Cache-Control", "no-store")
            await send(message)

        await answer(scope, _bounded(receive), sending)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        host = headers.get("host", "").lower()
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if name not in self._hosts:
            return PlainTextResponse(
                "unknown host: add it to web.hosts in the console file\n", HTTPStatus.MISDIRECTED_REQUEST
            )
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY:
            return PlainTextResponse(f"at most {MAX_BODY} bytes are accepted\n", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return None


def _bounded(receive: Receive) -> Receive:
    """Return `receive` that ends a body of unstated length at the limit."""
    seen = 0

    async def receiving() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > MAX_BODY:
                return {"type": "http.disconnect"}
        return message

    return receiving

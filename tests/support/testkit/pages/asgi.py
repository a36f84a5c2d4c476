"""Requests to an ASGI application, without a server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from starlette.types import ASGIApp, Message, Scope


@dataclass
class PageAnswer:
    """An answer of the application."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode()


async def request(
    app: ASGIApp, address: str, *, method: str = "GET", headers: Mapping[str, str] | None = None, body: bytes = b""
) -> PageAnswer:
    """Return the answer to one request, for the host `localhost` unless `headers` say otherwise."""
    parts = urlsplit(address)
    wanted = {"host": "localhost:8080", "content-length": str(len(body)), **(headers or {})}
    scope: Scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": unquote(parts.path), "raw_path": parts.path.encode(), "query_string": parts.query.encode(),
        "root_path": "", "headers": [(name.lower().encode(), value.encode()) for name, value in wanted.items()],
        "client": ("127.0.0.1", 40_000), "server": ("127.0.0.1", 8_080),
    }  # fmt: skip
    answer = PageAnswer()
    sent = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return sent.pop(0) if sent else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            for name, value in message["headers"]:
                known = answer.headers.get(name.decode().lower())
                answer.headers[name.decode().lower()] = (
                    value.decode() if known is None else f"{known}\n{value.decode()}"
                )
        else:
            answer.body += message.get("body", b"")

    await app(scope, receive, send)
    return answer

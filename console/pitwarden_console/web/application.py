"""The application: addresses of the pages, their streams and their files."""

from collections.abc import Mapping, Sequence
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import StoreError
from pitwarden_console.settings import ConsoleSettings
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.web.history_pages import HistoryPages, QueryError
from pitwarden_console.web.hub import LiveHub, LivePart
from pitwarden_console.web.live_pages import LivePages
from pitwarden_console.web.rendering import Renderer, StaticFiles
from pitwarden_console.web.security import SecurityBoundary
from pitwarden_console.web.stream import EventStream

_NOT_FOUND: Final = 404


class ConsoleApplication:
    """Handlers of all addresses."""

    def __init__(
        self, settings: ConsoleSettings, database: HistoryDatabase, board: PitBoard, hub: LiveHub, clock: ConsoleClock
    ) -> None:
        self._clock, self._time = clock, settings.time
        self._static = StaticFiles()
        self._renderer = Renderer(settings.time, settings.file.site.title, self._static.build)
        self._pages = LivePages(board, self._renderer)
        self._history_pages = HistoryPages(database, settings.time, clock)
        self._stream = EventStream(hub, clock, settings.time, self._static.build)
        self._hosts = settings.file.web.hosts

    def asgi(self) -> ASGIApp:
        """Return the application with its security boundary."""
        routes = [
            Route("/", self._pit),
            Route("/pit/{pit}", self._pit),
            Route("/table/{site}/{name}", self._table),
            Route("/history", self._history),
            Route("/history.csv", self._history_csv),
            Route("/report/{site}/{name}/{ref}", self._report),
            Route("/check", self._check),
            Route("/stream", self._pit_stream),
            Route("/stream/pit/{pit}", self._pit_stream),
            Route("/stream/table/{site}/{name}", self._table_stream),
            Route("/static/{name}", self._file),
        ]
        handlers = {HTTPException: self._problem, QueryError: self._refused, StoreError: self._unstored}
        app = Starlette(routes=routes, exception_handlers=handlers)
        return SecurityBoundary(app, self._hosts)

    async def _pit(self, request: Request) -> Response:
        pit = self._pit_of(request)
        values = self._pages.pit_page(pit)
        stream = "/stream" if pit is None else f"/stream{request.url.path}"
        return self._page("pit.html", request.url.path, {"stream": stream, "crumb": pit, **values})

    async def _table(self, request: Request) -> Response:
        found = self._pages.find(request.path_params["site"], request.path_params["name"])
        if found is None:
            raise HTTPException(_NOT_FOUND, "No such table is in the console file.")
        values = self._pages.table_page(found)
        return self._page(
            "table.html",
            request.url.path,
            {"stream": f"/stream{request.url.path}", "crumb": found.pit, "key": found, **values},
        )

    async def _pit_stream(self, request: Request) -> Response:
        return self._streamed(self._pages.pit_parts(self._pit_of(request)))

    async def _table_stream(self, request: Request) -> Response:
        found = self._pages.find(request.path_params["site"], request.path_params["name"])
        if found is None:
            raise HTTPException(_NOT_FOUND, "No such table is in the console file.")
        return self._streamed(self._pages.table_parts(found))

    async def _history(self, request: Request) -> Response:
        return self._still_page("history.html", request, await self._history_pages.search_page(request.query_params))

    async def _history_csv(self, request: Request) -> Response:
        text = await self._history_pages.search_csv(request.query_params)
        headers = {"Content-Disposition": 'attachment; filename="history.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=headers)

    async def _report(self, request: Request) -> Response:
        values = await self._history_pages.report_page(**request.path_params)
        if values is None:
            raise HTTPException(_NOT_FOUND, "No such incident is stored.")
        return self._still_page("report.html", request, values)

    async def _check(self, request: Request) -> Response:
        return self._still_page("check.html", request, await self._history_pages.check_page(request.query_params))

    def _still_page(self, template: str, request: Request, values: Mapping[str, object]) -> Response:
        return self._page(template, request.url.path, {"stream": None, "crumb": None, **values})

    def _streamed(self, parts: Sequence[LivePart]) -> Response:
        if self._stream.is_full:
            return PlainTextResponse("too many pages are open\n", 503)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._stream.events(parts), media_type="text/event-stream", headers=headers)

    async def _file(self, request: Request) -> Response:
        found = self._static.files.get(request.path_params["name"])
        if found is None:
            raise HTTPException(_NOT_FOUND, "There is no such file.")
        body, kind = found
        # The address carries the build, so that a new one is another address.
        return Response(body, headers={"Content-Type": kind, "Cache-Control": "public, max-age=31536000, immutable"})

    async def _problem(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        sentence = error.detail if isinstance(error, HTTPException) else "The console failed."
        title = "Not found" if status == _NOT_FOUND else f"Refused ({status})"
        values = {"stream": None, "crumb": None, "title": title, "sentence": sentence}
        return self._page("problem.html", request.url.path, values, status)

    async def _refused(self, request: Request, error: Exception) -> Response:
        values = {"stream": None, "crumb": None, "title": "Refused", "sentence": str(error)}
        return self._page("problem.html", request.url.path, values, 400)

    async def _unstored(self, request: Request, error: Exception) -> Response:
        values = {"stream": None, "crumb": None, "title": "The history cannot be read", "sentence": f"{error}."}
        return self._page("problem.html", request.url.path, values, 503)

    def _pit_of(self, request: Request) -> str | None:
        pit: str | None = request.path_params.get("pit")
        if pit is not None and pit not in self._pages.pits:
            raise HTTPException(_NOT_FOUND, "No such pit is in the console file.")
        return pit

    def _page(self, template: str, here: str, values: Mapping[str, object], status: int = 200) -> HTMLResponse:
        now_ms = self._clock.utc_ms()
        common = {
            "now_ms": now_ms,
            "day": self._time.gaming_day(now_ms),
            "here": here,
            "navigation": self._pages.navigation,
        }
        return HTMLResponse(self._renderer.page(template, **common, **values), status)

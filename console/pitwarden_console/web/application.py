"""The application: addresses of the pages, their streams and their files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp

from pitwarden_console.acts.keying import Keying
from pitwarden_console.alarms.call_desk import CallDesk
from pitwarden_console.alarms.house_acts import HouseActs, may
from pitwarden_console.alarms.watch import AlarmWatch
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import StoreError
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.people.audit import Audit
from pitwarden_console.roles import ADMINISTRATOR
from pitwarden_console.settings.console_settings import ConsoleSettings
from pitwarden_console.store.calls import CallBook
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.figures import FigureReader
from pitwarden_console.store.reports import ReportBook
from pitwarden_console.web.account_routes import AccountParts, AccountRoutes
from pitwarden_console.web.act_pages import ActPages
from pitwarden_console.web.alarm_routes import AlarmRoutes
from pitwarden_console.web.handlers import Handler
from pitwarden_console.web.history_pages import HistoryPages, QueryError
from pitwarden_console.web.hub import LiveHub, LivePart
from pitwarden_console.web.languages.choice import ENGLISH, LANGUAGES, language_of
from pitwarden_console.web.live_pages import LivePages
from pitwarden_console.web.metrics import CONTENT_TYPE, metrics_text
from pitwarden_console.web.people_routes import PeopleRoutes
from pitwarden_console.web.rendering import Renderer, StaticFiles, safe
from pitwarden_console.web.report_routes import ReportRoutes
from pitwarden_console.web.second_person_pages import SecondPersonPages
from pitwarden_console.web.security import SecurityBoundary
from pitwarden_console.web.session_guard import AskedAgainError, account_of
from pitwarden_console.web.sign_in_parts import sign_in_parts
from pitwarden_console.web.sign_in_routes import SignInRoutes
from pitwarden_console.web.stream import EventStream
from pitwarden_console.web.utc_choice import UtcChoice, page_address, shows_utc
from pitwarden_console.web.wall_pages import WallPages

if TYPE_CHECKING:
    from pitwarden_console.people.sessions import AccountSession


@dataclass(frozen=True, slots=True)
class ConsoleParts:
    """Parts of which the pages are made."""

    database: HistoryDatabase
    board: PitBoard
    hub: LiveHub
    clock: ConsoleClock
    audit: Audit
    keying: Keying
    watch: AlarmWatch
    desk: CallDesk | None = None
    """The one who calls; None where no one is called."""


class ConsoleApplication:
    """Handlers of all addresses."""

    def __init__(self, settings: ConsoleSettings, parts: ConsoleParts) -> None:
        self._clock, self._time = parts.clock, settings.time
        self._static = StaticFiles()
        self._renderer = Renderer(settings.time, settings.file.site.title, self._static.build)
        self._pages = LivePages(
            parts.board, self._renderer, parts.watch, parts.desk, clock=parts.clock,
            has_people=settings.file.web.sign_in,
        )  # fmt: skip
        self._walls = WallPages(parts.board, self._renderer, parts.watch.floods, parts.desk)
        self._history_pages = HistoryPages(parts.database, settings.time, parts.clock)
        self._stream = EventStream(parts.hub, parts.clock, settings.time, self._static.build)
        self._hosts = settings.file.web.hosts
        self._signed_in, self._has_metrics = settings.file.web.sign_in, settings.file.web.metrics
        self._parts = parts
        self._guard, self._credentials, ways = sign_in_parts(settings, parts)
        second = SecondPersonPages(parts.board, parts.keying, parts.audit, parts.clock)
        self._acts = ActPages(parts.board, self._renderer, parts.keying, parts.audit, second)
        house = HouseActs(
            parts.database, parts.board, parts.audit, parts.clock, time=settings.time,
            silences=parts.watch.silences, mark=parts.hub.mark,
        )  # fmt: skip
        self._alarms = AlarmRoutes(self._guard, house, parts.board, page=self._still_page, find=self._find)
        self._reports = ReportRoutes(
            self._guard, parts.board, FigureReader(parts.database), ReportBook(parts.database), parts.audit,
            history=self._history_pages, renderer=self._renderer, time=settings.time, clock=parts.clock,
            page=self._still_page,
        )  # fmt: skip
        self._remarks, self._calls = house.remarks, CallBook(parts.database)
        self._people = PeopleRoutes(
            self._guard, self._acts, parts.audit, settings.time, parts.clock,
            database=parts.database, credentials=self._credentials,
            page=self._still_page, find=self._find, has_passkeys=ways.passkeys is not None,
        )  # fmt: skip
        self._sign_in = SignInRoutes(self._guard, self._credentials, ways, page=self._still_page)
        self._account = AccountRoutes(
            AccountParts(self._guard, self._credentials, ways.passkeys, parts.audit), page=self._still_page
        )

    def asgi(self) -> ASGIApp:
        """Return the application with its security boundary."""
        reading: list[tuple[str, Handler]] = [
            ("/", self._pit),
            ("/pit/{pit}", self._pit),
            ("/wall", self._wall),
            ("/wall/pit/{pit}", self._wall),
            ("/table/{site}/{name}", self._table),
            ("/history", self._history),
            ("/history.csv", self._history_csv),
            ("/report/{site}/{name}/{ref}", self._report),
            ("/check", self._check),
            ("/stream", self._pit_stream),
            ("/stream/pit/{pit}", self._pit_stream),
            ("/stream/wall", self._wall_stream),
            ("/stream/wall/pit/{pit}", self._wall_stream),
            ("/stream/table/{site}/{name}", self._table_stream),
            ("/stream/table/{site}/{name}/incident/{ref}", self._incident_stream),
        ]
        routes = [
            *(Route(path, self._guarded(handler)) for path, handler in reading),
            *(
                Route(path, self._guarded(handler), methods=list(methods))
                for path, handler, methods in (
                    *self._people.routes(),
                    *self._sign_in.routes(),
                    *self._account.routes(),
                    *self._alarms.routes(),
                    *self._reports.routes(),
                    *UtcChoice(self._guard).routes(),
                )
            ),
            *self._sign_in.open_routes(),
            Route("/static/{name}", self._file),
            *([Route("/metrics", self._metrics)] if self._has_metrics else []),
        ]
        handlers = {
            HTTPException: self._problem, QueryError: self._refused, StoreError: self._unstored,
            AskedAgainError: self._asked_again,
        }  # fmt: skip
        app = Starlette(routes=routes, exception_handlers=handlers)
        return SecurityBoundary(app, self._hosts)

    def _guarded(self, handler: Handler) -> Handler:
        """Return a handler that needs a session, where one is required."""

        async def guarded(request: Request) -> Response:
            session = await self._guard.session_of(request) if self._signed_in else None
            request.state.session = session
            if session is None and self._signed_in:
                if request.headers.get("accept") == "application/json":
                    return JSONResponse({"sentence": "Sign in first."}, HTTPStatus.UNAUTHORIZED)
                if request.method != "GET" or request.url.path.startswith("/stream"):
                    return PlainTextResponse("sign in first\n", HTTPStatus.UNAUTHORIZED)
                return RedirectResponse(f"/sign-in?next={quote(request.url.path)}", HTTPStatus.SEE_OTHER)
            return await handler(request)

        return guarded

    async def _pit(self, request: Request) -> Response:
        pit = self._pit_of(request)
        stream = "/stream" if pit is None else f"/stream{request.url.path}"
        return self._page("pit.html", request, {"stream": stream, "crumb": pit, **self._pages.pit_page(pit)})

    async def _wall(self, request: Request) -> Response:
        pit = self._pit_of(request)
        values = {"stream": f"/stream{request.url.path}", "crumb": pit, **self._walls.page(pit)}
        return self._page("wall.html", request, values)

    async def _wall_stream(self, request: Request) -> Response:
        pit = self._pit_of(request)
        return self._streamed(request, pit, self._walls.parts(pit))

    async def _table(self, request: Request) -> Response:
        found = self._find(request)
        language = language_of("table.html", request.headers.get("accept-language", ""))
        values = {"stream": f"/stream{request.url.path}", "crumb": found.pit, "key": found}
        return self._page("table.html", request, {**values, **self._pages.table_page(found, language)})

    async def _pit_stream(self, request: Request) -> Response:
        pit = self._pit_of(request)
        return self._streamed(request, pit, self._pages.pit_parts(pit))

    async def _table_stream(self, request: Request) -> Response:
        found = self._find(request)
        return self._streamed(request, found.pit, self._pages.table_parts(found, _streamed_language(request)))

    async def _incident_stream(self, request: Request) -> Response:
        found = self._find(request)
        return self._streamed(request, found.pit, self._acts.parts(found, request.path_params["ref"]))

    async def _history(self, request: Request) -> Response:
        return self._still_page("history.html", request, await self._history_pages.search_page(request.query_params))

    async def _history_csv(self, request: Request) -> Response:
        text = await self._history_pages.search_csv(request.query_params)
        # A file that is passed on must show that not all of it was real.
        name = "history-with-SIMULATED.csv" if request.query_params.get("simulated") == "yes" else "history.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=headers)

    async def _report(self, request: Request) -> Response:
        record = await self._history_pages.record(**request.path_params)
        if record is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "No such incident is stored.")
        table_id, ref = record.found.table_id, record.found.incident.ref
        remarks = {
            "calls": await self._calls.of(table_id, ref),
            "notes": await self._remarks.notes(table_id, ref), "looked": await self._remarks.looked(table_id, ref),
            "may_note": may(account_of(request), "note"), "may_look": may(account_of(request), "seen"),
            "may_report": may(account_of(request), "report"),
        }  # fmt: skip
        values = await self._history_pages.report_page(record)
        return self._still_page("report.html", request, {**values, **remarks})

    async def _check(self, request: Request) -> Response:
        return self._still_page("check.html", request, await self._history_pages.check_page(request.query_params))

    def _streamed(self, request: Request, pit: str | None, parts: Sequence[LivePart]) -> Response:
        if self._stream.is_full:
            return PlainTextResponse("too many pages are open\n", HTTPStatus.SERVICE_UNAVAILABLE)
        session: AccountSession | None = request.state.session
        events = self._stream.events(
            (self._pages.alarm_part(pit, _streamed_language(request)), *parts),
            lambda: session is not None and self._guard.sessions.has_ended(session),
        )
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(events, media_type="text/event-stream", headers=headers)

    async def _file(self, request: Request) -> Response:
        found = self._static.files.get(request.path_params["name"])
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "There is no such file.")
        body, kind = found
        # The address carries the build, so that a new one is another address.
        return Response(body, headers={"Content-Type": kind, "Cache-Control": "public, max-age=31536000, immutable"})

    async def _metrics(self, _request: Request) -> Response:
        parts = self._parts
        text = metrics_text(parts.board, parts.watch, parts.hub, parts.desk, self._clock.utc_ms())
        return Response(text, media_type=CONTENT_TYPE)

    async def _problem(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else HTTPStatus.INTERNAL_SERVER_ERROR
        sentence = error.detail if isinstance(error, HTTPException) else "The console failed."
        return self._sentence(request, "Not found" if status == HTTPStatus.NOT_FOUND else "Refused", sentence, status)

    async def _asked_again(self, _request: Request, error: Exception) -> Response:
        target = error.target if isinstance(error, AskedAgainError) else "/"
        return RedirectResponse(f"/again?next={quote(target)}", HTTPStatus.SEE_OTHER)

    async def _refused(self, request: Request, error: Exception) -> Response:
        return self._sentence(request, "Refused", str(error), HTTPStatus.BAD_REQUEST)

    async def _unstored(self, request: Request, error: Exception) -> Response:
        return self._sentence(request, "The history cannot be read", f"{error}.", HTTPStatus.SERVICE_UNAVAILABLE)

    def _sentence(self, request: Request, title: str, sentence: str, status: int) -> Response:
        if request.headers.get("accept") == "application/json":  # a script of ours, which shows it on its page
            return JSONResponse({"sentence": sentence}, status)
        return self._still_page("problem.html", request, {"title": title, "sentence": sentence}, status)

    def _find(self, request: Request) -> TableKey:
        found = self._pages.find(request.path_params["site"], request.path_params["name"])
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "No such table is in the console file.")
        return found

    def _pit_of(self, request: Request) -> str | None:
        pit: str | None = request.path_params.get("pit")
        if pit is not None and pit not in self._pages.pits:
            raise HTTPException(HTTPStatus.NOT_FOUND, "No such pit is in the console file.")
        return pit

    def _navigation(self, session: "AccountSession | None") -> Sequence[tuple[str, str]]:
        if session is None:
            return () if self._signed_in else self._pages.navigation
        more = [("/people", "People")] if session.account.role == ADMINISTRATOR else []
        return [*self._pages.navigation, *more]

    def _still_page(
        self, template: str, request: Request, values: Mapping[str, object], status: int = HTTPStatus.OK
    ) -> HTMLResponse:
        return self._page(template, request, {"stream": None, "crumb": None, **values}, status)

    def _page(
        self, template: str, request: Request, values: Mapping[str, object], status: int = HTTPStatus.OK
    ) -> HTMLResponse:
        now_ms = self._clock.utc_ms()
        accepted = request.headers.get("accept-language", "")
        session: AccountSession | None = getattr(request.state, "session", None)
        common: dict[str, object] = {
            "now_ms": now_ms,
            "day": self._time.gaming_day(now_ms),
            "here": request.url.path,
            "is_wall": False,
            "this_page": page_address(request),
            "in_utc": shows_utc(request),
            "may_choose_utc": session is not None or not self._signed_in,
            "navigation": self._navigation(session),
            "signed_in": account_of(request),
            "csrf": "" if session is None else session.csrf,
            "asks_again": session is not None and self._guard.sessions.asks_again(session),
        }
        if values["stream"] is not None:
            pit = values["crumb"]
            part = self._pages.alarm_part(pit if isinstance(pit, str) else None, language_of(template, accepted))
            common |= {"alarm": safe(part.render()), "may_silence": may(account_of(request), "silence")}
        return HTMLResponse(self._renderer.page(template, accepted, **{**common, **values}), status)


def _streamed_language(request: Request) -> str:
    """Return the language of the page that opened a stream: its address has it, so that both are in one language."""
    asked = request.query_params.get("language", ENGLISH)
    return asked if asked in LANGUAGES else ENGLISH

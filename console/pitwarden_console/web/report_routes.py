"""Addresses of reports, trends and the technician's page."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pitwarden_client.events.status import DeviceStatus
from pitwarden_console.alarms.house_acts import may
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.board.snapshot import TableSnapshot
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.people.accounts import Account
from pitwarden_console.people.audit import Audit
from pitwarden_console.site_time import SiteTime
from pitwarden_console.store.figures import FigureReader
from pitwarden_console.store.reports import ReportBook, ReportKind
from pitwarden_console.web.handlers import HandledAddress, PageMaker
from pitwarden_console.web.history_pages import HistoryPages, QueryError, day_of
from pitwarden_console.web.printer import Printer, PrintError
from pitwarden_console.web.rendering import Renderer
from pitwarden_console.web.session_guard import SessionGuard, account_of, session_of

# Gaming days of the trends without a choice: a quarter shows whether a change of the house had an effect.
TREND_DAYS: Final = 91
MAX_TREND_DAYS: Final = 1_100
"""Number of gaming days in one page of trends: three years."""
# Gaming days whose faults the technician's page counts.
FAULT_DAYS: Final = 30


class ReportRoutes:
    """Handlers of reports and figures. `page` makes a page."""

    def __init__(
        self, guard: SessionGuard, board: PitBoard, figures: FigureReader, book: ReportBook, audit: Audit,
        *, history: HistoryPages, renderer: Renderer, time: SiteTime, clock: ConsoleClock, page: PageMaker,
    ) -> None:  # fmt: skip
        self._guard, self._board, self._figures, self._book, self._audit = guard, board, figures, book, audit
        self._history, self._renderer, self._time, self._clock, self._page = history, renderer, time, clock, page
        self._printer = Printer()

    def routes(self) -> list[HandledAddress]:
        """Return address, handler and methods."""
        return [
            ("/shift-report", self._shift, ("GET",)),
            ("/shift-report", self._freeze_shift, ("POST",)),
            ("/report/{site}/{name}/{ref}/freeze", self._freeze_incident, ("POST",)),
            ("/reports", self._reports, ("GET",)),
            ("/reports/{number:int}.pdf", self._body, ("GET",)),
            ("/trends", self._trends, ("GET",)),
            ("/technician", self._technician, ("GET",)),
        ]

    async def _shift(self, request: Request) -> Response:
        values = await self._shift_values(request.query_params)
        return self._page("shift_report.html", request, {**values, "may_report": may(account_of(request), "report")})

    async def _shift_values(self, query: Mapping[str, str]) -> Mapping[str, object]:
        """Return the values of a shift's report; the shift that runs now without a choice."""
        now_ms = self._clock.utc_ms()
        day = day_of(query.get("day", ""), self._time.gaming_day(now_ms))
        shifts = self._time.shifts_of_day(day)
        running = next((place for place, (begins, ends) in enumerate(shifts) if begins <= now_ms < ends), 0)
        number = query.get("shift", "")
        place = int(number) - 1 if number.isascii() and number.isdigit() and len(number) < 3 else running  # noqa: PLR2004
        pit, simulated = query.get("pit", ""), query.get("simulated") == "yes"
        if not 0 <= place < len(shifts) or (pit and pit not in self._board.pits()):
            raise QueryError("There is no such shift or pit.")
        starts_ms, ends_ms = shifts[place]
        tables = [key.name for key in self._board.snapshots if pit in {"", key.pit}]
        figures = await self._figures.shift(tables, starts_ms, ends_ms, simulated=simulated)
        return {
            "chosen": day, "shifts": shifts, "place": place, "named": f"shift {place + 1} of {day}",
            "pit": pit, "pits": self._board.pits(),
            "simulated": simulated, "starts_ms": starts_ms, "ends_ms": ends_ms, "figures": figures,
            "now_ms": now_ms,
        }  # fmt: skip

    async def _freeze_shift(self, request: Request) -> Response:
        account, fields = await self._checked(request)
        values = await self._shift_values(fields)
        subject = f"{values['named']}, {values['pit'] or 'all pits'}"
        return await self._freeze(
            "shift", subject, account, "shift_print.html", values, simulated=values["simulated"] is True
        )

    async def _freeze_incident(self, request: Request) -> Response:
        account, _ = await self._checked(request)
        site, name, ref = (request.path_params[part] for part in ("site", "name", "ref"))
        record = await self._history.record(site, name, ref)
        if record is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "No such incident is stored.")
        values = {**await self._history.report_page(record), "now_ms": self._clock.utc_ms()}
        one = record.found.incident
        return await self._freeze(
            "incident", f"{one.catalogue} at {name}, {ref}", account, "incident_print.html", values,
            simulated=one.simulated,
        )  # fmt: skip

    async def _checked(self, request: Request) -> tuple[Account, Mapping[str, str]]:
        session = session_of(request)
        fields = await self._guard.act_form(request, session, request.url.path.removesuffix("/freeze"))
        if not may(session.account, "report"):
            raise HTTPException(HTTPStatus.FORBIDDEN, f"The role {session.account.role} must not freeze a report.")
        return session.account, fields

    async def _freeze(
        self, kind: ReportKind, subject: str, account: Account, template: str, values: Mapping[str, object],
        *, simulated: bool,
    ) -> Response:  # fmt: skip
        """Store a report as PDF, and lead to it."""

        async def made(number: int) -> bytes:
            html = self._renderer.page(template, **{**values, "number": number, "account": account})
            return await self._printer.pdf(html)

        try:
            frozen = await self._book.freeze(
                kind, subject, made, person=account.person, at_ms=self._clock.utc_ms(), simulated=simulated
            )
        except PrintError as error:
            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, f"{error}. Nothing was stored.") from None
        await self._audit.add(
            "report", person=account.person, role=account.role, number=frozen.number, subject=subject, hash=frozen.hash
        )
        return RedirectResponse("/reports", HTTPStatus.SEE_OTHER)

    async def _reports(self, request: Request) -> Response:
        return self._page("reports.html", request, {"reports": await self._book.newest()})

    async def _body(self, request: Request) -> Response:
        number: int = request.path_params["number"]
        stored = await self._book.stored(number) if number < 2**31 else None
        if stored is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "There is no such report, or its bytes were changed.")
        account = account_of(request)
        if account is not None:
            await self._audit.add("report", person=account.person, role=account.role, number=number, read=True)
        # A file that is passed on must show what it is about.
        name = f"{'SIMULATED-' if stored.simulated else ''}report-{number}.pdf"
        headers = {"Content-Disposition": f'inline; filename="{name}"'}
        return Response(stored.body, media_type="application/pdf", headers=headers)

    async def _trends(self, request: Request) -> Response:
        query = request.query_params
        today = self._time.gaming_day(self._clock.utc_ms())
        last = day_of(query.get("last", ""), today)
        first = day_of(query.get("first", ""), last - timedelta(days=TREND_DAYS - 1))
        if not 0 <= (last - first).days < MAX_TREND_DAYS:
            raise QueryError(f"Choose 1 to {MAX_TREND_DAYS} days.")
        clause, simulated = query.get("clause", "").strip()[:100], query.get("simulated") == "yes"
        trends = await self._figures.trends(first, last, clause=clause, simulated=simulated)
        values = {"trends": trends, "first": first, "last": last, "clause": clause, "simulated": simulated}
        return self._page("trends.html", request, {**values, "csv": urlencode({"first": first, "last": last})})

    async def _technician(self, request: Request) -> Response:
        today = self._time.gaming_day(self._clock.utc_ms())
        trends = await self._figures.trends(today - timedelta(days=FAULT_DAYS - 1), today)
        return self._page(
            "technician.html", request, {"devices": self._devices(), "days": FAULT_DAYS, "trends": trends,
                                         "tables": list(self._board.snapshots.values())},
        )  # fmt: skip

    def _devices(self) -> Sequence[tuple[TableSnapshot, str, DeviceStatus]]:
        """Return table, name and status of each device, those that are not online first."""
        found = [
            (table, name, device)
            for key, table in self._board.snapshots.items()
            for view in (self._board.feed(key).view,)
            for name in sorted(view.devices)
            if (device := view.device(name)) is not None
        ]
        return sorted(found, key=lambda each: each[2].state == "online")

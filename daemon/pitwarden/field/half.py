"""Field half of one table: devices and terminals into one log, and the log to the judge."""

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Final

from pitwarden.bus.replay import WAITING
from pitwarden.bus.sender import WINDOW
from pitwarden.field.assembly import FieldAssembly
from pitwarden.field.dependencies import FieldDependencies
from pitwarden.field.devices.intake import device_probes
from pitwarden.field.inputs.fair_inbox import INBOX
from pitwarden.field.log.epochs import close_epoch, open_epoch, wait_drained
from pitwarden.field.log.sequencer import QUEUE_ROWS
from pitwarden.field.metrics import device_samples
from pitwarden.field.router import COMMANDS
from pitwarden.journal.database import WRITTEN_BY, claim_journal
from pitwarden.metrics.families import INFO
from pitwarden.metrics.meter import Sample, clock_samples, half_samples, journal_samples, queue_samples
from pitwarden.system.tasks import Probe, loop_probe
from pitwarden.system.version import VERSION

# Rows not yet stored by the judge that the status line mentions. Fewer are in transit as a rule: the window is 200.
SHOWN_LAG: Final = 100


class FieldHalf:
    """Field half of one table. It runs until stopped."""

    def __init__(self, parts: FieldDependencies, pieces: FieldAssembly) -> None:
        """Take over `pieces`; callers use `start`."""
        self._parts, self._pieces = parts, pieces
        self.link, self.delivery = pieces.link, pieces.delivery
        pieces.meter.watch(self._samples)

    @classmethod
    async def start(cls, parts: FieldDependencies) -> "FieldHalf":
        """Open an epoch after the last row of the journal and return a half that is ready to run."""
        await claim_journal(
            str(parts.journal.path), await parts.journal.meta(WRITTEN_BY), partial(parts.journal.set_meta, WRITTEN_BY)
        )
        await parts.journal.reserve.allocate()
        opening = await open_epoch(parts.journal, parts.place, parts.keys, parts.clock)
        stored = (await parts.journal.positions()).get(parts.judge, 0)
        marks = await parts.journal.device_marks()
        pieces = FieldAssembly(parts, opening, min(stored, parts.journal.place), marks)
        pieces.faults.report_past(opening.past)
        return cls(parts, pieces)

    def probes(self) -> list[Probe]:
        """Return the liveness probes of all tasks."""
        pieces, silence_s = self._pieces, self._parts.broker.silence_s
        return [
            loop_probe("field log", pieces.log),
            loop_probe("field link", self.link, silence_s),
            loop_probe("field delivery", self.delivery),
            loop_probe("field ticker", pieces.ticker),
            *pieces.requests.probes(),
            loop_probe("field heads", pieces.heads),
            loop_probe("field replay", pieces.replay, silence_s),
            loop_probe("field consumers", pieces.consumer_positions.turns),
            *device_probes(pieces.intake.devices),
        ]

    def status_line(self) -> str:
        """Return one line for `systemctl status`: link, lag, devices, faults."""
        broker = f"broker linked ({self.link.address})" if self.link.up else "BROKER LOST"
        behind = f", judge {self.delivery.lag} rows behind" if self.delivery.lag > SHOWN_LAG else ""
        return f"{broker}{behind}; {self._pieces.statuses.status_line()}"

    async def run(self, stop: asyncio.Event) -> None:
        """Run until `stop` is set; then commit what arrived, publish the offline status and close the epoch."""
        pieces = self._pieces
        async with asyncio.TaskGroup() as group:
            log = group.create_task(pieces.log.run(), name="field log")
            link = group.create_task(self.link.run(), name="field link")
            rest = [
                group.create_task(pieces.committed.deferred.run(), name="field afterwards"),
                group.create_task(self.delivery.run(), name="field delivery"),
                group.create_task(pieces.ticker.run(), name="field ticker"),
                group.create_task(pieces.requests.inputs.run(), name="field desk"),
                group.create_task(pieces.requests.commands.run(), name="field orders"),
                group.create_task(pieces.heads.run(), name="field heads"),
                group.create_task(pieces.replay.run(), name="field replay"),
                group.create_task(pieces.consumer_positions.turns.run(), name="field consumers"),
                group.create_task(pieces.retention.run(), name="field housekeeping"),
                group.create_task(pieces.faults.salvage(), name="field salvage"),
                group.create_task(pieces.expiry.run(), name="field certificates"),
            ]
            devices = group.create_task(pieces.intake.devices.run(), name="field devices")
            await stop.wait()
            # Order: no new reports, then the commits of those that arrived, then their acknowledgements, then the link.
            devices.cancel()
            await wait_drained(pieces.log)
            pieces.committed.deferred.now()
            await self.link.close_gracefully()
            for task in (log, link, *rest):
                task.cancel()
        await close_epoch(self._parts.journal, self._parts.judge, self.delivery.stored)

    def _samples(self) -> Iterator[Sample]:
        """Yield everything that is measured only when metrics are read."""
        parts, pieces = self._parts, self._pieces
        yield Sample(INFO, 1, ("field", VERSION, "", ""))
        yield from half_samples("field", self.link, faults=pieces.statuses.online().faults)
        yield from device_samples(pieces.statuses.devices, pieces.intake.devices.stats)
        yield from pieces.meters.permit(pieces.rows.time.log_ms())
        yield from queue_samples({
            "log": (pieces.log.waiting, QUEUE_ROWS), "inputs": (pieces.requests.inputs.waiting, INBOX),
            "commands": (pieces.requests.commands.waiting, COMMANDS),
            "unstored_rows": (self.delivery.lag, WINDOW), "log_replays": (pieces.replay.waiting, WAITING),
        })  # fmt: skip
        yield from journal_samples("field", parts.journal.path)
        yield from clock_samples(parts.clock)

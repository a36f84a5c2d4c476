"""The service for one table: builds the halves that the table file asks for, runs them, and stops them in order."""

import asyncio
import contextlib
import secrets
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal

import structlog

from pitwarden.bus.retry import LinkRetry
from pitwarden.clock import SystemClock
from pitwarden.config.models import TableFile
from pitwarden.field.epoch import FieldKeys
from pitwarden.field.half import FieldHalf
from pitwarden.field.housekeeping import Retention
from pitwarden.field.parts import FieldParts
from pitwarden.field.posts import supervised
from pitwarden.field.rows import Place
from pitwarden.journal.field import FieldJournal
from pitwarden.journal.judge import JudgeJournal
from pitwarden.judge.half import JudgeHalf
from pitwarden.judge.opening import Unsealer
from pitwarden.judge.parts import JudgeParts
from pitwarden.judge.setup import setup_of
from pitwarden.judge.table import Identity, TableJudge
from pitwarden.metrics.exporter import Exporter
from pitwarden.metrics.meter import Meter
from pitwarden.notify import Notifier
from pitwarden.reloads import Reloads, Reread, settings_of
from pitwarden.seal.keys import PrivateKey, PublicKey, audit_key, load_private, load_public, load_signing, public_path
from pitwarden.seal.opener import Opener
from pitwarden.watchdog import Watchdog
from pitwarden_drivers import registry

_log = structlog.get_logger()

Half = Literal["field", "judge"]
STOP_S: Final = 4.5  # below every manager's patience; what is not committed by then its device still keeps


@dataclass(frozen=True, slots=True)
class KeyFiles:
    """Where a table's keys are."""

    field: Path
    judge: Path


def key_files(folder: Path, prefix: str = "") -> KeyFiles:
    """The key files in `folder`; the public half of each has `.pub` behind its name."""
    return KeyFiles(folder / f"{prefix}field.key", folder / f"{prefix}judge.key")


def trusted_keys(field_key: Path) -> tuple[str, ...]:
    """The verify keys that sign this table's log, in hexadecimal: today's, and replaced ones that are kept."""
    today = public_path(field_key)
    replaced = sorted(today.parent.glob(f"{today.name}.old-*"))
    return tuple(load_public(path) for path in (today, *replaced))


def private_keys(judge_key: Path) -> tuple[PrivateKey, ...]:
    """The judge's private keys: today's, and the replaced ones whose rows are still kept."""
    replaced = sorted(judge_key.parent.glob(f"{judge_key.name}.old-*"))
    return tuple(load_private(path) for path in (judge_key, *replaced))


def lockable(file: TableFile) -> frozenset[str]:
    """The shoes that the judge may lock."""
    return frozenset(ident for ident, device in file.devices.items() if device.lock)


def retention_of(file: TableFile) -> Retention:
    """How long the table file wants rows to be kept."""
    return Retention(file.storage.keep_days, file.storage.max_mb * 1_000_000)


async def run(
    file: TableFile,
    *,
    only: Half | None,
    keys: KeyFiles | None = None,
    notifier: Notifier | None = None,
    reread: Reread | None = None,
    meter: Meter | None = None,
) -> int:
    """Runs until SIGTERM or SIGINT; the exit code. KeyFileError before anything is opened.

    `keys` stand elsewhere than the table file says when systemd hands them over; SIGHUP asks `reread` for the file.
    """
    stop, hangup = asyncio.Event(), asyncio.Event()
    with signals({signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: hangup}):
        try:
            async with asyncio.timeout(None) as limit, contextlib.AsyncExitStack() as stack:
                meter = meter or Meter()
                halves = await _halves(file, only, keys or key_files(file.storage.keys), meter, stack)
                await _serve(halves, Service(file, notifier or Notifier(), reread, stop, hangup, only, meter), limit)
        except TimeoutError:
            if not limit.expired():
                raise
            _log.warning("stopped at the deadline", seconds=STOP_S)
    return 0


@dataclass(frozen=True, slots=True)
class Service:
    """What one run is asked and told by the outside."""

    file: TableFile
    notifier: Notifier
    reread: Reread | None
    stop: asyncio.Event
    hangup: asyncio.Event
    only: Half | None
    meter: Meter


async def _serve(halves: Sequence[FieldHalf | JudgeHalf], service: Service, limit: asyncio.Timeout) -> None:
    """READY, then work, then an ordered stop that `limit` bounds."""
    name = f"{service.file.table.site}/{service.file.table.table}"
    exporter = Exporter(service.file.metrics, service.only, service.meter)
    links = [half.link for half in halves]
    reloads = Reloads(service.file, service.notifier, service.reread, links, exporter.reopen)

    def shown() -> str:
        return f"{name}: {'; '.join([*(half.shown() for half in halves), *reloads.shown(), *exporter.shown()])}"

    watchdog = Watchdog(service.notifier, [each for half in halves for each in half.parts()], shown)
    async with asyncio.TaskGroup() as group:
        ours = [
            group.create_task(watchdog.run(), name="watchdog"),
            group.create_task(reloads.run(service.hangup, shown), name="reloads"),
            group.create_task(exporter.run(), name="metrics"),
        ]
        working = [group.create_task(half.run(service.stop), name=type(half).__name__) for half in halves]
        _log.info("running", table=name, only=service.only or "both", version=version("pitwarden"))
        await asyncio.sleep(0)  # READY says that the loop runs: every task has had its first turn
        service.notifier.ready(shown())
        await service.stop.wait()
        limit.reschedule(asyncio.get_running_loop().time() + STOP_S)
        service.notifier.stopping()
        await asyncio.wait(working)
        for task in ours:
            task.cancel()
    _log.info("stopped")


async def _halves(
    file: TableFile, only: Half | None, keys: KeyFiles, meter: Meter, stack: contextlib.AsyncExitStack
) -> list[FieldHalf | JudgeHalf]:
    halves: list[FieldHalf | JudgeHalf] = []
    file.storage.journals.mkdir(mode=0o700, parents=True, exist_ok=True)
    if only != "judge":
        halves.append(await _field(file, keys, meter, stack))
    if only != "field":
        journal = await JudgeJournal.open(file.storage.journals / "judge.sqlite")
        stack.push_async_callback(journal.close)
        halves.append(await judge_half(file, keys, meter, journal))
    return halves


async def _field(file: TableFile, files: KeyFiles, meter: Meter, stack: contextlib.AsyncExitStack) -> FieldHalf:
    signer = load_signing(files.field)
    judge = PublicKey(bytes.fromhex(load_public(public_path(files.judge))))
    journal = await FieldJournal.open(file.storage.journals / "field.sqlite")
    stack.push_async_callback(journal.close)
    clock = SystemClock()
    keyed = file.inputs.keyed
    return await FieldHalf.start(
        FieldParts(
            place=Place(file.table.site, file.table.table, file.table.simulated),
            judge=file.judge.name,
            keys=FieldKeys(signer, (judge,)),
            clock=clock,
            journal=journal,
            broker=settings_of(file),
            retry=LinkRetry(),
            devices={ident: device.serial for ident, device in file.devices.items()},
            make_devices=supervised(file.devices, clock, registry.find),
            keyed=lambda act: keyed == "all" or not act.startswith("kp.") or act in keyed,
            run=secrets.token_hex(4),
            retention=retention_of(file),
            consumers=tuple(file.storage.consumers),
            lockable=lockable(file),
            keypads=frozenset(ident for ident, device in file.devices.items() if device.family == "keypad"),
            meter=meter,
        )
    )


async def judge_half(file: TableFile, files: KeyFiles, meter: Meter, journal: JudgeJournal) -> JudgeHalf:
    """The judge half of one table, folded and ready to run; `journal` may hold other tables too."""
    private = private_keys(files.judge)
    trusted = trusted_keys(files.field)
    identity = Identity(file.table.site, file.table.table, file.judge.name)
    setup = replace(setup_of(file), audit_key=audit_key(private[0]))
    unsealer = Unsealer(Opener(private, trusted, identity.site, identity.table), trusted, identity.site, identity.table)
    return await JudgeHalf.start(
        JudgeParts(
            identity=identity,
            setup=setup,
            judge=TableJudge(identity, setup, unsealer, journal),
            journal=journal,
            keys=private,
            broker=settings_of(file),
            retry=LinkRetry(),
            run=secrets.token_hex(4),
            simulated=file.table.simulated,
            clock=SystemClock(),
            keep_days=file.storage.keep_days,
            lockable=lockable(file),
            meter=meter,
        )
    )


@contextlib.contextmanager
def signals(events: Mapping[signal.Signals, asyncio.Event]) -> Iterator[None]:
    """Each signal sets its event; a second one changes nothing."""
    loop = asyncio.get_running_loop()
    for number, event in events.items():
        loop.add_signal_handler(number, event.set)
    try:
        yield
    finally:
        for number in events:
            loop.remove_signal_handler(number)

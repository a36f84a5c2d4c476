"""The service for one table: builds the halves that the table file asks for, runs them, and stops them in order."""

import asyncio
import contextlib
import secrets
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import structlog

from pitwarden.bus.retry import LinkRetry
from pitwarden.bus.settings import BrokerSettings
from pitwarden.clock import SystemClock
from pitwarden.config.models import TableFile
from pitwarden.field.epoch import FieldKeys
from pitwarden.field.half import FieldHalf, FieldParts
from pitwarden.field.posts import supervised
from pitwarden.field.rows import Place
from pitwarden.journal.field import FieldJournal
from pitwarden.journal.judge import JudgeJournal
from pitwarden.judge.half import JudgeHalf, JudgeParts
from pitwarden.judge.opening import Unsealer
from pitwarden.judge.setup import setup_of
from pitwarden.judge.table import Identity, TableJudge
from pitwarden.seal.keys import PrivateKey, PublicKey, load_private, load_public, load_signing, public_path
from pitwarden.seal.opener import Opener
from pitwarden_drivers import registry

_log = structlog.get_logger()

Half = Literal["field", "judge"]


@dataclass(frozen=True, slots=True)
class KeyFiles:
    """Where a table's keys are."""

    field: Path
    judge: Path


def key_files(folder: Path) -> KeyFiles:
    """The key files in `folder`; the public half of each has `.pub` behind its name."""
    return KeyFiles(folder / "field.key", folder / "judge.key")


def trusted_keys(field_key: Path) -> tuple[str, ...]:
    """The verify keys that sign this table's log, in hexadecimal: today's, and replaced ones that are kept."""
    today = public_path(field_key)
    replaced = sorted(today.parent.glob(f"{today.name}.old-*"))
    return tuple(load_public(path) for path in (today, *replaced))


def private_keys(judge_key: Path) -> tuple[PrivateKey, ...]:
    """The judge's private keys: today's, and the replaced ones whose rows are still kept."""
    replaced = sorted(judge_key.parent.glob(f"{judge_key.name}.old-*"))
    return tuple(load_private(path) for path in (judge_key, *replaced))


def settings_of(file: TableFile) -> BrokerSettings:
    """Where the table file says the broker is."""
    broker = file.broker
    return BrokerSettings(
        host=broker.host,
        port=broker.port,
        username=broker.username,
        password_file=broker.password_file,
        ca=broker.ca,
        cert=broker.cert,
        key=broker.key,
        keepalive=broker.keepalive,
    )


async def run(file: TableFile, *, only: Half | None) -> int:
    """Runs until SIGTERM or SIGINT; the exit code. KeyFileError before anything is opened."""
    stop = asyncio.Event()
    with _signals(stop):
        async with contextlib.AsyncExitStack() as stack:
            halves: list[FieldHalf | JudgeHalf] = []
            file.storage.journals.mkdir(mode=0o700, parents=True, exist_ok=True)
            if only != "judge":
                halves.append(await _field(file, stack))
            if only != "field":
                halves.append(await _judge(file, stack))
            _log.info("running", table=f"{file.table.site}/{file.table.table}", only=only or "both")
            async with asyncio.TaskGroup() as group:
                for half in halves:
                    group.create_task(half.run(stop), name=type(half).__name__)
            _log.info("stopped")
    return 0


async def _field(file: TableFile, stack: contextlib.AsyncExitStack) -> FieldHalf:
    files = key_files(file.storage.keys)
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
        )
    )


async def _judge(file: TableFile, stack: contextlib.AsyncExitStack) -> JudgeHalf:
    files = key_files(file.storage.keys)
    private = private_keys(files.judge)
    trusted = trusted_keys(files.field)
    journal = await JudgeJournal.open(file.storage.journals / "judge.sqlite")
    stack.push_async_callback(journal.close)
    identity = Identity(file.table.site, file.table.table, file.judge.name)
    setup = setup_of(file)
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
        )
    )


@contextlib.contextmanager
def _signals(stop: asyncio.Event) -> Iterator[None]:
    """SIGTERM and SIGINT set `stop`; a second one changes nothing."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)

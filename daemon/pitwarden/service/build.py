"""Composition root: the halves that a table file requires, built from keys, journals, devices and broker."""

import secrets
from collections.abc import Callable
from dataclasses import replace

from pitwarden.bus.link import may_always_publish
from pitwarden.config.models import TableFile
from pitwarden.field.dependencies import FieldDependencies
from pitwarden.field.devices.supervisor import SupervisedDevices
from pitwarden.field.half import FieldHalf
from pitwarden.field.log.epochs import FieldKeys
from pitwarden.field.log.retention import RetentionPolicy
from pitwarden.field.log.row_builder import LogIdentity
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_record import JudgeRecord
from pitwarden.judge.dependencies import JudgeDependencies
from pitwarden.judge.half import JudgeHalf
from pitwarden.judge.intake import FairShare
from pitwarden.judge.table_judge import TableIdentity, TableJudge
from pitwarden.judge.table_setup import build_table_setup
from pitwarden.judge.unsealing import RowUnsealer
from pitwarden.metrics.meter import Meter
from pitwarden.seal.keys import (
    KeyPaths,
    PublicKey,
    derive_audit_key,
    load_private_keys,
    load_public,
    load_replaced_keys,
    load_signing,
    load_trusted_keys,
    load_verify_key,
    public_path,
)
from pitwarden.seal.sealing import Opener
from pitwarden.service.reload import broker_settings
from pitwarden.system.clock import SystemClock
from pitwarden.system.gaming_day import GamingCalendar
from pitwarden_client.backoff import LinkBackoff
from pitwarden_drivers import registry


async def build_field_half(file: TableFile, files: KeyPaths, meter: Meter, journal: FieldJournal) -> FieldHalf:
    """Return the field half of one table, its epoch opened, ready to run."""
    signer = load_signing(files.field)
    judge = PublicKey(bytes.fromhex(load_public(public_path(files.judge))))
    clock = SystemClock()
    return await FieldHalf.start(
        FieldDependencies(
            place=LogIdentity(
                file.table.site,
                file.table.table,
                file.table.simulated,
                GamingCalendar(file.table.zone, file.table.gaming_day),
            ),
            judge=file.judge.name,
            keys=FieldKeys(signer, (judge,), load_replaced_keys(files.field), _commanders(files)),
            clock=clock,
            journal=journal,
            broker=broker_settings(file),
            retry=LinkBackoff(),
            devices={ident: device.serial for ident, device in file.devices.items()},
            drivers=SupervisedDevices(file.devices, clock, registry.find_driver, simulated=file.table.simulated),
            inputs=file.inputs,
            run=secrets.token_hex(4),
            retention=_retention(file),
            consumers=tuple(file.storage.consumers),
            lockable=_lockable(file),
            keypads=frozenset(ident for ident, device in file.devices.items() if device.family == "keypad"),
            meter=meter,
        )
    )


def build_table_judge(file: TableFile, files: KeyPaths, journal: JudgeRecord) -> TableJudge:
    """Return the judge of one table in its initial state."""
    private, trusted = load_private_keys(files.judge), load_trusted_keys(files.field)
    identity = TableIdentity(file.table.site, file.table.table, file.judge.name)
    setup = replace(build_table_setup(file), audit_key=derive_audit_key(private[0]))
    opener = Opener(private, trusted, identity.site, identity.table)
    return TableJudge(identity, setup, RowUnsealer(opener, trusted, identity.site, identity.table), journal)


async def build_judge_half(
    file: TableFile,
    files: KeyPaths,
    meter: Meter,
    journal: JudgeRecord,
    *,
    fair_share: FairShare | None = None,
    may_publish: Callable[[], bool] = may_always_publish,
    on_folded: Callable[[], None] = lambda: None,
) -> JudgeHalf:
    """Return the judge half of one table, its state recovered, ready to run.

    `journal` may hold other tables too. Tables of one process share a `fair_share`. While `may_publish` returns False,
    another judge may own the table. `on_folded` is called for each row that is evaluated again.
    """
    judge = build_table_judge(file, files, journal)
    return await JudgeHalf.start(
        JudgeDependencies(
            identity=judge.identity,
            setup=judge.setup,
            judge=judge,
            journal=journal,
            keys=load_private_keys(files.judge),
            broker=broker_settings(file),
            retry=LinkBackoff(),
            run=secrets.token_hex(4),
            simulated=file.table.simulated,
            clock=SystemClock(),
            keep_days=file.storage.keep_days,
            lockable=_lockable(file),
            meter=meter,
            fair_share=fair_share or FairShare(),
            may_publish=may_publish,
            on_folded=on_folded,
        )
    )


def _commanders(files: KeyPaths) -> tuple[str, ...]:
    """Return the keys that verify the judge's commands; none where the keys were made by an older version."""
    key = load_verify_key(files.judge)
    return () if key is None else (key,)


def _lockable(file: TableFile) -> frozenset[str]:
    """Return the shoes that the judge may lock."""
    return frozenset(ident for ident, device in file.devices.items() if device.lock)


def _retention(file: TableFile) -> RetentionPolicy:
    """Return how long rows are retained, as the table file configures."""
    return RetentionPolicy(file.storage.keep_days, file.storage.max_mb * 1_000_000)

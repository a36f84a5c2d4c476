"""Complete examination of one table controller, in the order in which a person would fix the problems."""

from collections.abc import Callable
from pathlib import Path

from pitwarden.config.halves import account_of, is_apart
from pitwarden.config.models import TableFile
from pitwarden.doctor import broker, devices, group, host, journals, open_files
from pitwarden.doctor.accounts import SHARED
from pitwarden.doctor.findings import DoctorFinding, passed
from pitwarden.doctor.secret_files import check_secret_files
from pitwarden.doctor.topics import LoginTopics, ObservedMessages
from pitwarden.seal.keys import KeyPaths
from pitwarden.service.reload import broker_settings
from pitwarden.system.clock import Clock
from pitwarden_client.events.topics import Half, Topics
from pitwarden_drivers.api import Driver


async def examine(
    config: Path,
    table: TableFile,
    files: KeyPaths,
    clock: Clock,
    driver_named: Callable[[str], Driver],
    *,
    only: Half | None = None,
) -> list[DoctorFinding]:
    """Return every finding, or those about `only` the half that this controller and its login are for.

    A running service is not disturbed: what it has open is read from what it publishes.
    """
    simulated = ", of a SIMULATED table" if table.table.simulated else ""
    found = [passed("configuration", f"{config} is valid{simulated}")]
    found += host.check_keys(files, config, only)
    found += check_secret_files(table)
    found.append(host.check_clock(clock, journals.newest_utc_ms(table.storage.journals)))
    found.append(host.check_gaming_day(table.table, clock))
    found += await open_files.check_open_files(config.stem, table, only)
    found += journals.check_journals(table.storage.journals, only)
    heard = ObservedMessages()
    login = LoginTopics(Topics(table.table.site, table.table.table), table.judge.name, only)
    found += await broker.check_broker(broker_settings(table), login, heard, clock.utc().utc_ms)
    found += await host.check_metrics(table.metrics, clock.utc().utc_ms, running=heard.running(only), only=only)
    if only != "field":
        found += await group.check_group(table.judge_group, f"{table.table.site}/{table.table.table}")
    if only == "judge":
        return found
    field = heard.parts.get("field")
    if field is not None and field.online:
        for name, section in table.devices.items():
            status = heard.devices.get(name)
            found += [] if status is None else [devices.check_reported_device(name, section, status)]
        return found
    account = account_of(config.stem, "field") if is_apart(table) else SHARED
    placed = {name: devices.check_port(name, section, account) for name, section in table.devices.items()}
    there = {name: section for name, section in table.devices.items() if placed[name] is None}
    found += [wrong for wrong in placed.values() if wrong is not None]
    return found + (
        await devices.query_devices(there, clock, driver_named, simulated=table.table.simulated) if there else []
    )

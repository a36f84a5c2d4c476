"""The whole examination of one table controller, in the order in which a person would mend it."""

from collections.abc import Callable
from pathlib import Path

from pitwarden_client.events.topics import Half, Topics

from pitwarden.config.models import TableFile
from pitwarden.doctor import broker, devices, host, journals
from pitwarden.doctor.findings import Finding, ok
from pitwarden.doctor.topics import Heard, Login
from pitwarden.seal.keys import KeyPaths
from pitwarden.service.reload import broker_settings
from pitwarden.system.clock import Clock
from pitwarden_drivers.api import Driver


async def examine(
    config: Path,
    table: TableFile,
    files: KeyPaths,
    clock: Clock,
    driver_named: Callable[[str], Driver],
    *,
    only: Half | None = None,
) -> list[Finding]:
    """Every finding, or those about `only` the half that this controller and its login are for.

    A running service is left alone: what it holds is read from what it says on the bus.
    """
    found = [ok("configuration", f"{config} is valid")]
    found += host.check_keys(files, config, only)
    found.append(host.check_clock(clock, journals.newest_utc_ms(table.storage.journals)))
    found += journals.look(table.storage.journals, only)
    heard = Heard()
    login = Login(Topics(table.table.site, table.table.table), table.judge.name, only)
    found += await broker.look(broker_settings(table), login, heard, clock.utc().utc_ms)
    found += await host.check_metrics(table.metrics, clock.utc().utc_ms, running=heard.running(only), only=only)
    if only == "judge":
        return found
    field = heard.parts.get("field")
    if field is not None and field.online:
        for name, section in table.devices.items():
            status = heard.devices.get(name)
            found += [] if status is None else [devices.told(name, section, status)]
        return found
    placed = {name: devices.place(name, section) for name, section in table.devices.items()}
    there = {name: section for name, section in table.devices.items() if placed[name] is None}
    found += [wrong for wrong in placed.values() if wrong is not None]
    return found + (await devices.asked(there, clock, driver_named) if there else [])

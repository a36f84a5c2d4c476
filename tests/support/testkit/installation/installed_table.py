"""Built package on a booted container: one table, its devices on ptys, a broker with TLS and the shipped ACL."""

import functools
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from pitwarden.bus.messages import InboundMessage
from pitwarden.installation.access_list import access_list
from pitwarden.installation.plan import accounts_text
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.demo.cables import Plug, plugged
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_simulators.table.table_builder import build
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.brokers.site_broker import password_line
from testkit.installation.container import Container, booted
from testkit.installation.package import REPOSITORY
from testkit.processes.live_table import InterruptedOperators, LiveTable, TableRecorder

TLS = REPOSITORY / "tests" / "bus" / "tls"
TABLE = TAB_SHIELDED.table
UNIT = f"pitwarden-table@{TABLE}"
HALVES = ("field", "judge")
UNITS_APART = tuple(f"pitwarden-{half}@{TABLE}" for half in HALVES)
CONFIG = f"/etc/pitwarden/{TABLE}.toml"
METRICS = f"/run/pitwarden/{TABLE}/metrics"
DROP_IN = """\
# Only for this test: the simulated devices' ptys, and no long waits.
[Service]
DeviceAllow=char-pts rw
BindPaths=/run/rig
RestartSec=200ms
WatchdogSec=4
"""
PEOPLE = "\nuser people\ntopic readwrite pitwarden/v1/#\n"


def with_tls_and_acl(folder: Path, *, apart: bool = False) -> MosquittoBroker:
    """Return a broker with TLS, passwords and the list that set-up makes, with the login of the operators added."""
    folder.mkdir()
    (folder / "acl").write_text(access_list("rig", {TABLE: apart}) + PEOPLE)
    logins = [f"{TABLE}-{half}" for half in HALVES] if apart else [TABLE]
    lines = [password_line(login, "table") for login in logins]
    (folder / "passwd").write_text("".join((*lines, password_line("people", "people"))))
    (folder / "people.password").write_text("people")
    lines = [f"cafile {TLS}/tests-only.crt", f"certfile {TLS}/tests-only.crt", f"keyfile {TLS}/tests-only.key"]
    lines += ["allow_anonymous false", f"password_file {folder}/passwd", f"acl_file {folder}/acl"]
    return MosquittoBroker(folder, lines)


class InstalledConsumer(TableRecorder):
    """Consumer that ignores the probes of the doctor."""

    def message(self, message: InboundMessage) -> None:
        if "/doctor/" in message.topic:
            message.ack()
        else:
            super().message(message)


class InstalledTable(LiveTable):
    """Table whose service is a unit in a container."""

    container: Container
    plugs: dict[DeviceName, Plug]
    give: Callable[[], None]

    async def works_again(self, epochs: int) -> None:
        """Wait for a newer epoch than the `epochs` known ones, and until the judge has evaluated rows of it."""
        seen = self.recorder
        await seen.until(lambda: len(seen.epochs) > epochs and seen.state is not None, 60, "the judge after a restart")

    async def status(self) -> str:
        return await self.container.ok(f"systemctl show {UNIT} -p ActiveState,MainPID,NRestarts,StatusText,Result")


@asynccontextmanager
async def installed(
    folder: Path, broker: MosquittoBroker, package: Path, *, apart: bool = False
) -> AsyncIterator[InstalledTable]:
    """Yield a table on ptys, and a container with the package installed and this table configured.

    `apart`: each half is a unit with an account of its own, as set-up makes them; else both are one unit.
    """
    topics = Topics("rig", TABLE)
    built = build(TAB_SHIELDED, "7")
    clock = SystemClock()
    recorder = InstalledConsumer(topics)
    shared = folder / "rig"
    shared.mkdir()
    async with plugged(built.devices, shared, clock, recorder.notify) as plugs:
        inside = {name: f"/run/rig/{name}" for name in plugs}
        text = table_file(TAB_SHIELDED, topics.site, ("127.0.0.1", broker.port), inside, far_from(clock.utc().utc_ms))
        login = f'username = "{TABLE}"\npassword_file = "{TABLE}.keys/broker.password"\nca = "/run/rig/ca.crt"\n'
        text = text.replace("[storage]", f"{login}\n[storage]").replace('"journals"', f'"/var/lib/pitwarden/{TABLE}"')
        if apart:
            text = text.replace("[storage]", '[storage]\nhalves = "apart"')
        text += f'\n[metrics]\nsocket = "{METRICS}"\n'
        (shared / "table.toml").write_text(text.replace('keys = "keys"', f'keys = "{TABLE}.keys"'))
        (shared / "ca.crt").write_bytes((TLS / "tests-only.crt").read_bytes())
        (shared / "drop-in.conf").write_text(DROP_IN)
        binds = {shared: "/run/rig", package.parent: "/run/packages", Path("/dev/pts"): "/run/pts"}
        async with booted(folder, binds) as container:
            rig = InstalledTable(folder, recorder, built, broker)
            rig.container, rig.plugs = container, plugs
            rig.people = InterruptedOperators(topics, recorder, rig.publish, built.devices, plugs, run="rig", speed=0)
            rig.people.interruptions = {}
            rig.door = BrokerSettings(
                "127.0.0.1", broker.port, "people", folder / "mosquitto" / "people.password", TLS / "tests-only.crt"
            )
            await container.ok("mount --bind /run/pts /dev/pts")
            await container.ok("rm -f /usr/sbin/policy-rc.d")  # images of machines forbid packages to start services
            await container.ok(f"dpkg -i /run/packages/{package.name}")
            group = int((await container.ok("getent group pitwarden")).split(":")[2])
            give(shared, group)
            rig.give = functools.partial(give, shared, group)
            await configure(container, apart=apart)
            await rig.connect()
            try:
                yield rig
            except BaseException as error:
                units = " ".join((UNIT, *UNITS_APART))
                error.add_note((await container.run(f"systemctl status --no-pager -l -n 40 {units}")).out)
                raise
            finally:
                await rig.stop_all()


def give(shared: Path, group: int) -> None:
    """Give the devices to the service's group, as the udev rules do."""
    for link in shared.iterdir():
        if link.is_symlink():
            os.chown(link, 0, group)
            link.chmod(0o660)


async def configure(container: Container, *, apart: bool) -> None:
    """Configure the table by the steps that the guide gives a technician."""
    await container.ok(f"cp /run/rig/table.toml {CONFIG}")
    await container.ok(f"pitwarden keys {CONFIG}")
    for folder in HALVES if apart else (".",):
        await container.ok(f"umask 077; printf table >/etc/pitwarden/{TABLE}.keys/{folder}/broker.password")
    if apart:
        await container.ok("mkdir -p /etc/sysusers.d")
        await container.ok(f"cat >/etc/sysusers.d/pitwarden-{TABLE}.conf <<'END'\n{accounts_text(TABLE)}END")
        await container.ok("systemd-sysusers")
    units = UNITS_APART if apart else (UNIT,)
    for unit in units:
        await container.ok(f"install -D /run/rig/drop-in.conf /etc/systemd/system/{unit}.service.d/test.conf")
    await container.ok(f"systemctl daemon-reload; systemctl enable {' '.join(units)}")

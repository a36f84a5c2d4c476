"""The built package under a real systemd: installed, hardened, played on, killed, hung, reloaded, upgraded, removed."""

import asyncio
import functools
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from broker import Broker
from container import Container, booted, unable
from package_fixture import REPOSITORY, Package
from passwords import password_line
from pitwarden.bus.message import Message
from pitwarden.clock import SystemClock
from pitwarden.events.topics import Topics
from pitwarden.rules import RULES_VERSION
from pitwarden_simulators.demo.plugs import Plug, plugged
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.build import build
from pitwarden_simulators.table.setup import TAB_SHIELDED
from service_rig import Recorder, Rig, RoughPeople

TLS = REPOSITORY / "tests" / "bus" / "tls"
TABLE = TAB_SHIELDED.table
UNIT = f"pitwarden-table@{TABLE}"
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
pytestmark = [
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(bool(unable()), reason=unable()),
]


def with_tls_and_acl(folder: Path) -> Broker:
    """A broker with TLS, passwords and the shipped ACL; the people's own login stands behind it."""
    shipped = (REPOSITORY / "config" / "mosquitto" / "pitwarden.acl").read_text()
    folder.mkdir()
    (folder / "acl").write_text(shipped.replace("/harbor/", "/rig/") + PEOPLE)
    (folder / "passwd").write_text(password_line(TABLE, "table") + password_line("people", "people"))
    (folder / "people.password").write_text("people")
    lines = [f"cafile {TLS}/tests-only.crt", f"certfile {TLS}/tests-only.crt", f"keyfile {TLS}/tests-only.key"]
    lines += ["allow_anonymous false", f"password_file {folder}/passwd", f"acl_file {folder}/acl"]
    return Broker(folder, lines)


@pytest.fixture
def packages(package: Package, tmp_path: Path) -> tuple[Path, Path]:
    """The package, and one rebuilt with a higher version."""
    folder = tmp_path / "packages"
    folder.mkdir()
    first = folder / package.deb.name
    shutil.copy(package.deb, first)
    tree = tmp_path / "newer"
    subprocess.run(["dpkg-deb", "-R", first, tree], check=True)
    control = tree / "DEBIAN" / "control"
    control.write_text(control.read_text().replace("-1\n", "-2\n", 1))
    newer = folder / first.name.replace("-1_", "-2_")
    subprocess.run(["dpkg-deb", "-Znone", "-b", tree, newer], check=True, capture_output=True)
    return first, newer


class Consumer(Recorder):
    """A consumer who knows that the doctor's probes are no messages of the table."""

    def message(self, message: Message) -> None:
        if "/doctor/" in message.topic:
            message.ack()
        else:
            super().message(message)


class InstalledRig(Rig):
    """The rig whose service is a unit in a container."""

    container: Container
    plugs: dict[DeviceName, Plug]
    give: Callable[[], None]

    async def works_again(self, epochs: int) -> None:
        """There is a newer epoch than the `epochs` that were known, and the judge has judged rows of it."""
        seen = self.recorder
        await seen.until(lambda: len(seen.epochs) > epochs and seen.state is not None, 60, "the judge after a restart")

    async def status(self) -> str:
        return await self.container.ok(f"systemctl show {UNIT} -p ActiveState,MainPID,NRestarts,StatusText,Result")


@asynccontextmanager
async def installed(folder: Path, broker: Broker, package: Path) -> AsyncIterator[InstalledRig]:
    """A table on ptys, and a container with the package installed and this table configured."""
    topics = Topics("rig", TABLE)
    built = build(TAB_SHIELDED, "7")
    clock = SystemClock()
    recorder = Consumer(topics)
    shared = folder / "rig"
    shared.mkdir()
    async with plugged(built.devices, shared, clock, recorder.notify) as plugs:
        inside = {name: f"/run/rig/{name}" for name in plugs}
        text = table_file(TAB_SHIELDED, topics.site, ("127.0.0.1", broker.port), inside, far_from(clock.utc().utc_ms))
        login = f'username = "{TABLE}"\npassword_file = "{TABLE}.keys/broker.password"\nca = "/run/rig/ca.crt"\n'
        text = text.replace("[storage]", f"{login}\n[storage]").replace('"journals"', f'"/var/lib/pitwarden/{TABLE}"')
        text += f'\n[metrics]\nsocket = "{METRICS}"\n'
        (shared / "table.toml").write_text(text.replace('keys = "keys"', f'keys = "{TABLE}.keys"'))
        (shared / "ca.crt").write_bytes((TLS / "tests-only.crt").read_bytes())
        (shared / "drop-in.conf").write_text(DROP_IN)
        binds = {shared: "/run/rig", package.parent: "/run/packages", Path("/dev/pts"): "/run/pts"}
        async with booted(folder, binds) as container:
            rig = InstalledRig(folder, recorder, built, broker)
            rig.container, rig.plugs = container, plugs
            rig.people = RoughPeople(topics, recorder, rig.publish, built.devices, plugs, run="rig", speed=0)
            rig.people.trouble = {}
            rig.address = (
                "127.0.0.1",
                broker.port,
                "people",
                folder / "mosquitto" / "people.password",
                TLS / "tests-only.crt",
            )
            await container.ok("mount --bind /run/pts /dev/pts")
            await container.ok("rm -f /usr/sbin/policy-rc.d")  # images of machines forbid packages to start services
            await container.ok(f"dpkg -i /run/packages/{package.name}")
            group = int((await container.ok("getent group pitwarden")).split(":")[2])
            give(shared, group)
            rig.give = functools.partial(give, shared, group)
            await configure(container)
            await rig.connect()
            try:
                yield rig
            except BaseException as error:
                error.add_note((await container.run(f"systemctl status --no-pager -l -n 40 {UNIT}")).out)
                raise
            finally:
                await rig.stop_all()


def give(shared: Path, group: int) -> None:
    """What the udev rules do: the devices belong to the service's group."""
    for link in shared.iterdir():
        if link.is_symlink():
            os.chown(link, 0, group)
            link.chmod(0o660)


async def configure(container: Container) -> None:
    """What the README tells a field engineer to do."""
    await container.ok(f"cp /run/rig/table.toml {CONFIG}")
    await container.ok(f"pitwarden keys {CONFIG}")
    await container.ok(f"umask 077; printf table >/etc/pitwarden/{TABLE}.keys/broker.password")
    await container.ok(f"install -D /run/rig/drop-in.conf /etc/systemd/system/{UNIT}.service.d/test.conf")
    await container.ok(f"systemctl daemon-reload; systemctl enable {UNIT}")


async def test_a_table_controller_from_installation_to_removal(tmp_path: Path, packages: tuple[Path, Path]) -> None:
    package, newer = packages
    with with_tls_and_acl(tmp_path / "mosquitto") as broker:
        async with installed(tmp_path, broker, package) as rig:
            await the_files_are_those_of_the_list(rig.container)
            await rig.container.ok(f"systemctl start {UNIT}")
            await rig.ready()
            await rig.play(1)
            await says_how_it_is(rig)
            await survives_a_kill_and_a_hang(rig)
            await survives_an_unplugged_device(rig)
            await survives_a_broker_restart(rig)
            await reloads_what_is_valid_only(rig)
            await stops_in_bound(rig)
            await upgrades_and_refuses_to_go_back(rig, package, newer)
            await leaves_the_evidence(rig)


async def the_files_are_those_of_the_list(container: Container) -> None:
    assert "files are as" in await container.ok("pitwarden version --verify")
    await container.ok("echo '#' >>/usr/lib/pitwarden/lib/python3.11/site-packages/pitwarden/app.py")
    changed = await container.run("pitwarden version --verify")
    assert changed.code == 1
    assert changed.out.endswith("site-packages/pitwarden/app.py: changed")
    await container.ok("sed -i '$d' /usr/lib/pitwarden/lib/python3.11/site-packages/pitwarden/app.py")


async def says_how_it_is(rig: InstalledRig) -> None:
    """The status line, the metrics for the group alone, and a doctor who leaves the running service alone."""
    judged_by = f"; rules {RULES_VERSION} profile "
    status = await rig.container.until(f"systemctl show {UNIT} -p StatusText", judged_by)
    assert "dealing permitted" in status or "DEALING WITHHELD: " in status
    assert await rig.container.ok(f"stat -c '%a %U %G' {METRICS}") == "660 pitwarden pitwarden"
    said = json.loads((await rig.container.run(f"pitwarden doctor --json {CONFIG}")).out)
    levels = {each["subject"]: each["level"] for each in said}
    assert (levels["metrics"], levels["acl"], levels["tls"]) == ("ok", "ok", "ok"), said
    assert {levels[f"device {name}"] for name in rig.plugs} == {"ok"}, said


async def survives_a_kill_and_a_hang(rig: InstalledRig) -> None:
    for name in ("KILL", "STOP"):
        epochs = len(rig.recorder.epochs)
        await rig.container.ok(f"systemctl kill -s {name} {UNIT}")
        await rig.works_again(epochs)
        rig.people.forget()
    assert "NRestarts=2" in await rig.status()
    assert "watchdog" in await rig.container.ok(f"journalctl -u {UNIT} -o cat --no-pager")


async def survives_an_unplugged_device(rig: InstalledRig) -> None:
    rig.plugs["shuffler"].unplug()
    await rig.container.until(f"systemctl show {UNIT} -p StatusText", "shuffler lost")
    rig.plugs["shuffler"].replug()
    rig.give()
    await rig.container.until(f"systemctl show {UNIT} -p StatusText", "shuffler online")


async def survives_a_broker_restart(rig: InstalledRig) -> None:
    rig.broker.kill()
    rig.broker.start()
    rig.recorder.state = None
    await rig.connect()
    await rig.works_again(len(rig.recorder.epochs) - 1)


async def reloads_what_is_valid_only(rig: InstalledRig) -> None:
    await rig.container.ok(f"systemctl reload {UNIT}")
    await rig.container.until(f"journalctl -u {UNIT} -o cat --no-pager", "reloaded")
    await rig.container.ok(f"echo 'nonsense = 1' >>{CONFIG}")
    assert (await rig.container.run(f"systemctl reload {UNIT}")).code != 0
    await rig.container.ok(f"cp /run/rig/table.toml {CONFIG}")
    assert "ActiveState=active" in await rig.status()
    fields = await rig.container.ok(f"journalctl PITWARDEN_EVENT=reloaded -u {UNIT} -o cat --no-pager")
    assert "reloaded" in fields


async def stops_in_bound(rig: InstalledRig) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    await rig.container.ok(f"systemctl stop {UNIT}")
    assert loop.time() - began < 8
    assert "Result=success" in await rig.status()
    await rig.recorder.until(lambda: not rig.recorder.status["field"].online, 20, "offline")


async def upgrades_and_refuses_to_go_back(rig: InstalledRig, package: Path, newer: Path) -> None:
    epochs = len(rig.recorder.epochs)
    await rig.container.ok("systemctl start pitwarden.target")
    await rig.works_again(epochs)
    epochs = len(rig.recorder.epochs)
    await rig.container.ok(f"dpkg -i /run/packages/{newer.name}")
    await rig.works_again(epochs)
    assert "ActiveState=active" in await rig.status()
    back = await rig.container.run(f"dpkg -i /run/packages/{package.name}")
    assert back.code != 0
    assert "would judge by other rules" in back.out
    assert "-2" in await rig.container.ok("dpkg-query -W -f '${Version}' pitwarden")


async def leaves_the_evidence(rig: InstalledRig) -> None:
    said = await rig.container.ok("dpkg -P pitwarden")
    assert "are kept" in said
    assert (await rig.container.run(f"systemctl is-active {UNIT}")).out != "active"
    await rig.container.ok(
        f"test -s /var/lib/pitwarden/{TABLE}/field.sqlite -a -s /etc/pitwarden/{TABLE}.keys/field.key"
    )
    assert (await rig.container.run("test -e /usr/lib/pitwarden")).code == 1

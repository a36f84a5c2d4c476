"""The built package under a real systemd: installed, hardened, played on, killed, hung, reloaded, upgraded, removed."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pitwarden.rules import RULES_VERSION
from testkit.clocks.waiting import PATIENCE_S
from testkit.installation.container import Container, missing_for_container
from testkit.installation.installed_table import (
    CONFIG,
    METRICS,
    TABLE,
    UNIT,
    InstalledTable,
    installed,
    with_tls_and_acl,
)
from testkit.installation.package import Package

pytestmark = [
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(bool(missing_for_container()), reason=missing_for_container()),
]


@pytest.fixture
def packages(package: Package, tmp_path: Path) -> tuple[Path, Path]:
    """Return the package, and one rebuilt with a higher version."""
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
    await container.ok("echo '#' >>/usr/lib/pitwarden/lib/python3.11/site-packages/pitwarden/service/run.py")
    changed = await container.run("pitwarden version --verify")
    assert changed.code == 1
    assert changed.out.endswith("site-packages/pitwarden/service/run.py: changed")
    await container.ok("sed -i '$d' /usr/lib/pitwarden/lib/python3.11/site-packages/pitwarden/service/run.py")


async def says_how_it_is(rig: InstalledTable) -> None:
    """Check the status line, the metrics for the group alone, and a doctor that does not disturb the service."""
    judged_by = f"; rules {RULES_VERSION} profile "
    status = await rig.container.until(f"systemctl show {UNIT} -p StatusText", judged_by)
    assert "dealing permitted" in status or "DEALING WITHHELD: " in status
    assert await rig.container.ok(f"stat -c '%a %U %G' {METRICS}") == "660 pitwarden pitwarden"
    said = json.loads((await rig.container.run(f"pitwarden doctor --json {CONFIG}")).out)
    levels = {each["subject"]: each["level"] for each in said}
    assert (levels["metrics"], levels["acl"], levels["tls"]) == ("ok", "ok", "ok"), said
    assert {levels[f"device {name}"] for name in rig.plugs} == {"ok"}, said


async def survives_a_kill_and_a_hang(rig: InstalledTable) -> None:
    for name in ("KILL", "STOP"):
        epochs = len(rig.recorder.epochs)
        await rig.container.ok(f"systemctl kill -s {name} {UNIT}")
        await rig.works_again(epochs)
        rig.people.forget()
    assert "NRestarts=2" in await rig.status()
    assert "watchdog" in await rig.container.ok(f"journalctl -u {UNIT} -o cat --no-pager")


async def survives_an_unplugged_device(rig: InstalledTable) -> None:
    rig.plugs["shuffler"].unplug()
    await rig.container.until(f"systemctl show {UNIT} -p StatusText", "shuffler lost")
    rig.plugs["shuffler"].replug()
    rig.give()
    await rig.container.until(f"systemctl show {UNIT} -p StatusText", "shuffler online")


async def survives_a_broker_restart(rig: InstalledTable) -> None:
    rig.broker.kill()
    rig.broker.start()
    rig.recorder.state = None
    await rig.connect()
    await rig.works_again(len(rig.recorder.epochs) - 1)


async def reloads_what_is_valid_only(rig: InstalledTable) -> None:
    await rig.container.ok(f"systemctl reload {UNIT}")
    await rig.container.until(f"journalctl -u {UNIT} -o cat --no-pager", "reloaded")
    await rig.container.ok(f"echo 'nonsense = 1' >>{CONFIG}")
    assert (await rig.container.run(f"systemctl reload {UNIT}")).code != 0
    await rig.container.ok(f"cp /run/rig/table.toml {CONFIG}")
    assert "ActiveState=active" in await rig.status()
    fields = await rig.container.ok(f"journalctl PITWARDEN_EVENT=reloaded -u {UNIT} -o cat --no-pager")
    assert "reloaded" in fields


async def stops_in_bound(rig: InstalledTable) -> None:
    """Else systemd kills it, and says so."""
    await rig.container.ok(f"systemctl stop {UNIT}")
    assert "Result=success" in await rig.status()
    await rig.recorder.until(lambda: not rig.recorder.status["field"].online, PATIENCE_S, "offline")


async def upgrades_and_refuses_to_go_back(rig: InstalledTable, package: Path, newer: Path) -> None:
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


async def leaves_the_evidence(rig: InstalledTable) -> None:
    said = await rig.container.ok("dpkg -P pitwarden")
    assert "are kept" in said
    assert (await rig.container.run(f"systemctl is-active {UNIT}")).out != "active"
    await rig.container.ok(
        f"test -s /var/lib/pitwarden/{TABLE}/field.sqlite -a -s /etc/pitwarden/{TABLE}.keys/field.key"
    )
    assert (await rig.container.run("test -e /usr/lib/pitwarden")).code == 1

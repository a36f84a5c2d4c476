"""The shipped default under a real systemd: an account for each half, and what the one cannot do to the other."""

import shutil
from pathlib import Path

import pytest

from testkit.installation.container import missing_for_container
from testkit.installation.installed_table import (
    CONFIG,
    HALVES,
    TABLE,
    UNITS_APART,
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

JOURNALS, KEYS = f"/var/lib/pitwarden/{TABLE}", f"/etc/pitwarden/{TABLE}.keys"
FIELD, JUDGE = UNITS_APART


async def test_a_table_with_an_account_for_each_half(tmp_path: Path, package: Package) -> None:
    folder = tmp_path / "packages"
    folder.mkdir()
    deb = folder / package.deb.name
    shutil.copy(package.deb, deb)
    with with_tls_and_acl(tmp_path / "mosquitto", apart=True) as broker:
        async with installed(tmp_path, broker, deb, apart=True) as rig:
            await rig.container.ok(f"systemctl start {FIELD} {JUDGE}")
            await rig.ready()
            await rig.play(1)
            await each_half_has_its_account(rig)
            await what_parses_device_bytes_reaches_nothing_of_the_judge(rig)
            await the_halves_survive_each_other(rig)
            await doctor_examines_both(rig)
            await the_record_is_verified_backed_up_and_restored(rig)
            await an_upgrade_leaves_halves_of_before_as_they_were(rig, deb)


async def each_half_has_its_account(rig: InstalledTable) -> None:
    for half, unit in zip(HALVES, UNITS_APART, strict=True):
        pid = await rig.container.ok(f"systemctl show -P MainPID {unit}")
        assert await rig.container.ok(f"ps -o user:32= -p {pid}") == f"pw-{TABLE}-{half}"
        said = await rig.container.ok(f"stat -c '%a %U %G' {JOURNALS}/{half} {JOURNALS}/{half}/{half}.sqlite")
        assert said.splitlines() == [f"700 pw-{TABLE}-{half} pitwarden", f"600 pw-{TABLE}-{half} pitwarden"]
        limits = await rig.container.ok(f"grep 'core file' /proc/{pid}/limits")
        assert limits.split()[4:6] == ["0", "0"]
        assert await rig.container.ok(f"systemctl show -P MemorySwapMax {unit}") == "0"


async def what_parses_device_bytes_reaches_nothing_of_the_judge(rig: InstalledTable) -> None:
    """Try it as that process: account, groups, namespaces and view of the files; and the other way round."""
    for ours, theirs, unit in (("field", "judge", FIELD), ("judge", "field", JUDGE)):
        pid = await rig.container.ok(f"systemctl show -P MainPID {unit}")
        account = f"pw-{TABLE}-{ours}"
        inside = f"nsenter -t {pid} -m -- setpriv --reuid {account} --regid pitwarden --clear-groups"
        own = f"dd if={JOURNALS}/{ours}/{ours}.sqlite of=/dev/null count=1"
        assert (await rig.container.run(f"{inside} {own}")).code == 0, "the trial itself works"
        for attempt in (
            f"dd if={JOURNALS}/{theirs}/{theirs}.sqlite of=/dev/null count=1",
            f"dd if=/dev/zero of={JOURNALS}/{theirs}/{theirs}.sqlite count=1 conv=notrunc",
            f"touch {JOURNALS}/{theirs}/x",
            f"mv {JOURNALS}/{theirs} {JOURNALS}/y",
            f"ls {JOURNALS}/{theirs}",
            f"cat {KEYS}/{theirs}/{theirs}.key",
            f"cat {KEYS}/{ours}/{ours}.key",
            f"ls /run/credentials/pitwarden-{theirs}@{TABLE}.service",
            f"cat /run/credentials/pitwarden-{theirs}@{TABLE}.service/keys_{theirs}.key",
        ):
            tried = await rig.container.run(f"{inside} {attempt}")
            assert tried.code != 0, f"{account}: {attempt}"
        other = await rig.container.ok(f"systemctl show -P MainPID pitwarden-{theirs}@{TABLE}")
        for attempt in (f"kill -0 {other}", f"cat /proc/{other}/mem", f"cat /proc/{other}/environ"):
            tried = await rig.container.run(f"setpriv --reuid {account} --regid pitwarden --clear-groups {attempt}")
            assert tried.code != 0, f"{account}: {attempt}"
        held = await rig.container.ok(f"ls /run/credentials/{unit}.service")
        private = {name for name in held.split() if name.endswith(".key")}
        assert private == {f"keys_{ours}.key"}


async def the_halves_survive_each_other(rig: InstalledTable) -> None:
    epochs = len(rig.recorder.epochs)
    await rig.container.ok(f"systemctl kill -s KILL {JUDGE}")
    await rig.container.until(f"systemctl show -P NRestarts {JUDGE}", "1")
    assert len(rig.recorder.epochs) == epochs, "the log goes on while the judge restarts"
    await rig.container.ok(f"systemctl kill -s KILL {FIELD}")
    await rig.works_again(epochs)
    rig.people.forget()


async def doctor_examines_both(rig: InstalledTable) -> None:
    said = (await rig.container.run(f"pitwarden doctor {CONFIG}")).out
    for half in HALVES:
        assert f"account pw-{TABLE}-{half}: runs this half alone" in said, said
        assert f"{half} journal: whole" in said
        assert f"acl, {half}: " in said


async def the_record_is_verified_backed_up_and_restored(rig: InstalledTable) -> None:
    await rig.container.ok(f"systemctl stop {FIELD} {JUDGE}")
    assert "witness judge's copy" in await rig.container.ok(f"pitwarden journal verify --config {CONFIG}")
    await rig.container.ok(f"pitwarden journal backup --config {CONFIG} --out /root/copies")
    await rig.container.ok(f"pitwarden journal verify --config {CONFIG} --journals /root/copies")
    await rig.container.ok(f"pitwarden journal restore --config {CONFIG} --from /root/copies")
    for half in HALVES:
        assert await rig.container.ok(f"stat -c %U {JOURNALS}/{half}/{half}.sqlite") == f"pw-{TABLE}-{half}"
    epochs = len(rig.recorder.epochs)
    await rig.container.ok(f"systemctl start {FIELD} {JUDGE}")
    await rig.works_again(epochs)


async def an_upgrade_leaves_halves_of_before_as_they_were(rig: InstalledTable, deb: Path) -> None:
    """Pretend that the judge was set up by an older version, with a table file that does not name accounts."""
    await rig.container.ok(f"systemctl stop {FIELD} {JUDGE}; systemctl disable {FIELD}")
    await rig.container.ok(f"sed -i '/^halves/d' {CONFIG}")
    said = await rig.container.ok(f"dpkg -i /run/packages/{deb.name}")
    assert f"pitwarden-judge@{TABLE}.service keeps the account pitwarden" in said
    await rig.container.ok("systemctl daemon-reload")
    assert await rig.container.ok(f"systemctl show -P User {JUDGE}") == "pitwarden"
    assert await rig.container.ok(f"systemctl show -P StateDirectory {JUDGE}") == f"pitwarden/{TABLE}"
    again = await rig.container.ok(f"dpkg -i /run/packages/{deb.name}")
    assert "keeps the account" not in again

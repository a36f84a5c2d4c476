"""The technician's guide as it is typed: its own commands, from a bare controller with a real systemd to the purge.

Each block of the pages in WALK is extracted from the document and typed in a container, in their order; what a page
shows as output must be printed. Nothing of the product is prepared by the test.
"""

import contextlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from testkit.documents.page_blocks import ROOT, Block, agrees, blocks
from testkit.installation.container import CommandResult, Container, booted, missing_for_container
from testkit.installation.package import Package, next_revision
from testkit.installation.time_server import may_set_clock, time_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

GUIDE = ROOT / "docs" / "how-to" / "technician"
COMMISSION, SET_UP, REPLACE = "commission-without-hardware", "set-up-a-table", "replace-a-device"
BACK_UP, UPGRADE, INSTALL = "back-up-and-restore", "upgrade", "install"
OPERATED = (
    "monitor", "secure-a-controller", "send-a-support-bundle", "use-several-brokers", "renew-certificates-and-keys",
)  # fmt: skip
ELSEWHERE = {
    "run-a-group-of-judges": "needs a database and several machines: tests/judge_group",
    "run-a-pit": "a judge of several tables: tests/pit",
    "run-halves-apart": "moves a table of an older version: tests/ops/test_installed_halves.py",
    "verify-a-record": "needs a witness on another machine: tests/audit",
}
"""Pages with commands for a controller that are not typed here, and what covers them."""

MOST_COMMANDS, MOST_ANSWERS = 12, 10
SIMULATED_PATH = [(COMMISSION, "Install"), (COMMISSION, "Start the devices"), (COMMISSION, "Set up the table")]
REAL_PATH = [
    (INSTALL, "Install it"), (INSTALL, "Synchronize the clock"), (SET_UP, "Find the devices"),
    (SET_UP, "Answer the questions"), (SET_UP, "Start the broker"), (SET_UP, "Examine"),
]  # fmt: skip
"""Sections that lead from a bare controller to a green doctor."""

UNITS = ("pitwarden-field@ta01", "pitwarden-judge@ta01", "pitwarden-simulators@ta01")

_ANSWER = re.compile(r"^(?P<question>[A-Z][^:]*): (?P<answer>.*)$")


def of_controller(page: str, heading: str = "") -> list[Block]:
    """Return the commands of a page for a controller, or those below one heading."""
    return [block for block in below(page, heading) if "no-controller" in block.conditions]


def below(page: str, heading: str = "") -> list[Block]:
    """Return the blocks of a page, or those below one heading."""
    file = GUIDE / f"{page}.md"
    lines = file.read_text().splitlines()
    starts = [number for number, line in enumerate(lines, 1) if line.startswith("## ")] + [len(lines) + 1]
    first, end = next(
        (start, after) for start, after in zip([0, *starts], starts, strict=False)
        if not heading or (start and lines[start - 1].removeprefix("## ").lstrip("0123456789. ") == heading)
    )  # fmt: skip
    inside = range(first, end) if heading else range(len(lines) + 1)
    return [block for block in blocks(file) if block.line in inside]


def answers(page: str) -> str:
    """Return what the page types as answers to the questions of `pitwarden setup`."""
    [shown] = [block for block in blocks(GUIDE / f"{page}.md") if block.language == "text" and "Site: " in block.text]
    found = [_ANSWER.match(line) for line in shown.text.splitlines()]
    assert all(found)
    return "".join(f"{each['answer']}\n" for each in found if each)


async def typed(container: Container, block: Block, keys: str = "") -> str:
    """Type a block as it stands in the document; it must succeed, and print what the page shows."""
    said = await attempt(container, block, keys)
    if block.text.splitlines()[-1].startswith("pitwarden doctor ") and said.code == 1 and not may_set_clock():
        assert bad(said.out) == {"clock"}, f"{block}:\n{said.out}"
        return said.out
    assert said.code == 0, f"{block}: exit code {said.code}:\n{block.text}\n{said.out}"
    assert block.output is None or agrees(block.output, said.out), f"{block} printed:\n{said.out}"
    return said.out


async def attempt(container: Container, block: Block, keys: str = "") -> CommandResult:
    quoted = block.text.replace("'", "'\\''")
    return await container.run(f"cd /root && exec bash -euo pipefail -c '{quoted}'", keys)


async def walk(container: Container, page: str, heading: str = "") -> str:
    found = of_controller(page, heading)
    assert found, f"{page}: no commands below {heading!r}"
    return "\n".join([await typed(container, block) for block in found])


@pytest.fixture
def packages(package: Package, tmp_path: Path) -> Path:
    """Return the folder that the guide names /run/packages."""
    reason = missing_for_container()
    if reason:
        pytest.skip(reason)
    folder = tmp_path / "packages"
    folder.mkdir()
    for deb in (package.deb, package.simulators):
        shutil.copy(deb, folder)
        next_revision(deb, folder)
    return folder


async def test_the_guide_is_right_when_it_is_typed(packages: Path, tmp_path: Path) -> None:
    async with booted(tmp_path, {packages: "/run/packages"}) as container:
        await container.ok("rm -f /usr/sbin/policy-rc.d")  # images of machines forbid packages to start services
        async with time_server(container) if may_set_clock() else contextlib.nullcontext():
            await the_pages_in_the_order_of_a_table(container)


async def the_pages_in_the_order_of_a_table(container: Container) -> None:
    await from_a_bare_controller_to_a_green_doctor(container)
    await a_round_is_judged(container)
    await the_guide_of_a_real_table_holds_too(container)
    await a_backup_is_restored(container)
    await an_upgrade_keeps_the_table(container)
    await a_device_is_replaced(container)
    await evidence_outlives_the_package(container)


async def from_a_bare_controller_to_a_green_doctor(container: Container) -> None:
    assert (await container.run("command -v pitwarden")).code != 0
    await walk(container, COMMISSION, "Install")
    await walk(container, COMMISSION, "Start the devices")
    setup, after = of_controller(COMMISSION, "Set up the table")
    keys = answers(COMMISSION)
    assert keys.count("\n") <= MOST_ANSWERS
    said = await typed(container, setup, keys)
    assert said.count("?") + said.count(": ") >= keys.count("\n")
    await typed(container, after)
    await walk(container, INSTALL, "Check the files")
    await a_limit_that_a_drop_in_lowers_is_found(container)


async def a_limit_that_a_drop_in_lowers_is_found(container: Container) -> None:
    examine = "pitwarden doctor /etc/pitwarden/ta01.toml"
    said = (await container.run(examine)).out
    for half in ("field", "judge"):
        assert f"open files, {half}: pitwarden-{half}@ta01.service may open 65536, and needs " in said, said
    drop_in = "/run/systemd/system/pitwarden-judge@ta01.service.d"
    await container.ok(
        f"mkdir -p {drop_in}; printf '[Service]\\nLimitNOFILE=64\\n' >{drop_in}/few.conf; systemctl daemon-reload"
    )
    assert "pitwarden-judge@ta01.service may open 64, and needs " in (await container.run(examine)).out
    await container.ok(f"rm -r {drop_in}; systemctl daemon-reload")


def bad(said: str) -> set[str]:
    """Return what doctor finds bad. A test machine's clock may be free-running, and the container cannot set it."""
    return {line.split()[1].rstrip(":") for line in said.splitlines() if line.startswith("bad ")}


async def a_round_is_judged(container: Container) -> None:
    await walk(container, COMMISSION, "Start the table")
    await container.until(
        "systemctl show -P StatusText pitwarden-judge@ta01", "SIMULATED: harbor/ta01: DEALING WITHHELD"
    )
    said = await walk(container, COMMISSION, "Play a round")
    assert "-- SIMULATED" in said
    assert "dealer.2 is JC" in said
    assert not re.search(r"\b(HOLD|VOID|ALERT)\b.* open", said), said
    await container.until("systemctl show -P StatusText pitwarden-judge@ta01", "dealing permitted")
    denied = await container.run(
        "pitwarden tail --until-now --profile /etc/pitwarden/terminals/ta01-floor/profile.toml"
    )
    assert denied.code == 1
    assert "this login may lack the right to ask for it" in denied.out
    rows = await container.ok(
        "pitwarden tail --json --profile /etc/pitwarden/terminals/historian/ta01.toml --from oldest --until-now"
        " 2>/dev/null"
    )
    assert {json.loads(row)["simulated"] for row in rows.splitlines()} == {True}


async def the_guide_of_a_real_table_holds_too(container: Container) -> None:
    """Type the blocks of the pages that a real table shares with the simulated one."""
    for page in (SET_UP, *OPERATED):
        await walk(container, page)
    listed = await container.ok("cd /root && pitwarden clauses --game TAB")
    assert "TAB-36-second-face-up-voids" in listed


async def a_backup_is_restored(container: Container) -> None:
    await walk(container, BACK_UP)
    assert "pw-ta01-field" in await container.ok("stat -c %U /var/lib/pitwarden/ta01/field/field.sqlite")
    await container.until("systemctl show -P StatusText pitwarden-judge@ta01", "rules ")
    await container.ok("test -e /var/lib/pitwarden/ta01/field/field.sqlite.before-restore-1")


async def an_upgrade_keeps_the_table(container: Container) -> None:
    before = await processes(container)
    for heading in ("Before", "Upgrade", "After"):
        await walk(container, UPGRADE, heading)
    assert await installed(container) == {"0.2.0-2"}
    for unit in UNITS:
        await container.until(f"systemctl is-active {unit}", "active")
    newer = await processes(container)
    assert not before & newer, "an upgrade restarts every unit"
    refused, allowed = of_controller(UPGRADE, "Downgrade")
    await typed(container, refused)
    assert await installed(container) == {"0.2.0-2"}, "a refused downgrade leaves no package half installed"
    for unit in UNITS:
        await container.until(f"systemctl is-active {unit}", "active")
    await typed(container, allowed)
    assert await installed(container) == {"0.2.0-1"}
    for unit in UNITS:
        await container.until(f"systemctl is-active {unit}", "active")


async def installed(container: Container) -> set[str]:
    """Return the versions of pitwarden's packages; one that is not completely installed is named by its state."""
    said = await container.ok("dpkg-query -W -f '${db:Status-Abbrev}${Version}\\n' pitwarden pitwarden-simulators")
    return {line.removeprefix("ii ") for line in said.splitlines()}


async def processes(container: Container) -> set[str]:
    """Return the main processes of the table's units."""
    return set((await container.ok(f"systemctl show -P MainPID {' '.join(UNITS)}")).split())


async def a_device_is_replaced(container: Container) -> None:
    await walk(container, COMMISSION, "Practice a replacement")
    await walk(container, REPLACE)
    await container.until("systemctl show -P StatusText pitwarden-field@ta01", "shoe online")


async def evidence_outlives_the_package(container: Container) -> None:
    await walk(container, INSTALL, "Remove it")
    assert (await container.run("test -e /usr/lib/pitwarden -o -e /run/pitwarden-simulators/ta01")).code != 0
    assert (await container.run("systemctl is-active 'pitwarden-*'")).out in {"", "inactive"}
    await container.ok(
        "test -s /var/lib/pitwarden/ta01/field/field.sqlite -a -s /etc/pitwarden/ta01.keys/field/field.key"
    )


def commands(found: list[Block]) -> Iterator[str]:
    """Yield each command line; a line that ends with a backslash goes on."""
    for block in found:
        yield from (line for line in block.text.replace("\\\n", "").splitlines() if line.strip())


@pytest.mark.parametrize("path", [SIMULATED_PATH, REAL_PATH], ids=["simulated", "real"])
def test_twelve_commands_and_ten_answers_lead_from_a_bare_controller_to_doctor(path: list[tuple[str, str]]) -> None:
    found = [
        block for page, heading in path for block in below(page, heading)
        if block.language == "bash" and {"no-controller", "no-hardware"} & set(block.conditions)
    ]  # fmt: skip
    listed = list(commands(found))
    assert listed[-1].startswith("pitwarden doctor /etc/pitwarden/ta01.toml")
    assert len(listed) <= MOST_COMMANDS, listed
    assert answers(COMMISSION).count("\n") <= MOST_ANSWERS


def test_each_command_for_a_controller_is_typed_here_or_covered_elsewhere() -> None:
    marked = {
        file.stem for file in (ROOT / "docs").rglob("*.md")
        if any("no-controller" in block.conditions for block in blocks(file))
    }  # fmt: skip
    typed_here = {COMMISSION, SET_UP, REPLACE, BACK_UP, UPGRADE, INSTALL, *OPERATED}
    assert marked == typed_here | set(ELSEWHERE)

"""The demo as a person runs it: everything injected is found, nothing is invented, whichever broker and processes."""

import asyncio
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from testkit.brokers.mosquitto import MosquittoBroker

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


def demo(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pitwarden.cli", "demo", *words], capture_output=True, text=True, check=False
    )


IRREGULARITY = re.compile(
    r"^(?P<table>[a-z-]+) +(?P<round>\d+) +(?P<fault>[a-z_]*) +(?P<clause>[A-Z]+-\d+ \S+)"
    r" +(?P<verdict>[A-Z_]+(?: [A-Z_]+)*)  ",
    re.MULTILINE,
)


def irregularities(printed: str) -> list[tuple[str, ...]]:
    """Table, round, fault, clause, verdict of each irregularity in the closing table, in order."""
    return [match.groups() for match in IRREGULARITY.finditer(printed[printed.index("table ") :])]


@pytest.mark.full
@pytest.mark.broker
def test_two_processes_over_mosquitto_find_what_one_over_the_embedded_broker_finds(broker: MosquittoBroker) -> None:
    words = ("--rounds", "1", "--seed", "4")  # a night has the rounds that its faults need
    one = demo(*words)
    assert one.returncode == 0, one.stdout + one.stderr
    two = demo(*words, "--two-processes", "--broker", f"mqtt://127.0.0.1:{broker.port}")
    assert two.returncode == 0, two.stdout + two.stderr
    assert irregularities(one.stdout) == irregularities(two.stdout)
    assert len(irregularities(one.stdout)) > 30


@pytest.mark.full
@pytest.mark.broker
async def test_a_broker_that_is_restarted_in_the_night_changes_nothing_in_the_summary(broker: MosquittoBroker) -> None:
    words = ("--game", "three-card-blitz", "--rounds", "1", "--seed", "4")
    honest = demo(*words)
    assert honest.returncode == 0, honest.stdout + honest.stderr
    played = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pitwarden.cli", "demo", *words, "--broker", f"mqtt://127.0.0.1:{broker.port}",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    assert played.stdout is not None
    said = []
    async for line in played.stdout:
        said.append(line.decode())
        if len(said) in {6, 14, 15}:  # twice in one round
            broker.kill()
            broker.start()
    assert await played.wait() == 0, "".join(said)
    assert len(said) > 20
    assert irregularities("".join(said)) == irregularities(honest.stdout)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--broker", "mqtt://192.0.2.1:1883"), "loopback"),
        (("--faults", "stray_tne"), "stray_ten"),
        (("--game", "switch-hands,war"), "no game 'war': choose from triple-attack-blackjack"),
        (("--broker", "mqtt://127.0.0.1:1"), "no broker at 127.0.0.1:1"),
    ],
)
def test_a_wrong_word_is_a_sentence(words: tuple[str, ...], reason: str) -> None:
    played = demo("--rounds", "1", *words)
    assert played.returncode != 0
    assert reason in played.stderr + played.stdout
    assert "Traceback" not in played.stderr


def test_a_night_that_misses_something_fails(tmp_path: Path) -> None:
    """The comparison can fail: a fault table that expects what does not come."""
    code = (
        "import sys\n"
        "from dataclasses import replace\n"
        "from pitwarden_simulators.faults import catalogue\n"
        "known = catalogue.load_faults\n"
        "def wrong():\n"
        "    return tuple(replace(f, rows=tuple(replace(r, catalogue='TAB-99') for r in f.rows)) for f in known())\n"
        "catalogue.load_faults = wrong\n"
        "import pitwarden_simulators.demo.command as command\n"
        "command.load_faults = wrong\n"
        "from pitwarden.cli.main import main\n"
        "sys.exit(main(['demo', '--rounds', '4', '--faults', 'face_up', '--game', 'triple-attack-blackjack']))\n"
    )
    (tmp_path / "wrong.py").write_text(code)
    played = subprocess.run([sys.executable, str(tmp_path / "wrong.py")], capture_output=True, text=True, check=False)
    assert played.returncode != 0
    assert "TAB-99" in played.stdout


# A shell starts what runs in its background with SIGINT ignored, and children inherit that.
INTERRUPTIBLE = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from pitwarden.cli.main import main; sys.exit(main(sys.argv[1:]))"
)


async def test_the_console_is_next_to_the_night_with_accounts_of_the_demo(tmp_path: Path) -> None:
    words = ("--rounds", "1", "--game", "triple-attack-blackjack", "--faults", "none", "--console")
    night = await asyncio.create_subprocess_exec(
        sys.executable, "-c", INTERRUPTIBLE, "demo", *words, "--keep", str(tmp_path / "kept"),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    assert night.stdout is not None
    printed = ""
    async for line in night.stdout:
        printed += line.decode()
        if "the console remains" in printed:
            break
    found = re.search(r"the pit console: http://127\.0\.0\.1:(\d+), sign in as demo-floor", printed)
    assert found is not None, printed
    reader, writer = await asyncio.open_connection("127.0.0.1", int(found[1]))
    body = b"login=demo-floor&password=simulated+night"
    head = (
        f"POST /sign-in HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\nconnection: close\r\n"
        f"content-type: application/x-www-form-urlencoded\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    assert b"303" in await reader.readline()
    writer.close()
    night.send_signal(signal.SIGINT)
    await night.stdout.read()
    assert await night.wait() == 130
    log = (tmp_path / "kept" / "console" / "console.log").read_text()
    assert "Traceback" not in log

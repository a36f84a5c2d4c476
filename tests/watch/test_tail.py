"""`pitwarden tail`: the stream for pipes is the log byte for byte; for people, what a filter lets pass, in words."""

import asyncio
import json
import sys
from pathlib import Path
from typing import cast

import pytest

from pitwarden.cli.main import main
from pitwarden.cli.tail import NoAnswerError, _patient
from pitwarden_client import Item, TableClient
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.broker_replay import replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night

Night = tuple[PublishedMessage, ...]
IMPATIENT_ONCE_LINKED = """
import asyncio, sys
import pitwarden.cli.tail as tail
from pitwarden.cli.main import main

patient = tail._patient

async def once_linked(table):
    while table.now.link_fault:
        await asyncio.sleep(0.01)
    tail.PATIENCE_S = 0.5
    async for item in patient(table):
        yield item

tail._patient = once_linked
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def messages() -> Night:
    return published_night("cb-auto", "1", 3, "shoe_jam")


async def pitwarden(*words: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pitwarden.cli", *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


@pytest.mark.broker
async def test_the_stream_for_pipes_and_for_readers(broker: MosquittoBroker, tmp_path: Path, messages: Night) -> None:
    at = ("tail", "--broker", f"mqtt://127.0.0.1:{broker.port}", "--table", "silent/cb-auto", "--until-now")
    async with replayed_table("cb-auto", messages, broker.port, tmp_path) as table:
        await table.publish_next()
        [day] = {json.loads(row)["gamingday"] for row in table.rows}
        (code, out, err), (_, told_out, told_err), other_day = await asyncio.gather(
            pitwarden(*at, "--json"),
            pitwarden(*at, "--only", "CB-*", "--only", "kp.boxes", "--only", "shoe.fault", "--gaming-day", day),
            pitwarden(*at, "--gaming-day", "2020-02-29"),
        )
    assert told_err == f"-- SIMULATED: no card of this table is a real one --\n-- gaming day {day} --\n"
    assert other_day == (0, "", "")
    assert (code, err) == (0, "")
    printed = out.splitlines()
    assert [line.encode() for line in printed if '"tableseq"' in line and '"outputseq"' not in line] == table.rows
    assert [line.encode() for line in printed if '"outputseq"' in line] == table.outputs
    assert all(json.loads(line)["schemaversion"] == "1" for line in printed)
    words = told_out.splitlines()  # each chain in its order: how far one is read ahead of the other is chance
    logged, said = [line for line in words if " #" in line], [line for line in words if " =" in line]
    assert (len(logged), len(said)) == (4, 2), told_out
    assert "kp.boxes boxes=3,4,5" in logged[0]
    assert "shoe.fault fault=jam" in logged[2]
    assert "CB-38 VOID SHUFFLE open: The dealing shoe failed during the deal" in said[0]
    assert "[13:69F-51.12(d)] dealer acts; cleared when the wagers are returned" in said[0]
    assert "CB-38 VOID SHUFFLE cleared" in said[1]


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        ((), 2, "which table?"),
        (("--table", "silent/cb-auto"), 2, "--table needs --broker"),
        (("--broker", "tcp://x", "--table", "a/b"), 2, "write mqtt://HOST"),
        (("--broker", "mqtt://x:99999", "--table", "a/b"), 2, "write mqtt://HOST"),
        (("--broker", "mqtts://x", "--table", "a/b"), 2, "TLS needs --ca"),
        (("--broker", "mqtt://x", "--ca", "f", "--table", "a/b"), 2, "--ca is for a broker at mqtts://"),
        (("--broker", "mqtt://x", "--table", "a"), 2, "write SITE/TABLE"),
        (("--broker", "mqtt://x", "--table", "a/b", "--name", "a/b"), 2, "--name"),
        (("--broker", "mqtt://x", "--table", "a/b", "--table", "a/c"), 2, "one table, not 2"),
        (("--config", "no-such-file.toml"), 78, "no-such-file.toml"),
    ],
)
def test_a_wrong_word_is_a_sentence(
    words: tuple[str, ...], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tail", *words]) == code
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (("--role", "floor"), 2, "--role and --person belong together"),
        (("--role", "floor", "--person", "f 1"), 2, "--person: use"),
        ((), 1, "watch needs a terminal"),
    ],
)
def test_watch_without_what_it_needs_is_a_sentence(
    words: tuple[str, ...], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", "--broker", "mqtt://x", "--table", "a/b", *words]) == code
    assert reason in capsys.readouterr().err


@pytest.mark.broker
async def test_a_table_that_does_not_answer_is_a_sentence(broker: MosquittoBroker) -> None:
    at = ("tail", "--broker", f"mqtt://127.0.0.1:{broker.port}", "--table", "silent/cb-auto", "--until-now")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", IMPATIENT_ONCE_LINKED, *at,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert (process.returncode, out) == (1, b"")
    assert b"the table does not answer: the table's controller is offline; the judge is offline" in err


class Mute:
    """Table that is online and replies to no request, as one whose broker refuses them."""

    unanswered = True

    def stale(self) -> tuple[str, ...]:
        return ()

    def __aiter__(self) -> "Mute":
        return self

    async def __anext__(self) -> Item:
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_login_that_may_not_ask_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwarden.cli.tail.PATIENCE_S", 0.1)
    with pytest.raises(NoAnswerError, match=r"may lack the right to ask for it.*a consumer, such as historian"):
        [item async for item in _patient(cast("TableClient", Mute()))]

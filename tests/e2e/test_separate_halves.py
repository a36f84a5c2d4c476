"""A round whose halves run in two processes, each with its own login, keys and rights."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pitwarden.cli.send import send_command
from pitwarden.cli.table_file import read_table_file
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.device import ShoeCard
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.outputs import Irregularity, Reveal
from pitwarden_client.events.topics import HALVES, Half
from pitwarden_client.mqtt.errors import PublishRefusedError
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_client.verification.commitment import verify_reveal
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.brokers.clients import connection
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.brokers.site_broker import acl_of_separate_halves, password_line
from testkit.processes.live_table import LiveTable, table

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(120)]

TABLE = TAB_SHIELDED.table
PRIVATE = {"field": "judge.key", "judge": "field.key"}
"""By half, the private key that is the other's."""


@contextmanager
def guarded(folder: Path) -> Iterator[MosquittoBroker]:
    """Return a broker with the shipped ACL for separate halves, and the terminals' own login."""
    folder.mkdir()
    acl = acl_of_separate_halves().replace("/harbor/", "/rig/").replace("ta01", TABLE)
    (folder / "acl").write_text(f"{acl}\nuser people\ntopic readwrite pitwarden/v1/rig/#\n")
    names = (*(f"{TABLE}-{half}" for half in HALVES), "people")
    (folder / "passwd").write_text("".join(password_line(name, name) for name in names))
    for name in names:
        (folder / f"{name}.password").write_text(name)
    lines = ["allow_anonymous false", f"password_file {folder}/passwd", f"acl_file {folder}/acl"]
    with MosquittoBroker(folder, lines) as broker:
        yield broker


def login(folder: Path, broker: MosquittoBroker, name: str) -> BrokerSettings:
    return BrokerSettings("127.0.0.1", broker.port, name, folder / f"{name}.password")


def part(rig: LiveTable, half: Half, passwords: Path) -> None:
    """Write the table file of a half as in the guide, with its login, its folder of keys and its journals."""
    keys, own = rig.folder / "keys", rig.folder / f"{half}.keys"
    own.mkdir(mode=0o700)
    for each in keys.iterdir():
        if each.name != PRIVATE[half]:
            own.joinpath(each.name).write_bytes(each.read_bytes())
            own.joinpath(each.name).chmod(each.stat().st_mode)
    secret = f'username = "{TABLE}-{half}"\npassword_file = "{passwords}/{TABLE}-{half}.password"\n'
    text = (rig.folder / "table.toml").read_text().replace("[storage]", f"{secret}\n[storage]")
    text = text.replace('"keys"', f'"{half}.keys"').replace('"journals"', f'"{half}.journals"')
    rig.files[half] = f"{half}.toml"
    (rig.folder / f"{half}.toml").write_text(text)


async def test_a_round_is_judged_and_revealed_and_neither_half_says_the_others_word(tmp_path: Path) -> None:
    passwords = tmp_path / "mosquitto"
    [fault] = [each for each in load_faults() if (each.table, each.name) == (TABLE, "face_up")]
    with guarded(passwords) as broker:
        door = login(passwords, broker, "people")
        async with table(TAB_SHIELDED, broker, tmp_path, door=door) as rig:
            for half in HALVES:
                part(rig, half, passwords)
                await rig.start(half)
            await rig.ready()
            await rig.people.play(TableNight(rig.built.table, 1, [fault]).script())
            assert {name: (one.online, one.faults) for name, one in rig.recorder.status.items()} == dict.fromkeys(
                HALVES, (True, ())
            )
            judge_file = read_table_file(rig.folder / "judge.toml")
            assert judge_file is not None
            assert (await send_command(judge_file, "shoe", "report_count")).accepted
            await forge(rig, login(passwords, broker, f"{TABLE}-field"), login(passwords, broker, f"{TABLE}-judge"))
            for half in HALVES:
                assert await rig.stop(half) == 0
            rig.recorder.check_chain()
            assert not rig.recorder.complaints
            said = [output.data for output in rig.recorder.said()]
            [expected] = fault.rows
            assert {one.catalogue for one in said if isinstance(one, Irregularity)} == {expected.catalogue}
            check_reveals(rig, [one for one in said if isinstance(one, Reveal)])


def check_reveals(rig: LiveTable, reveals: list[Reveal]) -> None:
    rows = {at: decode(LogEvent, body) for at, body in rig.recorder.rows.items()}
    assert reveals
    for reveal in reveals:
        row = rows[reveal.epoch, reveal.event]
        assert isinstance(row.data, ShoeCard)
        assert verify_reveal(row.source, reveal, row.data.face.commitment)


async def forge(rig: LiveTable, field: BrokerSettings, judge: BrokerSettings) -> None:
    """Each login says the other half's last word again, a number on; then, as a fence, a word of its own half."""
    topics, seen = rig.recorder.topics, rig.recorder
    verdict = max(seen.said(), key=lambda output: output.outputseq)
    row = decode(LogEvent, seen.rows[max(seen.rows, key=lambda at: at[1])])
    next_row = row.model_copy(update={"tableseq": row.tableseq + 1})
    forged = {
        topics.irregularities: encode(verdict.model_copy(update={"outputseq": verdict.outputseq + 1})),
        topics.event("shoe", "shoe.card"): encode(next_row),
    }
    fences = (topics.command_reply("fence"), topics.replay("fence", "outputs"))
    for who, (topic, payload), fence in zip((field, judge), forged.items(), fences, strict=True):
        async with connection(who, "forger") as (hand, _):
            with pytest.raises(PublishRefusedError, match="Not authorized"):
                await hand.send(topic, payload)
            await hand.send(fence, b"{}")
            await seen.until(lambda: (fence, b"{}") in seen.raw, 10, fence)  # noqa: B023  awaited here
        assert (topic, payload) not in seen.raw

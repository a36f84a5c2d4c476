"""The load's own parts: lines through points, bare MQTT in any portions; and a short run that says what it measured."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden_tools.__main__ import main
from pitwarden_tools.bench.bare_mqtt import BareMqtt, packet, publish
from pitwarden_tools.bench.trend import trend
from testkit.brokers.mosquitto import MosquittoBroker, mosquitto
from testkit.clocks.waiting import PATIENCE_S

SIZES = (0, 1, 100, 127, 128, 16_383, 16_384, 70_000)


@given(start=st.integers(-50, 50), slope=st.integers(-50, 50), noise=st.lists(st.integers(-3, 3), min_size=4))
def test_a_line_is_found_within_its_interval_and_no_noise_leaves_no_interval(
    start: int, slope: int, noise: list[int]
) -> None:
    exact = trend([(x, start + slope * x) for x in range(len(noise))])
    assert exact.slope == pytest.approx(slope)
    assert exact.at(100) == pytest.approx(start + 100 * slope)
    assert exact.high - exact.low == pytest.approx(0, abs=1e-6)
    found = trend([(x, start + slope * x + off) for x, off in enumerate(noise)])
    assert found.low <= found.slope <= found.high


def test_a_slope_that_may_be_zero_is_flat_and_one_point_gives_a_line_from_the_origin() -> None:
    assert trend([(0, 1), (1, 2), (2, 1), (3, 2)]).flat()
    assert not trend([(0, 1), (1, 2), (2, 3), (3, 4.01)]).flat()
    assert trend([(10, 5)]).slope == 0.5


@pytest.mark.broker
async def test_a_real_broker_takes_prepared_packets_of_every_length_and_gives_them_back(
    broker: MosquittoBroker,
) -> None:
    bodies = [bytes(size) for size in SIZES]
    heard: list[bytes] = []
    all_of_them = asyncio.Event()

    def on_message(topic: str, payload: bytes) -> None:
        assert topic == "a/b"
        heard.append(payload)
        if len(heard) == len(bodies):
            all_of_them.set()

    link = BareMqtt("bare", "a/+", on_message)
    await asyncio.get_running_loop().create_connection(lambda: link, "127.0.0.1", broker.port)
    async with asyncio.timeout(PATIENCE_S):
        await link.ready
        link.send(publish("a/b", ident, body) for ident, body in enumerate(bodies, 1))
        await all_of_them.wait()
    assert heard == bodies
    link.close()


@given(cuts=st.lists(st.integers(1, 700), max_size=9))
@settings(max_examples=30)
async def test_packets_are_whole_however_the_bytes_come(cuts: list[int]) -> None:
    heard: list[tuple[str, bytes]] = []
    link = BareMqtt("bare", "#", lambda topic, payload: heard.append((topic, payload)))
    said = [(f"t{number:03}", bytes(number)) for number in (0, 5, 200, 300)]
    stream = b"".join(
        packet(0x30, b"\x00\x04" + topic.encode() + body) + packet(0x40, b"\x00\x07") for topic, body in said
    )
    ends = sorted({min(cut, len(stream)) for cut in cuts} | {len(stream)})
    for begin, end in zip([0, *ends], ends, strict=False):
        link.data_received(stream[begin:end])
    assert heard == said
    assert link.acknowledged == len(said)


@pytest.mark.full
@pytest.mark.broker
def test_a_short_run_says_what_it_measured(capsys: pytest.CaptureFixture[str]) -> None:
    kept_up, fell_behind = 0, 1  # which, is the machine's to say
    ended = main(["load", "--tables", "2", "--minutes", "0.03", "--json", "--mosquitto", mosquitto()])
    assert ended in {kept_up, fell_behind}
    said = json.loads(capsys.readouterr().out)
    samples = said["samples"]["2"]
    assert samples[-1]["judge"]["cpu_s"] > samples[0]["judge"]["cpu_s"]
    assert said["line"]["slope"] > 0

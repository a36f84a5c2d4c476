"""The supervisor over real ptys: each event once, from old bytes to the log (B01, B02, B14, B16)."""

from pathlib import Path

from pitwarden_client.events import device as ev
from pitwarden_drivers.tdp.frames_device import EventFrame, HeartbeatFrame
from pitwarden_drivers.tdp.wire import encode
from testkit.clocks.waiting import until
from testkit.devices.supervised_table import AS, KH, SupervisedTable, online, tdp_device


async def test_old_bytes_are_not_believed_and_the_card_after_them_is(tmp_path: Path) -> None:
    device = tdp_device()
    device.unsent += b"AS\r" + encode(EventFrame(1, 1, 0x12, b"\x27\x02\x00"), HeartbeatFrame(1, 1, 1))
    async with SupervisedTable(tmp_path, [device]) as table:
        await online(table)
        table.happens("d0", KH)
        await until(lambda: table.events("d0"), pause=0.005)
        assert table.said("d0") == [ev.DeviceIdentified(serial="N42", firmware="2.1.0", boot=1), KH]
        assert table.supervisor.stats["d0"].before_sync >= 3 + 2 * 18
        await until(lambda: not device.kept, pause=0.005)


async def test_what_the_log_did_not_take_is_asked_for_again(tmp_path: Path) -> None:
    async with SupervisedTable(tmp_path, [tdp_device()], commits=False) as table:
        await online(table)
        for card in (AS, KH):
            table.happens("d0", card)
        await until(lambda: len(table.events("d0")) == 2, pause=0.005)
        table.supervisor.committed("d0", 1, 1)
        table.supervisor.rewind("d0", 1, 1)
        await until(lambda: len(table.events("d0")) == 3, pause=0.005)
        assert table.events("d0") == [(1, 1), (1, 2), (1, 2)]


async def test_what_is_not_committed_is_neither_acknowledged_nor_reported_twice(tmp_path: Path) -> None:
    device = tdp_device()
    async with SupervisedTable(tmp_path, [device], commits=False) as table:
        await online(table)
        table.happens("d0", AS)
        await until(lambda: table.events("d0"), pause=0.005)
        table.ptys["d0"].unplug()
        table.ptys["d0"].plug()
        table.supervisor.committed("d0", 1, 1)
        await until(lambda: not device.kept, pause=0.005)
        assert table.events("d0") == [(1, 1)]


async def test_a_restart_is_said_and_an_unknown_kind_stops_nothing(tmp_path: Path) -> None:
    device = tdp_device()
    async with SupervisedTable(tmp_path, [device]) as table:
        await online(table)
        await until(lambda: device.live, pause=0.005)
        device.unsent += encode(EventFrame(1, 1, 0x5A))
        device.newest[1] = device.sent = 1
        table.ptys["d0"].pump.wake()
        await until(lambda: table.events("d0"), pause=0.005)
        device.restart(2)
        table.happens("d0", AS)
        await until(lambda: len(table.events("d0")) == 2, pause=0.005)
        assert table.said("d0")[1:] == [
            ev.DeviceUnknown(code=0x5A),
            ev.DeviceIdentified(serial="N42", firmware="2.1.0", boot=2),
            ev.DeviceRestarted(boot=2),
            AS,
        ]


async def test_frames_cut_out_of_a_burst_come_again(tmp_path: Path) -> None:
    device = tdp_device()
    async with SupervisedTable(tmp_path, [device]) as table:
        await online(table)
        burst = b"".join(device.emit(AS) for _ in range(50))
        device.unsent += burst[: len(burst) // 2] + burst[len(burst) // 2 + 40 :]
        table.ptys["d0"].pump.wake()
        await until(lambda: len(table.events("d0")) == 50, pause=0.005)
        assert table.events("d0") == [(1, n) for n in range(1, 51)]

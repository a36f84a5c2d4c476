"""The deal permit: withheld until every device is fresh, identified, inspected; renewed by ticks; overridden."""

from dataclasses import replace

from pitwarden.rules import public_state
from pitwarden_client.events import floor as ft
from pitwarden_client.events.base import MAX_NUMBER
from pitwarden_client.events.dealer_play import KpBoxes, KpDealer
from pitwarden_client.events.device import DeviceHealth, DeviceIdentified, ShoeUnloaded
from pitwarden_client.events.outputs import Permit
from pitwarden_client.events.table import ClockTick, LogFault, PermitApplied
from testkit.tables.rules_table import PACE, RulesTable, setup_of, words

NIGHT = 13 * 3_600_000  # from 18:00 to 07:00, past the start of the gaming day


def permit(table: RulesTable) -> Permit:
    return public_state(table.state).permit


def online(table: RulesTable) -> None:
    for device in table.setup.devices:
        table.row(DeviceIdentified(serial="s", firmware="f", boot=1), device.ident)
        table.key(ft.FtInspect(device=device.ident, ok=True))


def test_it_is_withheld_at_first_and_says_why() -> None:
    table = RulesTable(setup_of("TAB", assume_devices=False))
    assert not permit(table).granted
    assert "shoe is not heard of yet" in permit(table).reasons
    online(table)
    assert permit(table) == Permit(granted=True, reasons=(), expires_ms=table.log_ms + 30_000)


def test_a_stale_a_lost_and_a_failed_device_withhold_it() -> None:
    table = RulesTable(setup_of("TAB", assume_devices=False))
    online(table)
    table.row(DeviceHealth(state="stale", reason="silent"), "shoe")
    assert permit(table).reasons == ("shoe is stale",)
    table.row(DeviceHealth(state="lost", reason="unplugged"), "shoe")
    assert permit(table).reasons == ("shoe is lost", "shoe is not identified")
    table.row(DeviceIdentified(serial="s", firmware="f", boot=2), "shoe")
    table.key(ft.FtInspect(device="shuffler", ok=False))
    assert "shuffler failed its inspection" in permit(table).reasons
    table.key(ft.FtDeviceRemoved(device="shuffler"))
    assert permit(table).granted


def test_a_tick_renews_it() -> None:
    table = RulesTable(setup_of("TAB")).open()
    before = permit(table).expires_ms
    table.tick(10_000)
    assert permit(table).expires_ms == before + 10_000


def test_its_end_is_a_number_that_may_be_published() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.state = replace(table.state, log_ms=MAX_NUMBER)
    assert permit(table).expires_ms == MAX_NUMBER


def test_a_new_gaming_day_withholds_it_between_shoes_until_the_inspection() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.utc_ms += NIGHT
    said = words(table.tick())
    assert said == ["G-10 due", "G-10 due"]
    assert permit(table).granted
    table.row(ShoeUnloaded(), "shoe")
    assert "shoe is not inspected for this gaming day" in permit(table).reasons
    table.utc_ms -= 2 * NIGHT
    assert words(table.tick()) == []
    assert words(table.key(ft.FtInspect(device="shoe", ok=True))) == ["G-10 done"]


def test_the_gaming_day_is_that_of_the_row_and_of_utc_where_a_row_has_none() -> None:
    table = RulesTable(setup_of("TAB"))
    table.row(ClockTick(), gaming_day=20_000)
    assert table.state.table.day == 20_000
    table.row(ClockTick(), gaming_day=19_999)
    assert table.state.table.day == 20_000, "a day does not return"
    table.utc_ms = 20_500 * 86_400_000 + 6 * 3_600_000 - PACE - 1
    table.row(ClockTick())
    assert table.state.table.day == 20_499, "the day of UTC begins at the set-up's time"
    table.row(ClockTick())
    assert table.state.table.day == 20_500


def test_a_row_that_cannot_be_read_begins_no_gaming_day() -> None:
    table = RulesTable(setup_of("TAB"))
    table.row(ClockTick(), gaming_day=20_000)
    assert table.utc_ms // 86_400_000 != 20_000
    table.row(LogFault(fault="row_unreadable", detail="row e1/2"))
    assert table.state.table.day == 20_000


def test_an_alert_withholds_it_until_acknowledged_or_overridden_for_this_round() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.deal("5C 9H", "9S", "6D KC", "KD")
    table.key(KpDealer(dealer="d2"))
    assert permit(table).reasons == ("TAB-13 is not acknowledged",)
    table.key(ft.Override(reason="shift change"), role="supervisor")
    assert permit(table).granted
    assert table.state.table.overrides == 1
    table.draw("3S")
    table.finish()
    table.key(KpBoxes(boxes=(1,)))
    assert not table.state.table.overridden


def test_a_draw_without_it_is_an_alert_once_a_round_and_counted() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.row(PermitApplied(granted=False, cause="withheld", as_of=None))
    assert "PW-PERMIT ALERT" in words(tuple(table.deal("5C 9H", "9S", "6D KC", "KD").said))
    assert [word for word in words(tuple(table.said)) if word == "PW-PERMIT ALERT"] == ["PW-PERMIT ALERT"]
    table.finish()
    table.row(PermitApplied(granted=False, cause="expired", as_of=None))
    table.deal("5C 9H", "9S", "6D KC", "KD")
    assert table.state.table.unpermitted == 2
    table.finish()
    table.row(PermitApplied(granted=True, cause="granted", as_of=None))
    table.deal("5C 9H", "9S", "6D KC", "KD")
    assert table.state.table.unpermitted == 2


def test_a_device_of_another_table_changes_nothing() -> None:
    table = RulesTable(setup_of("TAB"))
    before = table.state.devices
    table.row(DeviceHealth(state="online", reason=""), "nobody")
    assert table.state.devices == before
    assert words(table.key(ft.FtInspect(device="nobody", ok=True))) == ["refused PW-INPUT"]
    assert words(table.key(ft.FtDeviceInstalled(device="nobody"))) == ["refused PW-INPUT"]


def test_a_reader_that_is_out_is_not_required() -> None:
    table = RulesTable(replace(setup_of("TAB", reader=False), assume_devices=True)).open()
    table.key(ft.FtInspect(device="reader", ok=False))
    assert permit(table).granted

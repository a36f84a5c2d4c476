"""The inbox of a device task is bounded, and a closed line passes on nothing more."""

from pitwarden.field.devices.dialogue import MAX_BYTES, MAX_COMMANDS, DeviceInbox
from pitwarden_drivers.errors import DeviceNotAcceptingError, LinkLostError


async def test_a_flood_ends_the_line() -> None:
    inbox = DeviceInbox()
    inbox.received(bytes(MAX_BYTES))
    inbox.received(b"x")
    inbox.received(b"y")
    assert isinstance(inbox.fault, DeviceNotAcceptingError)
    assert inbox.take_data() == b""


async def test_input_before_the_end_is_received_and_later_input_is_not() -> None:
    inbox = DeviceInbox()
    inbox.received(b"before")
    inbox.lost(LinkLostError("the cable"))
    inbox.received(b"after")
    assert inbox.take_data() == b"before"
    inbox.open()
    assert inbox.fault is None


async def test_too_many_orders_are_not_taken_and_the_newest_commit_stands_for_all() -> None:
    inbox = DeviceInbox()
    assert [inbox.enqueue_command(f"r{n}", "lock") for n in range(MAX_COMMANDS + 1)] == [True] * MAX_COMMANDS + [False]
    assert len(inbox.take_commands()) == MAX_COMMANDS
    inbox.commit(1, 1)
    inbox.commit(1, 5)
    await inbox.wait(1)
    assert inbox.take_stored() == (1, 5)
    assert inbox.take_stored() is None
    await inbox.wait(0)

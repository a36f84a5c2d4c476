"""Who may key what."""

import pytest

from pitwarden_client.events.base import Role
from pitwarden_client.events.inputs import may_send


@pytest.mark.parametrize(
    ("role", "act", "allowed"),
    [
        ("dealer", "kp.deal", True), ("floor", "kp.deal", False), ("supervisor", "kp.deal", False),
        ("floor", "ft.inspect", True), ("dealer", "ft.inspect", False), ("supervisor", "ft.inspect", True),
        ("floor", "ft.recut", False), ("supervisor", "ft.recut", True),
        ("floor", "override", False), ("dealer", "override", False), ("supervisor", "override", True),
        ("dealer", "ack", True), ("floor", "retract", True), ("floor", "refute", True), ("dealer", "refute", False),
    ],
)  # fmt: skip
def test_roles(role: Role, act: str, allowed: bool) -> None:  # noqa: FBT001  a table's column
    assert may_send(role, act) is allowed

"""Where shoe, shuffler and discard rack stand, and what a reader may read: refused at start (G-12, G-06)."""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.setup import MARKED, DeviceSetup, Side, TableSetup
from pitwarden.rules.unfit import Unfit

_LEFT_SHOE: Final = {"triple-attack-blackjack": "13:69F-36.7(a)", "switch-hands": "13:69F-2B.7(a)"}
"""Games whose own text puts every shoe at the dealer's left, also an automated one."""

_RACK: Final[dict[Side, Side]] = {"left": "right", "right": "left"}


def misplaced(setup: TableSetup) -> Iterator[Unfit]:
    """What stands on the wrong side, or reads more than it may; what the table file does not say is not judged."""
    for device in setup.devices:
        key = ("devices", device.ident)
        if device.kind == "reader" and not set(device.ranks) <= set(MARKED):
            more = ", ".join(rank for rank in device.ranks if rank not in MARKED)
            reason = f"only A, K, Q, J and 10 may bear a mark for a reader, and {device.ident} reads {more}"
            yield Unfit((*key, "ranks"), "G-06", ("13:69E-1.17(c)",), reason)
        if device.kind != "reader" and device.side is not None:
            yield from _side(setup, device, device.side)
    shoe = setup.device("shoe")
    if setup.rack == "left" and shoe is not None and not shoe.automated:
        reason = "the discard rack is at the dealer's right where a manual shoe is used"
        yield Unfit(("table", "rack"), "G-12", ("13:69E-1.19(h)",), reason)


def _side(setup: TableSetup, device: DeviceSetup, side: Side) -> Iterator[Unfit]:
    key, left = ("devices", device.ident, "side"), _LEFT_SHOE.get(setup.profile.name)
    if device.kind == "shoe" and side == "right" and (left is not None or not device.automated):
        cites = ("13:69E-1.19(h)", *((left,) if left else ()))
        yield Unfit(key, "G-12", cites, f"{device.ident} is at the dealer's left")
    elif setup.rack is not None and side != _RACK[setup.rack]:
        yield Unfit(key, "G-12", ("13:69E-1.19(h)",), f"{device.ident} is on the side opposite the discard rack")

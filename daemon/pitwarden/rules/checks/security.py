"""Shoe and shuffler secured while the table is open, locked away while it is closed (13:69E-1.19(b), (c)2)."""

from collections.abc import Iterator

from pitwarden_client.events.floor import FtTableClose, FtTableOpen

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding


def shoe(seen: Seen) -> Iterator[Finding]:
    """The shoe is loose on an open table, or not locked away on a closed one."""
    yield from _loose(seen, "shoe", "secured_shoe")


def shuffler(seen: Seen) -> Iterator[Finding]:
    """The shuffler is loose on an open table, or not locked away on a closed one."""
    yield from _loose(seen, "shuffler", "secured_shuffler")


def _loose(seen: Seen, kind: str, key: str) -> Iterator[Finding]:
    rule, act, device = seen.rule(key), seen.act, seen.after.present(kind)
    if rule is None or device is None:
        return
    opened = isinstance(act, FtTableOpen) and not act.secured
    if opened or (isinstance(act, FtTableClose) and not act.locked):
        state = "open and the device is not secured to it" if opened else "closed and the device is not locked away"
        text = f"{device.ident}: the table is {state}."
        awaits = (f"noted|secured|removed:{device.ident}",)
        yield found(rule, "loose", text, device=device.ident, awaits=awaits, evidence=(seen.entry.number,))

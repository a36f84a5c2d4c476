"""Devices are inspected at the beginning of each gaming day, before cards go in (G-10) or the reader is used (G-15)."""

from collections.abc import Iterator

from pitwarden_client.events.device import ReaderInserted, ShoeLoaded, ShufflerStarted

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding


def before_cards(seen: Seen) -> Iterator[Finding]:
    """Cards went into a shoe or shuffler that the floor has not inspected this gaming day."""
    rule = seen.rule("inspection")
    device = seen.after.device(seen.entry.source)
    if rule is None or device is None or not isinstance(seen.entry.data, ShoeLoaded | ShufflerStarted):
        return
    if device.inspected != seen.after.table.day or device.failed:
        text = f"{device.ident} took cards before the floorperson inspected it this gaming day."
        evidence = (seen.entry.number,)
        awaits = (f"inspected:{device.ident}|removed:{device.ident}",)
        yield found(rule, "load", text, device=device.ident, awaits=awaits, evidence=evidence)


def failed(seen: Seen) -> Iterator[Finding]:
    """A shoe or shuffler did not pass its inspection."""
    rule = seen.rule("inspection")
    for device in seen.after.devices:
        if rule is not None and device.kind != "reader" and seen.said(f"failed:{device.ident}"):
            text = f"{device.ident} failed its inspection: take it off the table and look for tampering."
            awaits = (f"removed:{device.ident}|inspected:{device.ident}",)
            yield found(rule, "failed", text, device=device.ident, awaits=awaits, evidence=(seen.entry.number,))


def reader(seen: Seen) -> Iterator[Finding]:
    """The reader was used before its inspection of this gaming day."""
    rule = seen.rule("reader_inspection")
    device = seen.after.device(seen.entry.source)
    if rule is None or device is None or not isinstance(seen.entry.data, ReaderInserted):
        return
    if device.inspected != seen.after.table.day and not device.failed:
        text = f"{device.ident} was used before the floorperson inspected it this gaming day."
        awaits = (f"inspected:{device.ident}|removed:{device.ident}",)
        yield found(rule, "use", text, device=device.ident, awaits=awaits, evidence=(seen.entry.number,))

"""House policy: lost data, permit, card ledger.

House policy: what the log or a device could not deliver, and cards dealt without the deal permit. Never a void.

Rows that disagree with the card ledger where no clause of the game speaks to it: house policy, never a void.
"""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.checks.context import CheckContext, make_finding
from pitwarden.rules.profile.facts import NOTED, ClearingStep, deck_fact, fact
from pitwarden.rules.state.state import Finding
from pitwarden_client.events.device import IDENTITY_MISMATCH, DeviceGap, DeviceHealth, DeviceSuspect, DeviceUnknown
from pitwarden_client.events.table import EpochOpened, LogFault

_REFUSED: Final = frozenset({"withheld", "expired"})


def unreadable(seen: CheckContext) -> Iterator[Finding]:
    """A seal could not be opened, or its commitment did not agree: a card or an answer is unknown."""
    rule = seen.rule("unreadable_seal")
    if rule is not None and seen.entry.unreadable:
        text = f"A seal of {seen.entry.source} could not be opened: needs the floor, verify the decks."
        yield make_finding(
            rule, "hold", text, awaits=_verified(seen), evidence=(seen.entry.number,), device=seen.entry.source
        )


def gap(seen: CheckContext) -> Iterator[Finding]:
    """Events of a device are lost: the round cannot be judged whole."""
    rule, data = seen.rule("device_gap"), seen.entry.data
    if rule is not None and isinstance(data, DeviceGap):
        text = f"{seen.entry.source} lost its events {data.first} to {data.last}: needs the floor, verify the decks."
        yield make_finding(
            rule, "hold", text, awaits=_verified(seen), evidence=(seen.entry.number,), device=seen.entry.source
        )


def log_fault(seen: CheckContext) -> Iterator[Finding]:
    """The field half lost something or its log is in doubt."""
    data = seen.entry.data
    if isinstance(data, EpochOpened):
        yield from _forked(seen, data)
    if not isinstance(data, LogFault):
        return
    rule = seen.rule("log_forked" if data.fault == "forked" else "log_fault")
    if rule is not None:
        text = f"The table's log reports {data.fault}: needs the floor, verify the decks."
        yield make_finding(
            rule, "hold", text, awaits=_verified(seen), evidence=(seen.entry.number,), key=f"log:{data.fault}"
        )


def _forked(seen: CheckContext, opened: EpochOpened) -> Iterator[Finding]:
    """An epoch that does not go on exactly where the judged one stands: rows are lost, or the disk is another's."""
    rule, before, parent = seen.rule("log_forked"), seen.before, opened.parent
    known = before.number > 0
    if (
        rule is not None
        and known
        and (parent is None or (parent.at.epoch, parent.at.number) != (before.epoch, before.number))
    ):
        text = f"The table's log does not go on from row {before.number}: needs the floor, verify the decks."
        yield make_finding(rule, "hold", text, awaits=_verified(seen), evidence=(seen.entry.number,), key="log:forked")


def strange_device(seen: CheckContext) -> Iterator[Finding]:
    """A device said something impossible or undefined; it was not used."""
    rule, data = seen.rule("strange_device"), seen.entry.data
    if rule is not None and isinstance(data, DeviceSuspect | DeviceUnknown):
        what = "something impossible" if isinstance(data, DeviceSuspect) else "something that its protocol lacks"
        text = f"{seen.entry.source} said {what}; it was not used."
        yield make_finding(rule, "said", text, evidence=(seen.entry.number,), device=seen.entry.source)


def replaced_device(seen: CheckContext) -> Iterator[Finding]:
    """Another device answers, or is plugged in, where the configured one belongs: someone was at the table's cables."""
    rule, data = seen.rule("strange_device"), seen.entry.data
    if rule is not None and isinstance(data, DeviceHealth) and data.reason.startswith(f"{IDENTITY_MISMATCH}:"):
        source = seen.entry.source
        text = f"Another device is in the place of {source} and is not believed: look at the table's cables."
        yield make_finding(rule, "said", text, evidence=(seen.entry.number,), device=source, key=f"replaced:{source}")


def unpermitted(seen: CheckContext) -> Iterator[Finding]:
    """A card was drawn while the table was shown that dealing is not permitted; once a round."""
    rule, table = seen.rule("no_permit"), seen.before.table
    if rule is not None and seen.drew and table.permit_shown in _REFUSED:
        text = f"A card was drawn with the deal permit {table.permit_shown}; rounds so dealt: {table.unpermitted + 1}."
        key = f"no_permit:{seen.after.round.number}"
        yield make_finding(rule, "drawn", text, evidence=(seen.entry.number,), key=key, once=True)


def _verified(seen: CheckContext) -> tuple[ClearingStep, ...]:
    decks = [deck.ident for deck in seen.after.decks if not deck.removed]
    return tuple((deck_fact("verified", deck),) for deck in decks) or NOTED


def unbalanced(seen: CheckContext) -> Iterator[Finding]:
    """A device, a load or a person says another number of cards than is booked, or a device leaves with cards in it."""
    rule = seen.rule("ledger")
    if rule is None:
        return
    for one in seen.after.now.imbalances:
        yield make_finding(
            rule,
            one.case,
            one.sentence,
            deck=one.deck,
            device=one.device or None,
            awaits=(one.awaits,),
            evidence=(seen.entry.number,),
            sensor=bool(one.device),
            grace=one.late,
            cancels=(fact("card"),),
            blast=True,
        )

"""House policy: lost data, permit, card ledger.

House policy: what the log or a device could not deliver, and cards dealt without the deal permit. Never a void.

Rows that disagree with the card ledger where no clause of the game speaks to it: house policy, never a void.
"""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.checks.check_entry import CARD, IMBALANCE, UNREADABLE, check
from pitwarden.rules.checks.context import CheckContext, find_case, make_finding
from pitwarden.rules.profile.facts import NOTED, ClearingStep, deck_fact, fact
from pitwarden.rules.state.state import Finding
from pitwarden_client.events.device import IDENTITY_MISMATCH, DeviceGap, DeviceHealth, DeviceSuspect, DeviceUnknown
from pitwarden_client.events.table import EpochOpened, LogFault

UNPERMITTED: Final = "no_permit:"
"""Begin of the key of a finding on a round that was dealt without the permit; the number of the round follows."""
_REFUSED: Final = frozenset({"withheld", "expired"})


@check("house.unreadable", place=900, rules=("unreadable_seal",), on=(UNREADABLE,))
def unreadable(seen: CheckContext) -> Iterator[Finding]:
    """Report that a seal could not be opened, or its commitment did not agree: a card or an answer is unknown."""
    rule = seen.rule("unreadable_seal")
    if rule is not None and seen.entry.unreadable:
        source, evidence = seen.entry.source, (seen.entry.number,)
        yield find_case(rule, "hold", device=source, awaits=_verified(seen), evidence=evidence)


@check("house.gap", place=910, rules=("device_gap",), on=("device.gap",))
def gap(seen: CheckContext) -> Iterator[Finding]:
    """Report that events of a device are lost: the round cannot be judged whole."""
    rule, data = seen.rule("device_gap"), seen.entry.data
    if rule is not None and isinstance(data, DeviceGap):
        yield find_case(
            rule, "hold", device=seen.entry.source, first=data.first, last=data.last, awaits=_verified(seen),
            evidence=(seen.entry.number,),
        )  # fmt: skip


@check("house.log_fault", place=920, rules=("log_fault", "log_forked"), on=("log.fault", "epoch.opened"))
def log_fault(seen: CheckContext) -> Iterator[Finding]:
    """Report that the field half lost something or its log is in doubt."""
    data = seen.entry.data
    if isinstance(data, EpochOpened):
        yield from _forked(seen, data)
    if not isinstance(data, LogFault):
        return
    rule = seen.rule("log_forked" if data.fault == "forked" else "log_fault")
    if rule is not None:
        key, evidence = f"log:{data.fault}", (seen.entry.number,)
        yield find_case(rule, "hold", name=data.fault, awaits=_verified(seen), evidence=evidence, key=key)


def _forked(seen: CheckContext, opened: EpochOpened) -> Iterator[Finding]:
    """Yield an epoch that does not continue the judged one: rows are lost, or the disk is from another machine."""
    rule, before, parent = seen.rule("log_forked"), seen.before, opened.parent
    known = before.number > 0
    if (
        rule is not None
        and known
        and (parent is None or (parent.at.epoch, parent.at.number) != (before.epoch, before.number))
    ):
        yield find_case(
            rule, "restarted", count=before.number, awaits=_verified(seen), evidence=(seen.entry.number,),
            key="log:forked",
        )  # fmt: skip


@check("house.strange_device", place=930, rules=("strange_device",), on=("device.suspect", "device.unknown"))
def strange_device(seen: CheckContext) -> Iterator[Finding]:
    """Report that a device said something impossible or undefined; it was not used."""
    rule, data = seen.rule("strange_device"), seen.entry.data
    if rule is not None and isinstance(data, DeviceSuspect | DeviceUnknown):
        case = "said" if isinstance(data, DeviceSuspect) else "undefined"
        yield find_case(rule, case, evidence=(seen.entry.number,), device=seen.entry.source)


@check("house.replaced_device", place=940, rules=("strange_device",), on=("device.health",))
def replaced_device(seen: CheckContext) -> Iterator[Finding]:
    """Report that another device answers, or is plugged in, in the place of the configured one."""
    rule, data = seen.rule("strange_device"), seen.entry.data
    if rule is not None and isinstance(data, DeviceHealth) and data.reason.startswith(f"{IDENTITY_MISMATCH}:"):
        source = seen.entry.source
        yield find_case(rule, "replaced", evidence=(seen.entry.number,), device=source, key=f"replaced:{source}")


@check("house.unpermitted", place=950, rules=("no_permit",), on=(CARD,))
def unpermitted(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card was drawn while the table was shown that dealing is not permitted; once a round.

    A card that is dealt to no round, such as a new dealer's burn card, is no round so dealt.
    """
    rule, table = seen.rule("no_permit"), seen.before.table
    if rule is None or not seen.drew or table.permit_shown not in _REFUSED:
        return
    evidence, number = (seen.entry.number,), seen.after.round.number
    if seen.after.now.fate == "burn" or not seen.after.round.open:
        key = f"no_permit_aside:{number}"
        yield find_case(rule, "aside", name=table.permit_shown, evidence=evidence, key=key, once=True)
        return
    key, drawn = f"{UNPERMITTED}{number}", table.unpermitted + 1
    yield find_case(rule, "drawn", name=table.permit_shown, count=drawn, evidence=evidence, key=key, once=True)


def _verified(seen: CheckContext) -> tuple[ClearingStep, ...]:
    decks = [deck.ident for deck in seen.after.decks if not deck.removed]
    return tuple((deck_fact("verified", deck),) for deck in decks) or NOTED


@check("ledger.unbalanced", place=890, rules=("ledger",), on=(IMBALANCE,))
def unbalanced(seen: CheckContext) -> Iterator[Finding]:
    """Report that a count contradicts the card ledger, or that a device leaves the table with cards in it."""
    rule = seen.rule("ledger")
    if rule is None:
        return
    for one in seen.after.now.imbalances:
        # A load is compared with what a device counted: where that is refuted, nothing contradicts the load.
        counts = (case for case in seen.before.cases if case.live and case.finding.sensor and case.finding.blast)
        rests_on = tuple([case.said.ref for case in counts if one.case == "load" and case.finding.deck == one.deck])
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
            rests_on=rests_on,
            blast=True,
        )

"""Deal permit and public state.

The permit is a house policy: a function of the public state of the table and of log time. It must not depend on a
hidden face or bit, since anyone can watch it change.
"""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.profile.facts import deck_fact
from pitwarden.rules.profile.permit_reasons import permit_reason
from pitwarden.rules.queries.reader import is_reader_out
from pitwarden.rules.state.equipment import DeviceState
from pitwarden.rules.state.state import LAST_COUNT, IrregularityRecord, PublicState, RulesState
from pitwarden_client.events.base import MAX_NUMBER
from pitwarden_client.events.outputs import Permit

_STOPS: Final = frozenset({"HOLD", "VOID", "DEAD"})


def deal_permit(state: RulesState) -> Permit:
    """Return the permit, granted while there is no reason against it.

    It expires at `expires_ms` of log time unless a later row renews it.
    """
    reasons = tuple(_reasons(state))[:64]
    return Permit(
        granted=not reasons, reasons=reasons, expires_ms=min(state.log_ms + state.setup.policy.permit_ms, MAX_NUMBER)
    )


def _reasons(state: RulesState) -> Iterator[str]:
    if state.unjudged:
        yield permit_reason("not_followed")
    for device in state.devices:
        # 36.14(m): without the reader the round continues by the procedure without it, so its health withholds nothing.
        if device.on_table and not (device.kind == "reader" and is_reader_out(state)):
            yield from _device(state, device)
    for case in state.cases:
        words = frozenset(case.said.verdicts)
        if case.live and (words & _STOPS or _shuffle_first(state, case)) and not _aside(state, case):
            yield permit_reason("held", clause=case.said.catalogue)
        elif case.said.status == "open" and "ALERT" in words and not state.table.overridden:
            yield permit_reason("not_acknowledged", clause=case.said.catalogue)
        elif _unbalanced(state, case) and not state.table.overridden:
            yield permit_reason("unbalanced", deck=case.said.deck, clause=case.said.catalogue)
    for book in state.books:
        if book.away:
            yield permit_reason("taken_away", device=book.away, deck=book.deck)


def _shuffle_first(state: RulesState, case: IrregularityRecord) -> bool:
    """Return whether the cards in the shoe must be shuffled before play, unlike a round that continues by 36.14(g).

    A deck in the shuffler withholds nothing: it cannot be dealt before it comes out (36.14(j), 51.12(c)).
    """
    words = case.said.verdicts
    return "SHUFFLE" in words and "CONTINUE" not in words and case.said.deck in {None, state.shoe.deck}


def _aside(state: RulesState, case: IrregularityRecord) -> bool:
    """Return whether an irregularity concerns one deck only, while another deck is in play.

    True where each open clearing condition is about that deck, or about its replacement once it left the table.
    """
    deck = case.said.deck
    if not deck or state.in_play in {"", deck}:
        return False
    here = any(known.ident == deck for known in state.decks)
    about = all(one.kind == "noted" or one.subject == deck for step in case.awaits for one in step)
    return about and not (here and (deck_fact("opening", deck),) in case.awaits)


def _unbalanced(state: RulesState, case: IrregularityRecord) -> bool:
    """Return whether a count of the deck in play is wrong and no ruling has settled it."""
    dealt = state.round.deck if state.round.open else ""
    return case.live and case.finding.blast and case.said.deck in {state.in_play, dealt}


def _in_mid_shoe(state: RulesState, device: DeviceState) -> bool:
    """Return whether the gaming day changed with cards inside: the inspection is requested at the next load (C-55)."""
    return device.inspected >= 0 and device.kind != "reader" and bool(state.shoe.deck or state.round.open)


def _device(state: RulesState, device: DeviceState) -> Iterator[str]:
    # Scenario files rarely report health. At a table every device reports it, and silence withholds the permit.
    assumed = state.setup.assume_devices and device.health == ""
    if device.health != "online" and not assumed:
        if device.health:
            yield permit_reason("not_online", device=device.ident, health=device.health)
        else:
            yield permit_reason("not_heard_of", device=device.ident)
    if not device.identified and not assumed:
        yield permit_reason("not_identified", device=device.ident)
    if device.failed:
        yield permit_reason("inspection_failed", device=device.ident)
    elif device.inspected != state.table.day and not _in_mid_shoe(state, device):
        yield permit_reason("not_inspected", device=device.ident)


RULES_VERSION: Final = "0.4.24"
"""Version of judging behavior; rises whenever an output may differ."""


def public_state(state: RulesState) -> PublicState:
    """Return the public part of `state`."""
    live = [case for case in state.cases if case.live][-256:]
    return PublicState(
        game=state.setup.profile.name,
        round=min(state.round.number, LAST_COUNT),
        in_round=state.round.open,
        permit=deal_permit(state),
        irregularities=tuple([case.said for case in live]),
        opened=tuple([case.opened for case in live]),
        duties=state.duties[-64:],
        rules_version=RULES_VERSION,
        profile_digest=state.digest,
    )

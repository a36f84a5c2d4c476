"""Queries about the hole-card reader. Its answer is one bit, hidden until the windows before it are closed."""

from typing import Final

from pitwarden.rules.evaluation.blackjack import is_blackjack
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.queries.hands import dealer_cards, public_faces
from pitwarden.rules.queries.layout import all_certain, cards_of
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.card_faces import JOKER, rank_of

ROWS: Final = declared(__name__, reads=("reader_misuse",))


def is_reader_late(state: RulesState, at_ms: int) -> bool:
    """Return whether the reader, with a card in it, has not answered in its time.

    Args:
        state: State with this round's use of the reader.
        at_ms: Log time in milliseconds to compare with.
    """
    use = state.round.play.reader
    waits = use.inserted > 0 and use.answered == 0 and not use.empty  # without a hole card there is no answer to give
    return waits and at_ms - use.inserted_ms >= state.setup.policy.reader_timeout_ms


def blackjack_said(played: RoundState) -> bool:
    """Return whether the reader has publicly reported a blackjack of the dealer, and is still trusted."""
    return played.play.reader.said and played.play.reader.bit is True and not played.play.reader.failed


def is_play_reopened(played: RoundState) -> bool:
    """Return whether the turned hole card contradicted a reported blackjack: players decide on (36.14(m))."""
    return played.play.reader.said and played.play.reader.failed and played.play.reader.bit is True


def answer_public(state: RulesState) -> bool | None:
    """Return the reader's answer once it is public and while the reader is trusted, else None."""
    use = state.round.play.reader
    return use.bit if use.said and not use.failed and not use.misused else None


def hole_is_out(state: RulesState) -> bool:
    """Return whether the dealer has a second card."""
    return any(not slot.up for slot, _ in cards_of(state.setup, state.round, "dealer"))


def up_card_allows_reader(state: RulesState) -> bool | None:
    """Return whether the dealer's public up card calls for the reader; None while it is not public or was not read."""
    rule = ROWS(state, "reader_misuse")
    rank = up_rank(state)
    asking = state.setup.policy.reader_up or (rule.words("up") if rule else ())
    return None if rule is None or rank is None else rank in asking


def up_rank(state: RulesState) -> str | None:
    """Return the rank of the dealer's first card; None before it is public, and for a card not read or read wrongly."""
    for slot, draw in cards_of(state.setup, state.round, "dealer"):
        if slot.up and draw.place in state.round.revealed:
            return rank_of(draw.face) if 0 <= draw.face < JOKER else None
    return None


def answer_contradicted(state: RulesState) -> bool:
    """Return whether the hole card, now face up, is not what the reader reported."""
    use = state.round.play.reader
    if not use.said or not state.round.play.hole_up or not all_certain(state.setup, state.round):
        return False
    faces = public_faces(state.round, dealer_cards(state)[:2])
    return faces is not None and min(faces) >= 0 and is_blackjack(faces) != use.bit


def insurance_closed(state: RulesState) -> bool:
    """Return whether no insurance wager can be made any more: no ace is up, or insurance was opened and is closed.

    A close without an open may be pressed by mistake: it closes nothing.
    """
    return up_rank(state) != "A" or "insurance" in state.round.windows.opened & state.round.windows.closed


def is_reader_in_use(state: RulesState) -> bool:
    """Return whether a reader is in use: on the table, inspected today, not failed, and not excluded by a verdict."""
    device = state.present("reader")
    return device is not None and device.inspected == state.table.day and not device.failed and not is_reader_out(state)


def is_reader_done(state: RulesState) -> bool:
    """Return whether no use of the reader is due: it answered, it failed, or the up card needs none."""
    use = state.round.play.reader
    due = bool(use.inserted) or (is_reader_in_use(state) and up_card_allows_reader(state) is not False)
    return use.failed or bool(use.answered) or not due


def is_reader_out(state: RulesState) -> bool:
    """Return whether the table may continue only without the reader."""
    return any(case.live and "NO_READER" in case.said.verdicts for case in state.cases)

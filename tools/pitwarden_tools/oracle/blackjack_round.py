"""One round of the blackjack family: the sentence that governs an input, the reader or a card."""

from pitwarden_tools.oracle import blackjack_deal as deal
from pitwarden_tools.oracle import blackjack_dealer as dealer
from pitwarden_tools.oracle import blackjack_errors as errors
from pitwarden_tools.oracle import blackjack_play as play
from pitwarden_tools.oracle import blackjack_reader as reader
from pitwarden_tools.oracle import blackjack_settled as settlement
from pitwarden_tools.oracle import blackjack_wagers as wagers
from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, Said, TextSilentError

EXPLAIN = frozenset({"kp.drawn_in_error", "rd.res", "rd.fault", "kp.reader_bad", "ft.notified"})
BEHIND_THE_DEAL = frozenset({
    "kp.antes_collected", "kp.bonus_settled", "kp.choice", "kp.close", "kp.dealt", "kp.decision", "kp.hole_up",
    "kp.ib_settled", "kp.open", "rd.ins",
})  # fmt: skip
"""Signs that the deal is complete, so that each card lies where it belongs."""
IN_A_VOID = frozenset({
    "kp.bonus_settled", "kp.close", "kp.dealer_draw", "kp.dealt", "kp.decision", "kp.hole_up", "kp.insurance_settled",
    "kp.open",
})  # fmt: skip


def advance(this: BlackjackRound, said: Said) -> list[ExpectedFinding]:
    """Return the findings expected on an input or the reader."""
    begins = said.word in {"kp.boxes", this.game.start}
    if said.word.startswith("kp.") and not begins and not this.setup.knows(*this.game.keys):
        return list(ANYTHING)  # the owner of each card is not known
    if said.word == "kp.boxes" and this.setup.bart_carter and not this.setup.knows("kp.round_end"):
        return list(ANYTHING)  # 2B.4(h)2: they may end the round before
    if this.void and said.word in IN_A_VOID:
        this.hole_up = this.hole_up or said.word == "kp.hole_up"  # the key may be late
        return list(ANYTHING)
    if this.void and said.word not in {"kp.boxes", "kp.settled"}:
        raise TextSilentError
    if this.unexplained and said.word not in EXPLAIN and not _late_key(this, said):
        raise TextSilentError
    this.dealt_on = this.dealt_on or (this.phase == "play" and said.word in BEHIND_THE_DEAL)
    match said.word, said.args:
        case "kp.boxes", boxes:
            return deal.boxes(this, [int(box) for box in boxes])
        case this.game.start, _:
            return deal.deal(this)
        case "kp.close", (window,):
            return deal.close(this, window)
        case "kp.open", (window,):
            return deal.open_window(this, window)
        case "kp.ib_settled", _:
            return play.step(this, "ib")
        case "kp.antes_collected", _:
            return play.step(this, "antes")
        case "kp.choice", (_, choice):
            return play.choice(this, said.box, choice)
        case "kp.bonus_settled", _:
            return play.bonus(this, said.box)
        case "kp.decision", (_, choice) if this.phase == "turned":
            return play.after_the_blackjack(this, said.box, choice)
        case "kp.decision", (_, choice):
            return play.decision(this, said.box, choice)
        case "kp.settled", (_, kind, *result):
            return settlement.settled(this, said.box, kind, result[0] if result else "")
        case "kp.wager", (kind, box, *rest):
            cents = [int(word) for word in rest if word.isdecimal()]
            bettor = next((int(word.partition("=")[2]) for word in rest if word.startswith("bettor=")), 1)
            return wagers.wager(this, kind, int(box), cents[0] if cents else None, bettor)
        case "kp.dealt", _:
            return play.dealt(this)
        case "kp.hole_up", _:
            return dealer.hole_up(this)
        case "kp.insurance_settled", _ if this.hole_up and this.insurance == "closed":
            this.insurance_settled = True
            return []
        case "kp.dealer_draw", _:
            return dealer.dealer_draw(this)
    return _reader_or_error(this, said)


def _late_key(this: BlackjackRound, said: Said) -> bool:
    """Return whether this key was missing when the card was drawn: a hit of the box whose turn it is (36.7(h))."""
    waits = bool(this.loose and not this.loose_known) and not (this.inserted and not this.answered)
    asks = said.word == "kp.decision" and said.args[1] in {"hit", "double"}
    return waits and asks and this.phase == "play" and bool(this.undecided) and this.undecided[0].number == said.box


def _reader_or_error(this: BlackjackRound, said: Said) -> list[ExpectedFinding]:
    match said.word, said.args:
        case "rd.ins", _:
            return reader.inserted(this)
        case "rd.res", (answer,):
            return reader.answered(this, answer)
        case (("rd.fault" | "kp.reader_bad"), _):
            return reader.reader_bad(this)
        case "ft.notified", _ if this.misuse == "pending":
            return reader.notified(this)
        case "kp.drawn_in_error", (how,):
            return errors.in_error(this, how)
        case "kp.refuse", _:
            return errors.refuse(this, said.box)
        case "kp.dealer_first_missed", _:
            return errors.first_missed(this)
        case "kp.no_cards", _:
            return errors.not_dealt(this, said.box, 0)
        case "kp.one_card", _:
            return errors.not_dealt(this, said.box, 1)
        case "kp.skipped", _:
            return errors.skipped(this, said.box)
        case "kp.opt", (_, choice):
            return errors.option(this, said.box, choice)
    raise TextSilentError


def card(this: BlackjackRound, face: str) -> list[ExpectedFinding]:
    """Process a card from the shoe that no earlier step claimed."""
    if not this.setup.knows(*this.game.keys):
        return list(ANYTHING) if this.setup.knows("kp.boxes") or this.setup.knows(this.game.start) else []
    if this.unexplained:
        raise TextSilentError
    if this.phase == "play":
        return play.player_card(this, face)
    if this.phase == "dealer":
        return dealer.dealer_card(this, face)
    if this.phase == "turned":
        return dealer.after_the_blackjack(this)
    if this.phase == "lost":
        raise TextSilentError
    return deal.card(this, face)

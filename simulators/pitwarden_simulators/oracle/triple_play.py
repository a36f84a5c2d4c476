"""Decisions, cards for players, the hole card and the dealer's draws: 36.7(f) to (k), 36.10(d), 36.11, 36.14(f)."""

from pitwarden_simulators.oracle import triple_reader as reader
from pitwarden_simulators.oracle.hands import Box
from pitwarden_simulators.oracle.points import blackjack, dealer_draws, rank
from pitwarden_simulators.oracle.said import ANYTHING, Finding, TextSilentError, find
from pitwarden_simulators.oracle.triple_state import DEAL_KEYS, Round


def bonus(this: Round, number: int) -> list[Finding]:
    """36.7(f): beginning from the dealer's left."""
    box = this.named(number)
    if box is None:
        return [find("", "refused")]
    if this.phase != "play" or ahead(this, box):
        raise TextSilentError
    box.bonus_settled = True
    return []


def ahead(this: Round, box: Box) -> bool:
    """Whether a box farther left is not finished (36.7(f), (g): beginning from the dealer's left)."""
    return any(other is not box and other.undecided and not other.late for other in this.left_of(box))


def decision(this: Round, number: int, decision: str) -> list[Finding]:
    """36.7(g), 36.8, 36.9, 36.11(a), and 36.14(e) for a player who refused a card."""
    box = this.named(number)
    if box is None:
        return [find("", "refused")]
    if this.phase != "play" or ahead(this, box) or box.owed or this.misuse == "pending" or this.answer == "bj":
        raise TextSilentError
    if box.refused and decision != "stand":
        return [find("TAB-40", "refused")]
    forbidden = box.forbids(decision)
    if forbidden == "any":
        raise TextSilentError
    if forbidden:
        return [find(forbidden, "refused")]
    unsettled = not box.bonus_settled and this.setup.knows("kp.bonus_settled")
    owed = box.decide(decision)
    found = [find("TAB-17", "ALERT", needed=False)] if unsettled else []
    if this.loose and owed:  # 36.14(c), (e): as though it were the next card from the shoe
        box.take(this.loose)
        this.loose = this.loose_known = ""
    return found


def player_card(this: Round, card: str) -> list[Finding]:
    """36.7(h): a card that a decision asked for, or one that nothing asked for."""
    if this.answer == "bj":  # 36.7(k): no additional cards shall be dealt
        this.phase = "lost"
        return [find("TAB-22", "ALERT")]
    found = reader.reader_missed(this)
    if this.insurance == "open" or (rank(this.dealer[0]) == "A" and not this.insurance):
        found.append(find("TAB-23", "ALERT", needed=False))
    box = next((box for box in this.boxes if box.owed and not box.late), None)
    if box is None:
        if this.loose or found or this.misuse == "pending":
            raise TextSilentError
        this.loose = card
        return list(ANYTHING)
    if not box.bonus_settled and this.setup.knows("kp.bonus_settled"):
        found.append(find("TAB-17", "ALERT"))
    box.take(card)
    return found


def hole_up(this: Round) -> list[Finding]:
    """36.7(i), (k): not before all decisions are implemented, unless the reader showed a blackjack."""
    if this.phase != "play" or this.misuse == "pending":
        raise TextSilentError
    this.hole_up = True
    found = []
    if this.answer != "bj" and this.undecided:
        this.phase = "lost"
        if this.setup.knows("kp.decision"):
            found.append(find("TAB-19", "ALERT"))
    else:
        this.phase = "dealer"
    if this.answer and (this.answer == "bj") != blackjack(this.dealer):
        this.reader_out = True
        found.append(find("TAB-48", "NO_READER"))
    if this.loose:
        found += nobody_took(this)
    return found


def nobody_took(this: Round) -> list[Finding]:
    """36.14(c), (e): the dealer's next card, if the dealer can use it; else an exposed one is burned."""
    if this.loose_known != "exposed" or this.phase != "dealer":
        raise TextSilentError
    card, this.loose, this.loose_known = this.loose, "", ""
    if this.moot or not dealer_draws(this.dealer):
        return [find("TAB-40", "BURN")]
    this.dealer.append(card)
    return []


def dealer_draw(this: Round) -> list[Finding]:
    """The next card is for the dealer: 36.7(i)."""
    if this.phase == "play" and this.undecided and not this.misuse and not this.answer:
        this.phase = "lost"
        return [find("TAB-19", "ALERT")]
    if this.phase != "dealer" or this.draw_asked:
        raise TextSilentError
    this.draw_asked = True
    return [find("TAB-25", "ALERT", needed=False), find("TAB-22|TAB-32|TAB-41", "ALERT", "BURN", needed=False)]


def dealer_card(this: Round, card: str) -> list[Finding]:
    """36.10(d), 36.11(b), (c), 36.14(f)."""
    if this.answer == "bj":
        this.phase = "lost"
        return [find("TAB-22", "ALERT"), find("TAB-41|TAB-32", "BURN", "ALERT", needed=False)]
    if not this.draw_asked:
        raise TextSilentError
    this.draw_asked = False
    found = []
    if this.insurance == "closed" and not this.insurance_settled and this.setup.knows("kp.insurance_settled"):
        found.append(find("TAB-25", "ALERT"))  # 36.10(d)
    if not dealer_draws(this.dealer):  # 36.14(f), 36.11(b)
        return [*found, find("TAB-41|TAB-32", "BURN", "ALERT")]
    if this.moot:  # 36.11(c)
        return [*found, find("TAB-32", "ALERT BURN", needed=False)]
    this.dealer.append(card)
    return found


def end(this: Round) -> list[Finding]:
    """36.11(b): the dealer draws to hard 17 or soft 18. What else is early at the end has no number of its own."""
    if this.void or not this.setup.knows(*DEAL_KEYS, "kp.decision", "kp.hole_up"):
        return [] if this.void else list(ANYTHING)
    if this.phase != "dealer" or this.undecided or this.draw_asked or this.loose:
        return list(ANYTHING)
    if this.answer == "bj" or this.moot or not dealer_draws(this.dealer):
        return []
    return [find("TAB-31", "ALERT", needed=False)]

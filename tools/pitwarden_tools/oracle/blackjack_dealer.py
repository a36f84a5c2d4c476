"""Hole card and dealer's draws: 36.7(i), (k), 36.10(d), 36.11, 36.14(f); 26.11(d), 26.12, 26.15(f); 2B.7(j)."""

from pitwarden_tools.oracle.blackjack_settled import none_insured
from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.points import HARD_STAND, blackjack, dealer_draws, rank, total
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, TextSilentError, find


def hole_up(this: BlackjackRound) -> list[ExpectedFinding]:
    """Turn the hole card: after all decisions, unless the reader showed a blackjack (36.7(i), (k))."""
    if this.turned_early and this.phase == "lost" and blackjack(this.dealer):
        this.phase = "turned"  # two keys agree: the dealer has a blackjack on the table
        return list(ANYTHING)
    if (
        this.phase != "play"
        or this.hole_up
        or this.misuse == "pending"
        or any(this.missing(step) for step in this.game.steps)
    ):
        raise TextSilentError
    this.hole_up = True
    found = []
    if this.answer != "bj" and any(this.unsure(box) for box in this.undecided[:1]):
        raise TextSilentError
    if this.answer != "bj" and this.undecided:
        this.phase, this.turned_early = "lost", not this.answer and not this.loose
        if this.setup.knows("kp.decision"):
            found += this.game.book.said("early dealer", "ALERT")
    else:
        this.phase = "dealer"
    if this.answer and (this.answer == "bj") != blackjack(this.dealer):
        turned = this.answer == "bj" or (not this.undecided and certainly_turned(this))
        this.reader_out = True
        found += this.game.book.said("reader bad", "NO_READER", needed=turned)
        if this.answer == "bj" and this.undecided:
            this.answer, this.phase = "", "play"  # 36.7(k): only "if the dealer has a blackjack" is no card dealt
    if this.loose:
        found += unclaimed_card(this)
    return found


def unclaimed_card(this: BlackjackRound) -> list[ExpectedFinding]:
    """Give an unclaimed card to the dealer, who can use it; else an exposed one is burned (36.14(c), (e))."""
    if this.loose_known != "exposed" or this.phase != "dealer":
        raise TextSilentError
    card, this.loose, this.loose_known = this.loose, "", ""
    if stands(this) or certainly_moot(this):
        return this.game.book.said("exposed", "BURN", needed=certainly_turned(this) and not this.loose_refuted)
    this.dealer.append(card)
    this.took = True
    return []


def certainly_turned(this: BlackjackRound) -> bool:
    """Return whether the hole card is certainly face up once it is keyed as turned.

    With an ace up and insurance never opened, or a box that no key decided, the key may be early.
    """
    return (this.laid or this.boxes[-1].decided) and (this.offered or rank(this.dealer[0]) != "A")


def stands(this: BlackjackRound) -> bool:
    """Return whether the dealer stands, 36.11(b), 26.12(b), 1.10D(b)3.iii.

    Blackjack's soft 17 (2.12) is not in our sources.
    """
    if not this.game.soft_stand and total(this.dealer) == (HARD_STAND, True):
        raise TextSilentError
    return not dealer_draws(this.dealer, this.game.soft_stand or HARD_STAND)


def certainly_moot(this: BlackjackRound) -> bool:
    """Return whether the dealer's total certainly affects no hand (36.11(c)).

    Raises:
        TextSilentError: It depends on bonus wagers, or on what a 21 wins, which are not in our sources.
    """
    if this.moot and this.game.name != "TAB":
        raise TextSilentError
    return this.moot


def dealer_draw(this: BlackjackRound) -> list[ExpectedFinding]:
    """Draw the next card for the dealer: 36.7(i)."""
    if this.phase == "play" and this.undecided and not this.misuse and not this.answer and not this.hole_up:
        if any(this.missing(step) for step in this.game.steps):
            raise TextSilentError
        this.phase = "lost"
        placed = this.laid or any(box.decided or box.bonus_settled for box in this.boxes)
        return this.game.book.said("early dealer", "ALERT", needed=placed)
    if this.phase == "play" and this.hole_up and not this.undecided:
        this.phase = "dealer"
    # The key may be for the card that waited.
    if this.phase != "dealer" or this.draw_asked or this.took:
        raise TextSilentError
    this.draw_asked = True
    book = this.game.book
    late = _under(this, ("no card", "moot", "over", "early dealer"), "ALERT", "BURN", needed=False)
    return [late] if none_insured(this) else [*book.said("collect", "ALERT", needed=False), late]


def _under(
    this: BlackjackRound, subjects: tuple[str, ...], words: str, maybe: str = "", *, needed: bool = True
) -> ExpectedFinding:
    """Return the finding on a card that the dealer must not draw, under any number that prohibits it."""
    numbers = this.game.book.numbers
    ids = [numbers[subject] for subject in subjects if subject in numbers]
    return find("|".join(ids), words, maybe, needed=needed, analogy=not this.game.ends)


def dealer_card(this: BlackjackRound, card: str) -> list[ExpectedFinding]:
    """Deal a card to the dealer: 36.10(d), 36.11(b), (c), 36.14(f); 26.11(d), 26.12(b), (c), 26.15(f)."""
    book = this.game.book
    if this.answer == "bj":
        if not book.duty("no card", ""):
            raise TextSilentError
        this.phase = "lost"
        return [*book.duty("no card", "ALERT"), _under(this, ("moot", "over"), "BURN", "ALERT", needed=False)]
    if not this.draw_asked:
        raise TextSilentError
    this.draw_asked = False
    found = []
    if rank(this.dealer[0]) == "A" and this.insurance != "closed":  # 26.11(a), (b), 36.10(a), (b)
        found += book.said("insurance", "ALERT", needed=False) + book.said("collect", "ALERT", needed=False)
    collects = this.setup.knows("kp.insurance_settled") and not none_insured(this)
    if this.insurance == "closed" and not this.insurance_settled and collects:
        found += book.said("collect", "ALERT", needed=not this.collect_doubt)  # 36.10(d), 26.11(d)
    if stands(this):  # 36.14(f), 36.11(b), 26.15(f)
        return [*found, _under(this, ("moot", "over"), "BURN", "ALERT", needed=bool(this.game.soft_stand))]
    if this.moot:  # 36.11(c), 26.12(c)
        this.phase = "dealer" if this.game.name == "TAB" else "lost"
        return [*found, _under(this, ("moot",), "ALERT BURN", needed=False)]
    this.dealer.append(card)
    return found


def after_the_blackjack(this: BlackjackRound) -> list[ExpectedFinding]:
    """Deal a card that a player requested after the dealer's blackjack lay on the table (36.7(k))."""
    requested = any(box.owed for box in this.boxes)
    this.phase = "lost"
    book = this.game.book
    besides = [book.said(subject, "ALERT", "HOLD", needed=False) for subject in ("bonus", "check", "insurance")]
    return [*book.said("no card", "ALERT", needed=requested), *(one for found in besides for one in found)]


def end(this: BlackjackRound) -> list[ExpectedFinding]:
    """End the round: the dealer draws (36.11(b), 26.12(b)). Other omissions at the end have no number of their own."""
    if this.void or not this.setup.knows(*this.game.keys, "kp.decision", "kp.hole_up"):
        return [] if this.void else list(ANYTHING)
    if this.phase != "dealer" or this.undecided or this.draw_asked or this.loose:
        return list(ANYTHING)
    if this.answer == "bj" or this.moot or not dealer_draws(this.dealer, this.game.soft_stand or HARD_STAND):
        return []
    return this.game.book.said("stand", "ALERT", needed=False)

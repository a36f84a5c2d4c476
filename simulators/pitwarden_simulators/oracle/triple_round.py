"""One round of triple attack blackjack: which sentence an input, the reader or a card comes under."""

from pitwarden_simulators.oracle import triple_deal as deal
from pitwarden_simulators.oracle import triple_errors as errors
from pitwarden_simulators.oracle import triple_play as play
from pitwarden_simulators.oracle import triple_reader as reader
from pitwarden_simulators.oracle.said import Finding, Said, TextSilentError, find
from pitwarden_simulators.oracle.triple_state import DEAL_KEYS, Round

EXPLAIN = frozenset({"kp.drawn_in_error", "rd.res", "rd.fault", "kp.reader_bad", "ft.notified"})


def hear(this: Round, said: Said) -> list[Finding]:
    """What the texts say to an input or to the reader."""
    if this.void and said.word != "kp.boxes":
        raise TextSilentError
    if this.unexplained and said.word not in EXPLAIN:
        raise TextSilentError
    match said.word, said.args:
        case "kp.boxes", boxes:
            return deal.boxes(this, [int(box) for box in boxes])
        case "kp.deal", _:
            return deal.deal(this)
        case "kp.close", (window,):
            return deal.close(this, window)
        case "kp.open", (window,):
            return deal.open_window(this, window)
        case "kp.bonus_settled", _:
            return play.bonus(this, said.box)
        case "kp.decision", (_, choice):
            return play.decision(this, said.box, choice)
        case "kp.hole_up", _:
            return play.hole_up(this)
        case "kp.insurance_settled", _ if this.hole_up and this.insurance == "closed":
            this.insurance_settled = True
            return []
        case "kp.dealer_draw", _:
            return play.dealer_draw(this)
    return _reader_or_error(this, said)


def _reader_or_error(this: Round, said: Said) -> list[Finding]:
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
        case "kp.refuse", _ if this.loose_known == "exposed" and (box := this.named(said.box)):
            box.refused = True
            return [find("TAB-40", "CONTINUE", "USE_NEXT", needed=False)]
        case "kp.dealer_first_missed", _:
            return errors.first_missed(this)
        case "kp.skipped", _:
            return errors.skipped(this, said.box)
        case "kp.opt", (_, choice):
            return errors.option(this, said.box, choice)
    raise TextSilentError


def card(this: Round, face: str) -> list[Finding]:
    """A card left the shoe and nothing else claimed it."""
    if not this.setup.knows(*DEAL_KEYS):
        return []
    if this.unexplained:
        raise TextSilentError
    match this.phase:
        case "idle":
            return deal.unannounced(this, face)
        case "first":
            return deal.first(this, face)
        case "attack2":  # 36.7(d): each has placed or declined before the dealer's card
            deal.up(this, face)
            return [find("TAB-15", "ALERT")]
        case "up":
            deal.up(this, face)
            return []
        case "attack3":  # 36.7(e)
            return [find("TAB-16", "ALERT"), *deal.second(this, face)]
        case "second":
            return deal.second(this, face)
        case "hole":
            this.dealer.append(face)
            this.phase = "play"
            return []
        case "play":
            return play.player_card(this, face)
        case "dealer":
            return play.dealer_card(this, face)
    raise TextSilentError

"""Opening, inspection and security of decks and devices.

Opening inspections (TAB-02, TAB-53, CB-05, CB-06, G-20) and the two decks of a game (CB-02, CB-03, CB-04).

Devices are inspected at the beginning of each gaming day, before cards go in (G-10) or the reader is used (G-15).

Shoe and shuffler secured while the table is open, locked away while it is closed (13:69E-1.19(b), (c)2).
"""

from collections.abc import Iterator

from pitwarden.rules.checks.check_entry import BY_HAND, FIRST, check
from pitwarden.rules.checks.context import CheckContext, find_case, is_dealt_by_hand
from pitwarden.rules.profile.facts import deck_fact, device_fact
from pitwarden.rules.queries.decks import decks_in_rotation
from pitwarden.rules.state.state import Finding
from pitwarden_client.events.dealer_cards import KpManualShuffle
from pitwarden_client.events.device import ReaderInserted, ShoeLoaded, ShufflerStarted
from pitwarden_client.events.floor import FtDeckOpened, FtOpening, FtTableClose, FtTableOpen


@check("opening.tens", place=370, rules=("opening_tens",), on=("ft.opening",))
def tens(seen: CheckContext) -> Iterator[Finding]:
    """Report that the number of 10s removed at the opening cannot be right."""
    rule = seen.rule("opening_tens")
    act = seen.act
    if rule is None or not isinstance(act, FtOpening) or not seen.said(deck_fact("bad_opening", act.deck)):
        return
    names, evidence = " or ".join(rule.words("allowed")), (seen.entry.number,)
    yield find_case(rule, "wrong", deck=act.deck, count=act.tens_removed, names=names, evidence=evidence)


@check(
    "opening.before_use",
    place=380,
    rules=("unopened_shuffle", "unopened_shuffle_second", "unopened_load"),
    on=("shuffler.started", "shoe.loaded", "kp.manual_shuffle"),
)
def before_use(seen: CheckContext) -> Iterator[Finding]:
    """Report that a deck is shuffled, or loaded, without its opening inspection."""
    data, act = seen.entry.data, seen.act
    if isinstance(data, ShufflerStarted):
        key, ident = "unopened_shuffle", data.deck
    elif isinstance(data, ShoeLoaded):
        key, ident = "unopened_load", data.deck
    elif isinstance(act, KpManualShuffle):
        key, ident = "unopened_shuffle", act.deck or ""
    else:
        return
    if len([deck for deck in seen.after.decks if deck.opening]) > 0:
        second = key == "unopened_shuffle" and seen.rule("unopened_shuffle_second")
        key = "unopened_shuffle_second" if second else key
    rule = seen.rule(key)
    if rule is not None and ident and seen.after.deck(ident).opening in {"", "bad"}:
        yield find_case(rule, "use", deck=ident, evidence=(seen.entry.number,))


@check("opening.second_deck", place=390, rules=("second_deck",), on=("ft.deck_opened",))
def second_deck(seen: CheckContext) -> Iterator[Finding]:
    """Report that a second deck is opened without a shuffler, or with backs of the same color."""
    rule, act, state = seen.rule("second_deck"), seen.act, seen.after
    if rule is None or not isinstance(act, FtDeckOpened):
        return
    others = [deck for deck in state.decks if deck.ident != act.deck and not deck.removed]
    if not others:
        return
    colour = state.deck(act.deck).colour
    same = colour is not None and any(deck.colour == colour for deck in others)
    if same or state.present("shuffler") is None:
        names = [deck.ident for deck in others]
        awaits = ((*(deck_fact("returned", one) for one in (act.deck, *names)), deck_fact("opened", act.deck)),)
        case = "refused" if same else "no_shuffler"
        yield find_case(rule, case, deck=act.deck, awaits=awaits, evidence=(seen.entry.number,))


@check("opening.second_by_hand", place=400, rules=("second_deck",), on=(FIRST,))
def second_by_hand(seen: CheckContext) -> Iterator[Finding]:
    """Report that without a shuffler, a deck follows another one that a person shuffled: two decks are in use."""
    rule, state = seen.rule("second_deck"), seen.after
    last, deck = state.table.last_deck, state.round.deck
    if rule is None or not seen.first or state.present("shuffler") is not None or last not in decks_in_rotation(state):
        return
    if deck and deck != last and state.deck(last).by_hand:
        yield find_case(rule, "by_hand", deck=deck, other_deck=last, evidence=(seen.entry.number,))


@check("opening.alternation", place=410, rules=("alternation",), on=(FIRST, "kp.decision", *BY_HAND))
def alternation(seen: CheckContext) -> Iterator[Finding]:
    """Report that with two decks, the same one is dealt two rounds running."""
    rule, state = seen.rule("alternation"), seen.after
    if rule is None or not (seen.first or is_dealt_by_hand(seen)) or len(decks_in_rotation(state)) < 2:  # noqa: PLR2004  two decks
        return
    if state.present("shuffler") is not None and state.round.deck and state.round.deck == state.table.last_deck:
        yield find_case(rule, "again", deck=state.round.deck, evidence=(seen.entry.number,), once=True)


@check("opening.rack", place=420, rules=("rack",), on=("kp.collected", "kp.round_end"))
def rack(seen: CheckContext) -> Iterator[Finding]:
    """Report that cards of a second deck come to the rack while the first is still in it."""
    rule, old = seen.rule("rack"), seen.before.table.rack
    new = seen.after.table.rack
    if rule is not None and old and new and new != old:
        yield find_case(rule, "two", deck=new, other_deck=old, evidence=(seen.entry.number,))


@check("inspection.before_cards", place=340, rules=("inspection",), on=("shoe.loaded", "shuffler.started"))
def before_cards(seen: CheckContext) -> Iterator[Finding]:
    """Report that cards went into a shoe or shuffler that the floor has not inspected this gaming day."""
    rule = seen.rule("inspection")
    device = seen.after.device(seen.entry.source)
    if rule is None or device is None or not isinstance(seen.entry.data, ShoeLoaded | ShufflerStarted):
        return
    if device.inspected != seen.after.table.day or device.failed:
        yield find_case(rule, "load", device=device.ident, evidence=(seen.entry.number,))


@check("inspection.failed", place=350, rules=("inspection",), on=("ft.inspect",))
def failed(seen: CheckContext) -> Iterator[Finding]:
    """Report that a shoe or shuffler did not pass its inspection."""
    rule = seen.rule("inspection")
    for device in seen.after.devices:
        if rule is not None and device.kind != "reader" and seen.said(device_fact("failed", device.ident)):
            yield find_case(rule, "failed", device=device.ident, evidence=(seen.entry.number,))


@check("inspection.reader", place=360, rules=("reader_inspection",), on=("reader.inserted",))
def reader(seen: CheckContext) -> Iterator[Finding]:
    """Report that the reader was used before its inspection of this gaming day."""
    rule = seen.rule("reader_inspection")
    device = seen.after.device(seen.entry.source)
    if rule is None or device is None or not isinstance(seen.entry.data, ReaderInserted):
        return
    if device.inspected != seen.after.table.day and not device.failed:
        yield find_case(rule, "use", device=device.ident, evidence=(seen.entry.number,))


@check("security.shoe", place=90, rules=("secured_shoe",), on=("ft.table_open", "ft.table_close"))
def shoe(seen: CheckContext) -> Iterator[Finding]:
    """Report that the shoe is loose on an open table, or not locked away on a closed one."""
    yield from _loose(seen, "shoe", "secured_shoe")


@check("security.shuffler", place=100, rules=("secured_shuffler",), on=("ft.table_open", "ft.table_close"))
def shuffler(seen: CheckContext) -> Iterator[Finding]:
    """Report that the shuffler is loose on an open table, or not locked away on a closed one."""
    yield from _loose(seen, "shuffler", "secured_shuffler")


def _loose(seen: CheckContext, kind: str, key: str) -> Iterator[Finding]:
    rule, act, device = seen.rule(key), seen.act, seen.after.present(kind)
    if rule is None or device is None:
        return
    opened = isinstance(act, FtTableOpen) and not act.secured
    if opened or (isinstance(act, FtTableClose) and not act.locked):
        case = "loose" if opened else "closed"
        yield find_case(rule, case, device=device.ident, evidence=(seen.entry.number,))

"""Injectors of faults: a small change to the table before a round, or to the next acts of its people."""

from collections.abc import Callable
from typing import Final

from pitwarden_client.events.card_faces import JOKER, parse_face
from pitwarden_simulators.table.table import SimulatedTable

Rig = Callable[[SimulatedTable], None]

_SOON: Final = 5
_DECK: Final = "A"


def mishap(*names: str) -> Rig:
    """Return an injector that makes the people err at the next opportunity."""
    return lambda table: table.mishaps.update(names)


def inserted(*found: tuple[int, str]) -> Rig:
    """Return an injector that inserts foreign cards into the shoe, each after a number of others."""

    def rig(table: SimulatedTable) -> None:
        for place, name in found:
            table.shoe.insert(place, table.mint.card(JOKER if name == "JKR" else parse_face(name), _DECK))

    return rig


def faced(*places: int) -> Rig:
    """Return an injector that turns cards face up in the shoe, each after a number of others."""

    def rig(table: SimulatedTable) -> None:
        for place in places:
            table.shoe.turn(place)

    return rig


def up_card(ranks: str, then: Rig) -> Rig:
    """Return an injector that makes the dealer's up card one of `ranks`, and applies `then`."""

    def rig(table: SimulatedTable) -> None:
        table.wanted["up"] = lambda card: card.rank in ranks and not card.turned
        then(table)

    return rig


def end_of_shoe(then: Rig) -> Rig:
    """Return an injector that brings the cutting card within the next round, and applies `then`."""

    def rig(table: SimulatedTable) -> None:
        table.shoe.cut_after = _SOON
        then(table)

    return rig


def no_cutting_card(table: SimulatedTable) -> None:
    """Remove the cutting card from the shoe."""
    table.shoe.cut_after = None


def misread(table: SimulatedTable) -> None:
    """Make the shoe read the next card as a 10."""
    table.shoe.misread = parse_face("10C")


def low_hand(table: SimulatedTable) -> None:
    """Give the first box five points, and skip the check of the hole card."""
    table.wanted["first"] = lambda card: card.rank == "2"
    table.wanted["second"] = lambda card: card.rank == "3"
    table.mishaps.add("no_check")


def reader_fails(table: SimulatedTable) -> None:
    """Make the reader give no answer."""
    if table.reader is not None:
        table.reader.fail_next = True


def jams(table: SimulatedTable) -> None:
    """Make the shuffler jam in its next cycle."""
    table.shuffler.jam_next = True


def drops(table: SimulatedTable) -> None:
    """Make a card fall out of the shuffler in its next cycle."""
    table.shuffler.drop_next = True


def shoe_jams(table: SimulatedTable) -> None:
    """Make the automated shoe jam at its next stack."""
    table.shoe.jam_next = True


def short_stack(table: SimulatedTable) -> None:
    """Make the automated shoe's next stack six cards."""
    table.shoe.short_by = 1


def stuck(table: SimulatedTable) -> None:
    """Make two cards stick together, and the dealer count the stub in this round."""
    table.shoe.stuck_pair = True
    table.mishaps.add("count_now")


def reads_twice(table: SimulatedTable) -> None:
    """Make the shoe read one card twice, and the dealer count the hands."""
    table.shoe.reads_twice = True
    table.mishaps.add("count_hands")


def lost_card(table: SimulatedTable) -> None:
    """Remove a card of the deck, and make the dealer count the stub in this round."""
    table.layout.removed.append(table.shoe.cards.pop())
    table.mishaps.add("count_now")


RIGS: Final[dict[str, Rig]] = {
    "cable": mishap("unplug"),
    "cable at end": end_of_shoe(mishap("unplug")),
    "reboot": mishap("reboot"),
    "noise": mishap("noise"),
    "uninspected": mishap("uninspected"),
    "joker": inserted((0, "JKR")),
    "ten": inserted((0, "10D")),
    "two tens": inserted((0, "10D"), (2, "10S")),
    "face up": faced(0),
    "two face up": faced(0, 2),
    "misread": misread,
    "no cutting card": no_cutting_card,
    "misuse": up_card("23456789", mishap("misuse")),
    "early insert": up_card("A", mishap("early_insert")),
    "no check": up_card("KQJ", low_hand),
    "reader fails": up_card("KQJ", reader_fails),
    "ignore cut": end_of_shoe(mishap("ignore_cut")),
    "jam at end": end_of_shoe(jams),
    "drop at end": end_of_shoe(drops),
    "by hand at end": end_of_shoe(mishap("manual_shuffle")),
    "jam": jams,
    "drop": drops,
    "by hand": mishap("manual_shuffle"),
    "shoe jams": shoe_jams,
    "short stack": short_stack,
    "same deck": mishap("same_deck"),
    "other method": mishap("other_method"),
    "stuck": stuck,
    "reads twice": reads_twice,
    "lost card": lost_card,
    "no count": mishap("no_count"),
    "unsettled": up_card("KQJ", mishap("unsettled")),
    "antes late": up_card("KQJ", mishap("antes_late")),
    "choice late": up_card("KQJ", mishap("choice_late")),
}

"""Rows of games whose hands are ranked as in poker: the words that they may use, and the refusal of others.

`rules.ranked` and the rows with `by = "rank"` are read by `outcomes.ranked_hands`. A word that no hand has would make a
wager that is never decided: it is refused when the profile is read.
"""

from typing import Final

from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.profile.toml_rows import TomlRow

ORDER: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
"""Ranks of single cards, the lowest first."""
FIVE: Final = 5
"""Number of cards that count in a hand of more."""
CATEGORIES: Final[dict[int, tuple[str, ...]]] = {
    2: ("high_card", "pair"),
    3: ("high_card", "pair", "flush", "straight", "three_of_a_kind", "straight_flush"),
    5: (
        "high_card", "pair", "two_pair", "three_of_a_kind", "straight", "flush", "full_house", "four_of_a_kind",
        "straight_flush",
    ),
}  # fmt: skip
"""Names of the ranks by number of cards that count, the lowest first."""
ROYALS: Final = {3: "mini_royal", 5: "royal_flush"}
"""Name of a straight flush to the ace, which a pay table may have as a line of its own."""
SIZES: Final = (2, 3, 5, 6, 7)
"""Numbers of cards that have a rank, community cards included; of 6 and 7 the best five count."""
RESULTS: Final = ("win", "lose", "push", "returned")
"""Results of a wager where the dealer does not qualify."""


def refuse_unranked(row: TomlRow, made: GameProfile) -> None:
    """Refuse rows on ranked hands that no outcome could be made of.

    Raises:
        ProfileError: The error has file, row and reason.
    """
    ranked = made.rule("ranked")
    alone = [rule for rule in made.rules if rule.param("by", default="") == "rank"]
    if ranked is None:
        if alone:
            raise row.wrong(
                f"rules.{alone[0].key}.by", "hands have ranks only where the profile has rules.ranked: add it"
            )
        return
    size = made.cards_to("box") + made.cards_to("community")
    if size not in SIZES or made.cards_to("dealer") != made.cards_to("box"):
        reason = f"boxes and dealer have the same number of cards, with community cards {_listed(SIZES)}"
        raise row.wrong("passes", f"{reason}, where hands are ranked")
    wagers = {*made.keys.wagers, *made.keys.named}
    _refuse_words(row, ranked, min(size, FIVE), wagers)
    for rule in alone:
        wager = str(rule.param("on", default="")) or rule.key
        if wager not in wagers:
            raise row.wrong(f"rules.{rule.key}", f"{wager!r} is no wager of [keys]: {', '.join(sorted(wagers))}")
        _refuse_lines(row, made, rule, min(size, FIVE))


def _refuse_words(row: TomlRow, rule: ClauseRule, size: int, wagers: set[str]) -> None:
    """Refuse words of `rules.ranked` that name no wager, no rank or no result."""
    for wager in rule.words("wagers"):
        if wager not in wagers:
            raise row.wrong("rules.ranked.wagers", f"{wager!r} is no wager of [keys]: {', '.join(sorted(wagers))}")
    qualify = rule.words("qualify")
    if qualify and (qualify[0] not in CATEGORIES[size] or not set(qualify[1:]) <= set(ORDER)):
        reason = f"first a rank of {size} cards ({', '.join(CATEGORIES[size])}), then ranks of single cards"
        raise row.wrong("rules.ranked.qualify", reason)
    for words in rule.words("unqualified"):
        wager, _, result = words.partition(" ")
        if wager not in rule.words("wagers") or result not in RESULTS:
            reason = f"{words!r} is no wager of this row with one of {', '.join(RESULTS)}"
            raise row.wrong("rules.ranked.unqualified", reason)


def _refuse_lines(row: TomlRow, made: GameProfile, rule: ClauseRule, size: int) -> None:
    """Refuse a pay table that is missing, or that has a line which no hand makes."""
    tables = [table for table in made.pay if table.wager == rule.key]
    known = (*CATEGORIES[size], *(name for cards, name in ROYALS.items() if cards == size))
    if not tables:
        raise row.wrong(f"pay.{rule.key}", "the pay table of a wager that the rank of a hand decides is missing")
    for table in tables:
        unknown = next((line for line, _ in table.lines if line not in known), None)
        if unknown is not None:
            reason = f"no hand of {size} cards is called so: {', '.join(known)}"
            raise row.wrong(f"pay.{rule.key}.tables.{table.name}.{unknown}", reason)


def _listed(numbers: tuple[int, ...]) -> str:
    return " or ".join(map(str, numbers))

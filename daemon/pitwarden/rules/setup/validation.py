"""Validation of a table's set-up: a set-up that contradicts the lists of games or the profile is refused at start."""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.game_lists import GameLists, load_lists
from pitwarden.rules.profile.toml_rows import ProfileError
from pitwarden.rules.setup.requirements import SetupProblem, missing_attestations, pay_problems, placement_problems
from pitwarden.rules.setup.table_setup import TWO_PERSON_ACTS, HousePolicy, TableSetup
from pitwarden_client.events.card_faces import RANKS

ROWS: Final = declared(__name__, reads=("card_change_hand", "hand_needs_shuffler", "positions", "reader_misuse"))


class SetupError(ProfileError):
    """A table is set up in a way that the rules do not allow.

    Policy: the program reports each reason and exits with code 78 before any port is opened.

    Example: a table of triple attack blackjack that is to be dealt from the hand.
    """

    def __init__(self, unfit: tuple[SetupProblem, ...]) -> None:
        self.unfit = unfit
        super().__init__("; ".join(f"{'.'.join(one.key)}: {one}" for one in unfit))


def validate_setup(setup: TableSetup, undecided: frozenset[str] = frozenset()) -> TableSetup:
    """Return `setup` if the rules allow it.

    Args:
        setup: Set-up of the table.
        undecided: Switches of the house that the table file leaves at their default.

    Raises:
        SetupError: The rules do not allow it; the error has every reason.
    """
    found = (*_undecided(setup, undecided), *setup_problems(setup, load_lists()))
    if found:
        raise SetupError(found)
    return setup


def violated_clauses(setup: TableSetup) -> frozenset[str]:
    """Return the clauses that `setup` violates."""
    return frozenset(one.clause for one in setup_problems(setup, load_lists()))


def setup_problems(setup: TableSetup, lists: GameLists) -> Iterator[SetupProblem]:
    """Yield every problem of `setup`, in the order of the table file."""
    profile = setup.profile
    if setup.positions not in profile.positions:
        rule = ROWS.of(profile, "positions")
        cites = rule.cites if rule else ()
        known = " or ".join(map(str, profile.positions))
        yield SetupProblem(("table", "positions"), "G-13", cites, f"{profile.title} is played at {known} positions")
    pack = lists.pack_of(profile.name)
    if profile.total != pack.cards * profile.copies:
        reason = f"a deck of {profile.title} has {pack.cards} cards, and the profile says otherwise"
        yield SetupProblem(("table", "game"), "G-01", pack.cites, reason)
    yield from _dealing(setup, lists)
    yield from _devices(setup, lists)
    yield from _wagers(setup, lists)
    yield from _switches(setup)
    yield from pay_problems(setup)
    yield from placement_problems(setup)
    yield from missing_attestations(setup)


def _undecided(setup: TableSetup, undecided: frozenset[str]) -> Iterator[SetupProblem]:
    for duty in setup.profile.needs.switches:
        if duty.switch in undecided:
            yield SetupProblem(("rules", duty.switch), duty.clause, duty.cites, f"is missing: {duty.reason}")


def _dealing(setup: TableSetup, lists: GameLists) -> Iterator[SetupProblem]:
    profile, hand, only = setup.profile, lists.listed["hand"], lists.listed["hand_only"]
    key, by_hand, six = ("table", "mode"), setup.mode == "hand", setup.policy.six_to_five
    if six and not lists.has("hand_only", profile):
        yield SetupProblem(
            ("rules", "six_to_five"), only.clause, only.cites, f"{setup.profile.title} has no such variation"
        )
    elif six and not by_hand:
        yield SetupProblem(key, only.clause, only.cites, "the 6 to 5 variation is dealt from the hand")
    elif by_hand and not six and not lists.has("hand", profile):
        reason = f"{setup.profile.title} is dealt from a dealing shoe, not from the hand"
        yield SetupProblem(key, hand.clause, hand.cites, reason)
    if setup.mode not in setup.profile.modes:
        reason = (
            f"our sources do not say how {setup.profile.title} is dealt in this way: {', '.join(setup.profile.modes)}"
        )
        yield SetupProblem(key, "PW-SETUP", (), reason)
    hours = lists.listed["four_hours"]
    # The list of games is a second source for the limit of four hours; a profile that differs from it is wrong or
    # outdated.
    if lists.has("four_hours", profile) is (ROWS.of(profile, "card_change_hand") is None):
        yield SetupProblem(
            ("table", "game"), hours.clause, hours.cites, "the profile and the list of four hours disagree"
        )
    if setup.device("shoe") is None and not by_hand and setup.profile.total:
        cites = ("13:69E-1.19(b)", "13:69E-1.19(c)")
        yield SetupProblem(
            ("devices",), "G-22", cites, "no dealing shoe is configured, and the cards are dealt from one"
        )
    rule = ROWS.of(setup.profile, "hand_needs_shuffler")
    if by_hand and rule is not None and setup.device("shuffler") is None:
        yield SetupProblem(key, rule.clause, rule.cites, "dealing from the hand needs an automated shuffler")


def _devices(setup: TableSetup, lists: GameLists) -> Iterator[SetupProblem]:
    shufflers = lists.listed["shuffler"]
    for device in setup.devices:
        key = ("devices", device.ident)
        automatic = device.kind == "shuffler" or (device.kind == "shoe" and device.automated)
        if device.kind == "shuffler" and not lists.has("shuffler", setup.profile):
            yield SetupProblem(
                key, shufflers.clause, shufflers.cites, f"no shuffler is listed for {setup.profile.title}"
            )
        if automatic and not device.procedure_ref:
            cites = ("13:69E-1.19(c)1", "13:69F-51.9(a)")
            yield SetupProblem(
                (*key, "procedure"), "G-21", cites, f"the procedures of {device.ident} have to be on file"
            )
        if device.kind == "reader" and ROWS.of(setup.profile, "reader_misuse") is None:
            yield SetupProblem(key, "G-15", ("13:69E-1.10D(f)",), f"{setup.profile.title} has no hole card to read")


def _wagers(setup: TableSetup, lists: GameLists) -> Iterator[SetupProblem]:
    own, key = lists.games.get(setup.profile.name), ("rules", "wagers")
    for wager in setup.wagers:
        if wager not in lists.wagers:
            yield SetupProblem(key, "IB-08", (), f"{wager!r} is no optional wager: {', '.join(lists.wagers)}")
        elif own is None:
            yield SetupProblem(key, "IB-08", (), f"{setup.profile.title} has no optional wagers of blackjack")
        elif wager in own.forbidden:
            reason = f"the {lists.wagers[wager]} is not offered with {setup.profile.title}"
            yield SetupProblem(key, own.clause, own.cites, reason)
    if own is None:
        return
    offered = tuple(dict.fromkeys((*own.offered, *setup.wagers)))
    for at, one in enumerate(offered):
        for other in offered[at + 1 :]:
            if frozenset((one, other)) in lists.exclusive:
                names = f"the {lists.wagers[one]} ({one}) and the {lists.wagers[other]} ({other})"
                yield SetupProblem(key, own.clause, own.cites, f"{names} exclude each other at one table")
        if setup.profile.copies < lists.least_decks.get(one, 1):
            reason = f"the {lists.wagers[one]} needs at least {lists.least_decks[one]} decks"
            yield SetupProblem(("table", "in_set"), "IB-01", ("19:47-2.2(a)2",), reason)


def _switches(setup: TableSetup) -> Iterator[SetupProblem]:
    policy, rule = setup.policy, setup.profile.rule
    misuse, first, ace = rule("reader_misuse"), rule("dealer_first"), rule("split_ace")
    deep, attack = rule("cutting_card_depth") is not None, rule("attack")
    naturals = attack is not None and bool(attack.param("naturals", default=False))
    # A switch without a clause to act on would be accepted and have no effect: it is refused by name instead.
    bound = (
        ("bart_carter", policy.bart_carter, rule("bart_carter") is not None),
        ("batch_swap", policy.batch_swap, rule("idle_spread") is not None),
        ("mid_shoe_entry", not policy.mid_shoe_entry, rule("mid_shoe_entry") is not None),
        ("cutcard_policy", policy.cutcard_policy != "placed", deep),
        ("cut_tolerance", policy.cut_tolerance != HousePolicy().cut_tolerance, deep),
        ("dealer_first_confirm", policy.dealer_first_confirm, first is not None and bool(first.verdicts("confirm"))),
        ("blackjack_against_21", policy.blackjack_against_21 != "push", naturals),
        ("early_window", policy.early_window != "notice", rule("window_up") is not None),
        ("max_splits", policy.max_splits != HousePolicy().max_splits, rule("split") is not None),
        ("resplit_aces", policy.resplit_aces, ace is not None and bool(ace.param("again_by_choice", default=False))),
        ("reader_up", bool(policy.reader_up), misuse is not None and misuse.basis == "analogy"),
    )
    for name, used, known in bound:
        if used and not known:
            yield SetupProblem(("rules", name), "PW-SETUP", (), f"{setup.profile.title} has no such switch")
    for act in policy.two_persons:
        if act not in TWO_PERSON_ACTS:
            reason = f"{act!r} is not an act of two persons. Allowed: {', '.join(TWO_PERSON_ACTS)}"
            yield SetupProblem(("rules", "two_persons"), "PW-SETUP", (), reason)
    for rank in policy.reader_up:
        if rank not in RANKS:
            yield SetupProblem(("rules", "reader_up"), "PW-SETUP", (), f"{rank!r} is no rank: {', '.join(RANKS)}")

"""Names in outputs, commands and stored data, written out: renaming Python code must leave them unchanged.

A failure here means that a rename has changed what is published or stored: restore the string in the code. A check that
is not in the list yet is added with the release that publishes it; a label when it is new.
"""

import hashlib
from collections.abc import Iterator

from pitwarden.rules import LogEntry, RuleOutput, RulesState, load_profile, profile_digest
from pitwarden.rules.engine import step
from pitwarden.rules.engine.check_catalogue import CHECKS
from pitwarden.rules.profile.declared_reads import declarations
from pitwarden.rules.profile.library import NAMES, default_decks
from pitwarden.rules.setup.table_setup import _plain
from pitwarden_client.events.outputs import CheckFailed
from pitwarden_client.events.table import ClockTick
from testkit.tables.rules_table import RulesTable, setup_of

CHECK_IDS = """
    found_cards.stray_ten found_cards.face_up composition.joker composition.copies receipt.other_back
    counts.must_leave receipt.set_split receipt.returned_uninspected security.shoe security.shuffler mixing.exposed
    reader.misuse
    reader.misuse_ruled reader.failed reader.silent reader.contradicted reader.used_while_out reader.not_checked
    reader.card_after_blackjack reader.insurance_open devices.shuffler_fault devices.shuffler_overdue
    devices.shoe_fault devices.method devices.hand_without_shuffler devices.short_shoe stub.stack stub.draws
    stub.hands stub.wrong_stub stub.overdue counts.shuffler counts.shoe inspection.before_cards inspection.failed
    inspection.reader opening.tens opening.before_use opening.second_deck opening.second_by_hand opening.alternation
    opening.rack shuffles.unshuffled_load shuffles.unshuffled_rest shuffles.unshuffled_round idle.dealt_unshuffled
    idle.other_batch idle.requested shuffles.uncut cut.near_an_end cut.by_a_player cut.cutting_card_too_deep
    shuffles.shoe_not_empty shuffles.still_shuffling shuffles.after_cutting_card shuffles.ordered
    shuffle_audit.looks_unshuffled shuffles.burn_in_mid_round found_cards.dealer_first_missed
    found_cards.dealer_first_confirmed order.bets_open order.window_open order.closed_early order.unasked
    order.bonus_open
    order.dealer_too_early order.undecided_reveal before_play.ib_unsettled before_play.antes_on_the_layout
    before_play.choice_open before_play.choice_out_of_turn settlement.insurance_unsettled settlement.other_hand_open
    settlement.decided_out_of_turn settlement.turned_out_of_turn settlement.out_of_turn dealer_draws.stopped_early
    dealer_draws.moot_draw outcomes.differs dice.settled_wrongly outcomes.surrender_settled_early
    settlement.bonus_after_comparison round_over.settled round_over.drawn active_wagers.never_turned
    active_wagers.bonus_alone other_bettors.without_the_caller active_wagers.folded_paid card_change.old_cards
    ledger.unbalanced
    house.unreadable house.gap house.log_fault house.strange_device house.replaced_device house.unpermitted
"""
"""Identifiers that `check.failed` and the table of clauses published, in the order in which the checks run."""

LABELS = """
    checks.settled_order engine.consequences engine.duties engine.evolve engine.settlement_review engine.step
    ledger.devices ledger.entries ledger.inputs outcomes.announce outcomes.blackjack outcomes.ranked_hands
    outcomes.terms
    outcomes.three_card_blitz queries.choices queries.decks queries.hands queries.reader setup.requirements
    setup.validation transitions.burn_card transitions.dealer_inputs transitions.decisions transitions.draws
    transitions.floor_inputs transitions.hands transitions.hole_card transitions.input_validation
    transitions.irregularity_inputs transitions.pass_marks transitions.player_options transitions.round transitions.shoe
    transitions.shuffler transitions.stakes transitions.wagers
"""
"""Modules that `pitwarden clauses` prints for what acts under a row or reads it besides the checks."""

SET_UP_FIELDS = "3352958961417f3471bd67dddde115a323e071035a1e915ccfa9122f361de8e9"
"""Digest over the paths of all fields that a profile digest covers, such as `profile.rules.clause`."""


def paths_in(value: object, path: str = "") -> Iterator[str]:
    """Yield the path of each field in a value of JSON; a number or a text is no object of the code."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{path}.{name}"
            yield from paths_in(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from paths_in(inner, path)
    else:
        assert isinstance(value, str | int | None)
        assert not str(value).startswith("<")


def test_each_check_keeps_its_identifier_and_its_place_among_those_that_were_published() -> None:
    published = CHECK_IDS.split()
    assert [one.id for one in CHECKS if one.id in published] == published


def test_no_two_checks_have_one_identifier_or_one_place() -> None:
    assert len({one.id for one in CHECKS}) == len({one.place for one in CHECKS}) == len(CHECKS)


def test_the_labels_of_the_table_of_clauses_are_those_that_were_printed() -> None:
    assert [one.module for one in declarations()] == LABELS.split()


def test_a_profile_digest_covers_the_fields_that_were_published_and_no_name_of_a_class() -> None:
    setups = [setup_of("TAB", profile=load_profile(name, default_decks(name))) for name in NAMES]
    found = sorted({path for setup in setups for path in paths_in(_plain(setup))})
    assert hashlib.sha256("\n".join(found).encode()).hexdigest() == SET_UP_FIELDS
    assert len({profile_digest(setup) for setup in setups}) == len(NAMES)


def test_a_failure_outside_the_checks_has_a_name_of_its_own() -> None:
    def broken(_state: RulesState, _entry: LogEntry) -> tuple[RulesState, tuple[RuleOutput, ...]]:
        raise LookupError

    table = RulesTable(setup_of("TAB"))
    entry = LogEntry("e", 1, 0, 0, "table", ClockTick())
    _, out = step.run_guarded(table.state, entry, broken)
    assert [one.check for one in out if isinstance(one, CheckFailed)] == ["outputs"]

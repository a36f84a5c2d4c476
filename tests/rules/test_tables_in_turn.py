"""Tables that one process judges row by row in turn, and parts that two states share, give what each gives alone."""

from itertools import zip_longest

from pitwarden.rules import HousePolicy, LogEntry, RulesState, initial_state, state_to_bytes, step
from pitwarden.rules.queries.layout import deal_template
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.round import RoundDeal, RoundState
from testkit.nights.arbitrary_rows import SETUPS, night
from testkit.tables.rules_table import setup_of

NAMES = ("tab-visible", "da-shielded", "cb-auto", "in-between", "switch-hands")


def judged(state: RulesState, row: LogEntry, said: list[str]) -> RulesState:
    state, outputs = step(state, row)
    said.append(repr(outputs))
    return state


def test_tables_in_turn_give_what_each_gives_alone() -> None:
    nights = {name: night(name, 3) for name in NAMES}
    alone: dict[str, tuple[list[str], bytes]] = {}
    for name, rows in nights.items():
        state, said = initial_state(SETUPS[name]), list[str]()
        for row in rows:
            state = judged(state, row, said)
        alone[name] = said, state_to_bytes(state)
    states, outputs = {name: initial_state(SETUPS[name]) for name in NAMES}, {name: list[str]() for name in NAMES}
    for rows_of_all in zip_longest(*nights.values()):
        for name, row in zip(NAMES, rows_of_all, strict=True):
            if row is not None:
                states[name] = judged(states[name], row, outputs[name])
    assert {name: (outputs[name], state_to_bytes(states[name])) for name in NAMES} == alone


def test_one_deal_at_two_tables_has_the_order_of_each() -> None:
    played = RoundState(deal=RoundDeal(boxes=(1, 2), dealt=(DrawnCard("e", 7, 0, 1_000, 12),)))
    rounds = setup_of("CB")
    by_hands = setup_of("CB", policy=HousePolicy(manual_deal="hands"))
    names = []
    for setup in (rounds, by_hands, rounds):
        plan = deal_template(setup, played)
        assert plan is not None
        names.append([slot.name for slot in plan.slots[:2]])
    assert names == [["box1.1", "box2.1"], ["box1.1", "box1.2"], ["box1.1", "box2.1"]]

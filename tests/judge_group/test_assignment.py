"""Which tables a member claims and gives back, and which it must not take over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden.judge_group.assignment import (
    JudgeFacts,
    PlaceFacts,
    has_excess,
    in_turn,
    refusal,
    share_of,
    tables_to_claim,
)

OURS = JudgeFacts("0.4.13", "0.2.0", takes_older=False)
UPGRADED = JudgeFacts("0.4.13", "0.2.0", takes_older=True)
NEW = PlaceFacts("s/t", 1, "", has_owner=False, owner="", rules="", version="", signer="")


def judged(rules: str, version: str = "0.2.0", signer: str = "key") -> PlaceFacts:
    return PlaceFacts("s/t", 1, "", has_owner=False, owner="", rules=rules, version=version, signer=signer)


@pytest.mark.parametrize(
    ("place", "judge", "why"),
    [
        (NEW, OURS, ""),
        (judged("0.4.13"), OURS, ""),
        (judged("0.4.9"), OURS, "takes_older_rules = false"),
        (judged("0.4.9"), UPGRADED, ""),
        (judged("0.4.14"), UPGRADED, "newer than this member's"),
        (judged("0.4.13", version="0.3.0"), UPGRADED, "newer than this member's"),
        (judged("0.4.13", signer="another"), UPGRADED, "a key that this member does not have"),
    ],
)
def test_a_member_takes_over_only_what_it_may_judge(place: PlaceFacts, judge: JudgeFacts, why: str) -> None:
    found = refusal(place, judge, ("key", "older key"))
    assert why in found
    assert bool(why) == bool(found)


@given(st.integers(0, 30), st.integers(1, 5))
def test_members_claim_disjoint_tables_first_and_all_together(count: int, peers: int) -> None:
    free = [f"t{n:02}" for n in range(count)]
    turns = [in_turn(free, rank, peers) for rank in range(peers)]
    assert all(sorted(turn) == free for turn in turns)
    first = [turn[: count // peers] for turn in turns]
    assert len({table for each in first for table in each}) == sum(map(len, first))


@given(st.integers(0, 200), st.integers(1, 9))
def test_the_shares_cover_all_tables_and_differ_by_less_than_two(tables: int, peers: int) -> None:
    share = share_of(tables, peers)
    assert (share - 1) * peers < max(tables, 1)
    assert tables <= share * peers


@given(st.lists(st.integers(0, 30), min_size=1, max_size=6))
def test_giving_back_one_at_a_time_ends_in_balance(owned: list[int]) -> None:
    for _ in range(400):
        giving = next(
            (at for at, count in enumerate(owned) if has_excess(count, [*owned[:at], *owned[at + 1 :]])), None
        )
        if giving is None:
            break
        owned[giving] -= 1
        owned[owned.index(min(owned))] += 1
    assert max(owned) - min(owned) <= 1


def test_a_member_without_peers_gives_nothing_back() -> None:
    assert not has_excess(50, [])


def test_a_table_that_nobody_claims_is_claimed_above_the_share() -> None:
    free = [f"t{n}" for n in range(6)]
    assert tables_to_claim(free, owned=2, share=4, overdue=()) == ["t0", "t1"]
    assert tables_to_claim(free, owned=4, share=4, overdue=()) == []
    assert tables_to_claim(free, owned=4, share=4, overdue=("t5",)) == ["t5"]
    assert tables_to_claim(free, owned=0, share=3, overdue=("t4", "t5")) == ["t4", "t5", "t0"]

"""What the outcomes of a round rest on beside its cards: the pay tables in force, the wagers and amounts keyed."""

from functools import lru_cache
from typing import Final, NamedTuple

from pitwarden_client.events.outputs import WagerOutcome

from pitwarden.rules.evaluation.blackjack import Compared
from pitwarden.rules.profile.pay_tables import PayChoice, in_force, odds_of
from pitwarden.rules.profile.profile import Profile, Rule
from pitwarden.rules.state.round import Stake
from pitwarden.rules.state.state import State

KEYED: Final = ("kp.wager",)


class Terms(NamedTuple):
    """Of one round. `wagers`: those that were keyed, as `ib 2`, none where none is known."""

    profile: Profile
    pay: tuple[PayChoice, ...]
    wagers: tuple[str, ...]
    stakes: tuple[Stake, ...]

    def wagered(self, wager: str, box: int) -> bool:
        """Whether `box` has this wager, as far as is known: all have it where no wager is keyed in this round."""
        return not self.wagers or f"{wager} {box}" in self.wagers

    def outcome(self, rule: Rule, hand: str, wager: str, made: Compared) -> WagerOutcome:
        """The outcome of `wager` under `rule`, with what the table in force pays and the amounts that were keyed."""
        pays, cites = _paid(self.profile, self.pay, wager, made.line) if made.result == "win" else ("", ())
        return _worded(rule, made, hand, wager, pays, cites, self._stake(hand, wager) if self.stakes else None)

    def _stake(self, hand: str, wager: str) -> int | None:
        """What is staked on it, in cents; None when an amount was not keyed."""
        staked = [one for one in self.stakes if one.wager == wager and f"box{one.box}" == hand]
        cents = [one.cents for one in staked if one.cents is not None]
        return sum(cents) if cents and len(cents) == len(staked) else None


def terms_of(state: State) -> Terms:
    """The terms of the round in progress."""
    setup, played = state.setup, state.round
    wagers = played.wagers if played.wagers and setup.keyed(KEYED) else ()
    return Terms(setup.profile, setup.pay, wagers, played.bets.stakes)


@lru_cache(maxsize=4096)
def _paid(profile: Profile, choices: tuple[PayChoice, ...], wager: str, line: str) -> tuple[str, tuple[str, ...]]:
    """What a win by `line` pays, and the cites of its pay table."""
    table = in_force(profile.pay, choices, wager)
    pays = "" if table is None else table.pays(line) or table.pays("win")
    return (pays, table.cites) if table is not None and pays else ("", ())


@lru_cache(maxsize=16_384)
def _worded(  # noqa: PLR0917  a cache key
    rule: Rule, made: Compared, hand: str, wager: str, pays: str, cites: tuple[str, ...], stake: int | None
) -> WagerOutcome:
    """The outcome in words, made once: the rows that follow in its round ask for it again."""
    odds = odds_of(pays) if made.result == "win" and stake is not None else None
    return WagerOutcome(
        hand=hand, wager=wager, result=made.result, line=made.line, pays=pays, catalogue=rule.clause,
        clauses=tuple(dict.fromkeys((*rule.cites, *cites)))[:8], basis=rule.basis, stake=stake,
        wins=None if odds is None or stake is None else int(stake * odds),
    )  # fmt: skip

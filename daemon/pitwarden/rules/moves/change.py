"""Small steps that all moves share: put a part back, say a token, refuse an input."""

from pitwarden_client.events.outputs import Notice, Refused, Verdict

from pitwarden.rules.copying import replace
from pitwarden.rules.parts import Deck, Device
from pitwarden.rules.state import Now, State

HOUSE_INPUT = "PW-INPUT"
"""The catalogue id of refusals that no clause but good order asks for."""


def put_deck(state: State, deck: Deck) -> State:
    """`state` with `deck` in place of the one of the same name, or behind the others."""
    if any(known.ident == deck.ident for known in state.decks):
        return replace(state, decks=tuple(deck if known.ident == deck.ident else known for known in state.decks))
    return replace(state, decks=(*state.decks, deck))


def put_device(state: State, device: Device) -> State:
    """`state` with `device` in place of the one of the same name."""
    return replace(state, devices=tuple([device if known.ident == device.ident else known for known in state.devices]))


def say(state: State, *tokens: str) -> State:
    """`state` with `tokens` among what this row fulfilled."""
    return replace(state, now=replace(state.now, tokens=(*state.now.tokens, *tokens)))


def tell(state: State, rule: str, case: str, sentence: str, box: int | None = None) -> State:
    """`state` with a notice under the profile's `rule`; unchanged when the game has no such clause."""
    row = state.setup.profile.rule(rule)
    if row is None:
        return state
    verdicts: tuple[Verdict, ...] = row.verdicts(case) or ("CONTINUE",)
    notice = Notice(catalogue=row.clause, clauses=row.cites, verdicts=verdicts, sentence=sentence, box=box)
    return replace(state, now=replace(state.now, notices=(*state.now.notices, notice)))


def refuse(state: State, sentence: str, rule: str = "") -> State:
    """`state` with nothing changed but the refusal, under the profile's `rule` or as house order."""
    row = state.setup.profile.rule(rule)
    catalogue, cites = (row.clause, row.cites) if row else (HOUSE_INPUT, ())
    return replace(state, now=Now(refused=Refused(catalogue=catalogue, clauses=cites, sentence=sentence)))

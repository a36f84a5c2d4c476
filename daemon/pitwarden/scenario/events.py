"""One table of words: every event that a scenario line may name, and its making."""

from typing import Final

from pitwarden.scenario.args import Args, Made
from pitwarden.scenario.device_words import DEVICE_WORDS, build_device
from pitwarden.scenario.errors import unknown
from pitwarden.scenario.people_words import PERSON_WORDS, Log, build_person
from pitwarden.scenario.table_words import TABLE_WORDS, build_table

WORDS: Final = frozenset({*DEVICE_WORDS, *PERSON_WORDS, *TABLE_WORDS})


def build(word: str, tokens: tuple[str, ...], log: Log) -> Made:
    """The event of `word` and `tokens`; ScenarioError with the nearest known word when there is none."""
    args = Args.of(tokens)
    if word in DEVICE_WORDS:
        return build_device(word, args)
    if word in TABLE_WORDS:
        return build_table(word, args)
    if word in PERSON_WORDS:
        return build_person(word, args, log)
    raise unknown(word, "event", WORDS)

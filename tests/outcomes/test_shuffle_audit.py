"""The shuffle auditor: honest shoes say nothing, defects are named soon, and nothing is read that is not public."""

from dataclasses import fields, replace
from random import Random

import pytest

from pitwarden.rules import initial_state, profile_digest, state_from_bytes, state_to_bytes
from pitwarden.rules.shuffle.auditor import PackShape, ShuffleAudit, audit_cards, start_shoe
from pitwarden.scenario import parse_scenario, play_scenario
from pitwarden.seal.sealing import SNAPSHOT_BYTES
from pitwarden_client.events.outputs import Irregularity
from pitwarden_simulators.cards import TENS
from pitwarden_tools.shuffle_study.command import COMMAND, line
from pitwarden_tools.shuffle_study.dealing import GAMES, rack_of, shoe
from pitwarden_tools.shuffle_study.measure import defective, honest
from pitwarden_tools.shuffle_study.packs import DEFECTS, HONEST
from testkit.tables.dealt_pack import DealtPack
from testkit.tables.rules_table import setup_of

HEAD = "title: a pack dealt out\ngame: TAB\nboxes: 4\noptions: shuffle_audit=yes\n---\nopen\n"
FACES = [face for _ in range(8) for face in range(52) if face not in TENS]


def shuffled(seed: int) -> list[int]:
    return Random(seed).sample(FACES, 384)  # noqa: S311  a pack, no secret


def alarms(*shoes: DealtPack, rounds: int) -> list[tuple[int, str]]:
    """In which round an alarm was said, and what of: each shoe is shuffled, by its device's word, and dealt out."""
    text = HEAD + "\n".join(shoes[0].rounds(rounds))
    for one in shoes[1:]:
        text += f"\nsh.unload {383 - shoes[0].out}\nsf.start A\nsf.done A 384\nsh.load A 384\nsh.card 2C\n"
        text += "\n".join(one.rounds(rounds))
    said = [
        output
        for judged in play_scenario(parse_scenario(text, "dealt.scn")).judged
        for told in judged.steps
        for output in told.outputs
    ]
    found = [one for one in said if isinstance(one, Irregularity) and one.status == "open"]
    assert {one.catalogue for one in found} <= {"TAB-04"}, found
    return [(one.round or 0, one.sentence) for one in found]


def test_two_honest_shoes_and_the_first_one_come_back_unshuffled() -> None:
    one, other = shuffled(3), shuffled(4)
    first = DealtPack(one, 4)
    assert alarms(first, DealtPack(other, 4), rounds=3) == []
    [(when, sentence)] = alarms(DealtPack(one, 4), DealtPack(first.rack + other, 4), rounds=3)
    assert when in {4, 5, 6}
    assert "came together as in an earlier shoe" in sentence


@pytest.mark.parametrize("game", sorted(GAMES))
def test_honest_shoes_say_nothing_and_every_defect_is_noticed(game: str) -> None:
    assert honest(GAMES[game], 4, seed=9).alarmed == 0
    for name, order in DEFECTS.items():
        caught = defective(GAMES[game], order, name, 1, seed=9)
        assert caught.delays or (game == "three-card-blitz" and "riffle" in name), name
        assert caught.delay()[0] <= 5 * 416


def test_a_row_of_the_table_says_what_was_measured() -> None:
    game = "three-card-blitz"
    made = honest(GAMES[game], 3, seed=1)
    assert line((game, "", 3, 1), made) == f"| {game} | honest | 3 shoes, {made.cards} cards | 0 alarmed | |"
    assert COMMAND.name == "audit-shuffles"


def test_what_is_remembered_is_bounded_and_fits_a_snapshot() -> None:
    setup = setup_of("TAB")
    pack, audit, rack = PackShape(52, 8, b"k"), ShuffleAudit(), list[int]()
    dice = Random(5)  # noqa: S311  as above
    sizes = []
    for _ in range(5):
        cards = HONEST(dice, rack, 8, True)  # noqa: FBT003  an Order
        rounds = list(shoe(dice, replace(GAMES["switch-hands"], decks=8, depth=0.95), cards))
        audit = start_shoe(audit)
        for one in rounds:
            audit = audit_cards(audit, pack, one.dealt, one.hands)
        rack = rack_of(cards, rounds)
        sizes.append(sum(len(str(getattr(audit, each.name))) for each in fields(audit)))
    assert max(sizes) < 30_000
    assert len(audit.past) == 2
    state = replace(initial_state(setup), audit=audit)
    kept = state_to_bytes(state)
    assert len(kept) < SNAPSHOT_BYTES / 4
    assert state_from_bytes(kept, setup).audit == audit


def test_the_key_decides_what_is_kept_and_not_what_is_found() -> None:
    game, dice = GAMES["blackjack-in-between"], Random(6)  # noqa: S311  as above
    cards = HONEST(dice, (), game.decks, game.tens)
    rounds = list(shoe(dice, game, cards))
    kept, found = set(), set()
    for key in (b"one", b"other"):
        pack, audit = PackShape(52, game.decks, key), ShuffleAudit()
        names: list[str] = []
        for again in range(2):
            audit = start_shoe(audit) if again else audit
            for one in rounds:
                audit = audit_cards(audit, pack, one.dealt, one.hands)
                names += audit.found
        kept.add(audit.shoe)
        found.add(tuple(names))
    assert len(kept) == 2
    assert found == {("repeat",)}


def test_a_hidden_card_is_a_gap_and_no_repr_shows_received_bytes() -> None:
    pack = PackShape(48, 8, b"k")
    run = list(range(13, 22))
    audit = audit_cards(ShuffleAudit(), pack, run, [run])
    assert audit_cards(ShuffleAudit(), pack, [-1] * 9, [[-1] * 9]).scores == (0, 0, 0)
    assert audit.scores[0] > 0
    assert audit.shoe[:8] not in repr(audit)
    assert "tail" not in repr(audit)


def test_the_key_is_no_part_of_the_profile_and_is_not_shown() -> None:
    setup = setup_of("TAB")
    keyed = replace(setup, audit_key=b"judge's own")
    assert profile_digest(keyed) == profile_digest(setup)
    assert "judge's own" not in repr(keyed)

"""The oracle of when secrets become public, for a night that was played."""

from card_changes import swapped
from pitwarden.events.codec import decode
from pitwarden.events.envelope import LogEvent
from pitwarden_simulators.table.shuffling import Arrange
from public_oracle import Oracle, Secret
from silent_night import Played


def oracle(night: Played) -> Oracle:
    """The secrets of `night`."""
    dealt = [card for event in night.table.shoe.dealt for card in event.cards]
    blitz = night.table.setup.game == "three-card-blitz"
    return Oracle(night.truth, dealt, blitz).hear(decode(LogEvent, body) for body in night.observed.bodies)


def answers(night: Played) -> list[Secret]:
    """The answers of the reader, in order."""
    return [secret for secret in oracle(night).secrets if secret.kind == "answer"]


def for_an_undealt(night: Played, secret: Secret, choice: int) -> Arrange:
    """The same shuffles, with the card of `secret` in the place of an undealt one of another face, and that in its."""
    if secret.cycle is None:
        raise LookupError("the reader's answer is no card")
    order = night.truth.orders[secret.cycle]
    face = order[secret.place].face
    others = [at for at in oracle(night).undealt(secret.cycle) if order[at].face != face]
    return swapped(secret.cycle, secret.place, others[choice % len(others)])

"""The cards that a macro may still deal: a pack counted down, so that honest play never shows a card too many."""

from dataclasses import dataclass, field
from typing import Final

from pitwarden_client.events.card_faces import UNREAD, face_of, is_ten, name_of, rank_of

from pitwarden.rules import Profile
from pitwarden.scenario.errors import ScenarioError

_STRIDE: Final = 17  # shares no divisor with 52, so that every card comes once, and neighbours are far apart


@dataclass(slots=True)
class Pack:
    """What is left of a freshly loaded shoe; `drawn` counts the cards that left it."""

    profile: Profile
    left: dict[int, int] = field(default_factory=dict, repr=False)
    drawn: int = 0

    def load(self) -> None:
        """A whole shuffled set is in the shoe."""
        faces = [face for face in range(52) if self.profile.tens or not is_ten(face)]
        self.left = dict.fromkeys(faces, self.profile.copies)
        self.drawn = 0

    def saw(self, name: str) -> None:
        """A card left the shoe; one that the pack does not hold was never part of its count."""
        face = face_of(name)
        if self.profile.tens or face in self.left or face == UNREAD:
            self.drawn += 1
        if self.left.get(face, 0):
            self.left[face] -= 1

    def take(self, *wishes: str) -> str:
        """A card of one of `wishes` (ranks or whole cards), evenly over what is left; ScenarioError when none is."""
        wanted = [face for face in self.left if self.left[face] and {name_of(face), rank_of(face)} & set(wishes)]
        if not wanted:
            raise ScenarioError(f"no {' or '.join(wishes)} is left in the shoe for this macro")
        return name_of(max(wanted, key=lambda face: (self.left[face], -face)))

    def next(self) -> str:
        """The next card in a fixed order in which neighbours are unlike."""
        for index in range(52):
            face = index * _STRIDE % 52
            if self.left.get(face, 0):
                return name_of(face)
        raise ScenarioError("no card is left in the shoe for this macro")


def total(ranks: list[str]) -> tuple[int, bool]:
    """The point total of a hand, and whether it is soft (19:47-36.2(b))."""
    hard = sum(1 if rank == "A" else 10 if rank in {"10", "J", "Q", "K"} else int(rank) for rank in ranks)
    soft = "A" in ranks and hard + 10 <= 21  # noqa: PLR2004  the game is called 21
    return (hard + 10, True) if soft else (hard, False)


def is_face(text: str) -> bool:
    """Whether `text` names a card."""
    try:
        face_of(text)
    except ValueError:
        return False
    return True

"""Damage of journals, as an inspection reports it."""


class Damages:
    """Keeps what was reported."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def damaged(self, reason: str) -> None:
        self.reasons.append(reason)


class NoDamage:
    """Fails the test where damage is reported."""

    def damaged(self, reason: str) -> None:
        raise AssertionError(reason)

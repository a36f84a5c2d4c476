"""Damage of journals, as an inspection reports it."""


class Damages:
    """Record of reported damage."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def damaged(self, reason: str) -> None:
        self.reasons.append(reason)


class NoDamage:
    """Sink that fails the test where damage is reported."""

    def damaged(self, reason: str) -> None:
        raise AssertionError(reason)

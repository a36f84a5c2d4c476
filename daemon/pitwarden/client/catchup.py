"""When to ask for a replay of one chain, and when to ask again. No I/O; times are milliseconds of one clock.

The adversary is silence: a half that is away, a request or an answer that was lost, a desk that is busy.
"""

from dataclasses import dataclass
from typing import Final, Literal

ANSWER_MS: Final = 3_000  # without a row or an answer for so long, ask again
BUSY_MS: Final = 1_000
LIMIT: Final = 500

Chain = Literal["log", "outputs"]


@dataclass(slots=True)
class CatchUp:
    """One chain's replays. `due` says that one should be asked for; `asked`, `heard` and `answered` say what came."""

    wanted: bool = False
    waiting: str = ""
    """The id of the request that is under way."""
    caught_up: bool = False
    """Whether a replay went to the end since the link came up."""
    dropped: bool = False
    """Whether something was passed over since the last request for want of room."""
    got: int = 0
    """How many rows came since the last request."""
    silent: bool = False
    """Whether the last request got no answer at all in its time."""
    _deadline: int = 0

    @property
    def live(self) -> bool:
        """Whether nothing is known to be missing."""
        return self.caught_up and not self.wanted and not self.waiting

    def link(self, *, up: bool) -> None:
        """The link came or went: what was under way is lost."""
        self.waiting, self.wanted, self.caught_up, self.dropped, self._deadline = "", up, False, False, 0

    def due(self, now: int) -> bool:
        """Whether to ask now."""
        if self.waiting:
            return now >= self._deadline
        return self.wanted and now >= self._deadline

    def asked(self, ident: str, now: int) -> None:
        """A request went out."""
        self.silent = bool(self.waiting) and self.got == 0
        self.waiting, self.wanted, self.dropped = ident, False, False
        self.got, self._deadline = 0, now + ANSWER_MS

    def heard(self, now: int) -> None:
        """A row of a replay came: the answer is on its way."""
        self.got += 1
        self.silent = False
        self._deadline = now + ANSWER_MS

    def answered(self, now: int, *, again: bool, later: bool = False) -> None:
        """The answer came; `again`: there is more to ask for, `later`: but not at once."""
        self.waiting, self.wanted, self.silent = "", again or self.dropped, False
        self._deadline = now + BUSY_MS if later else now
        self.caught_up = self.caught_up or not self.wanted

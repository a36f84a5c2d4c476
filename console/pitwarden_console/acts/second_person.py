"""Acts that wait for their second person. Nothing is sent to the table before both persons have signed for it.

Each of the two signs as themselves: the first one in the session in which the act was filled in, the second one on the
same page or in a session of their own. Both are then sent to the table, which decides whether it takes the second one
as a name or as an input of another login.

Threat: one person who signs twice, a person who signs for what they did not see, and an act that waits until no one
remembers it. In memory: after a restart the first person asks again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pitwarden_client import TableView
from pitwarden_client.events.inputs import Act
from pitwarden_console.acts.choices import ActChoice
from pitwarden_console.acts.keying import Sheet
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.people.accounts import Account

# Milliseconds in which the second person signs. The first one can ask for another such time.
CONFIRM_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class WaitingAct:
    """Act that waits for its second person: what was filled in, by whom, and until when (monotonic ms, and UTC ms)."""

    sheet: Sheet
    choice: ActChoice
    act: Act
    first: Account
    until_ms: int
    until_utc_ms: int

    @property
    def words(self) -> str:
        """Words and counts of the first person, for the second one to read before signing."""
        filled = self.act.model_dump(include={"reason", "ruling", "count", "tens_removed"}, exclude_none=True)
        return ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in filled.items())


class WaitingActs:
    """Waiting acts, one for each irregularity."""

    def __init__(self, clock: ConsoleClock) -> None:
        self._clock = clock
        self._waiting: dict[tuple[str, str, str], WaitingAct] = {}

    def ask(self, sheet: Sheet, choice: ActChoice, act: Act, first: Account) -> WaitingAct | None:
        """Let an act wait; return the one that it replaces, if any."""
        place = _place(sheet)
        replaced = self._waiting.pop(place, None)
        self._waiting[place] = WaitingAct(sheet, choice, act, first, *self._until())
        return replaced

    def waiting(self, site: str, table: str, ref: str) -> WaitingAct | None:
        """Return the act that waits at an irregularity; None where its time is over."""
        found = self._waiting.get((site, table, ref))
        return found if found is not None and self._clock.monotonic_ms() <= found.until_ms else None

    def renew(self, one: WaitingAct) -> None:
        """Give the second person another minute."""
        until_ms, until_utc_ms = self._until()
        self._waiting[_place(one.sheet)] = replace(one, until_ms=until_ms, until_utc_ms=until_utc_ms)

    def end(self, one: WaitingAct) -> bool:
        """End a wait, by the second signature or a withdrawal; return whether it still waited."""
        return self._waiting.pop(_place(one.sheet), None) is not None

    def expired(self) -> Sequence[WaitingAct]:
        """Remove and return the acts whose time is over."""
        now = self._clock.monotonic_ms()
        over = [one for one in self._waiting.values() if one.until_ms < now]
        for one in over:
            self.end(one)
        return over

    def _until(self) -> tuple[int, int]:
        return self._clock.monotonic_ms() + CONFIRM_MS, self._clock.utc_ms() + CONFIRM_MS


def is_needed(view: TableView, act: str) -> bool:
    """Return whether the table demands a second person for `act`, as its judge publishes."""
    judge = view.judge_half
    return judge is not None and judge.two_persons is not None and act in judge.two_persons


def is_offered(view: TableView) -> bool:
    """Return whether a second person may be named although none is demanded: a judge before contract 1.5 is silent."""
    judge = view.judge_half
    return judge is None or judge.two_persons is None


def needs_other_login(view: TableView) -> bool:
    """Return whether the table takes the second person only at another login, as its field half publishes."""
    field = view.field_half
    return field is not None and field.second_person == "login"


def refusal(one: WaitingAct, second: Account, view: TableView) -> str:
    """Return why `second` cannot sign for the act; empty when they can. Their rights at the irregularity come after."""
    if second.person == one.first.person:
        return "The second person is another one than the first."
    if not second.may(one.choice.act):
        return f"The role {second.role} must not key {one.choice.act}: it cannot be its second person either."
    if needs_other_login(view) and second.input_role == one.first.input_role:
        return (
            f"This table takes the second person at another login only, and both of you are {second.role}. A person of "
            "the other role signs, or one of you keys it at the table's terminal."
        )
    return ""


def _place(sheet: Sheet) -> tuple[str, str, str]:
    return sheet.site, sheet.table, sheet.ref

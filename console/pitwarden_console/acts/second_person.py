"""Acts that wait for their second person. Nothing is sent to the table before both persons have signed for it.

Each of the two signs as themselves: the first one in the session in which the act was filled in, the second one on the
same page or in a session of their own. Both are then sent to the table, which decides whether it takes the second one
as a name or as an input of another login.

Threat: one person who signs twice, a person who signs for what they did not see, and two who sign at the same time.
Also an act that waits until no one remembers it. Of everything that ends a wait the first one wins; whoever comes later
reads what became of the act. In memory: after a restart the first person asks again.
"""

from collections import OrderedDict
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
# Ended waits whose outcome is still stated to a person who comes too late: more than a pit has in an hour.
MAX_OVER: Final = 500


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
        self._over: OrderedDict[str, str] = OrderedDict()

    def ask(
        self, sheet: Sheet, choice: ActChoice, act: Act, first: Account
    ) -> tuple[WaitingAct, WaitingAct | None]:  # fmt: skip
        """Let an act wait; return it, and the one that it replaces, if any."""
        made = WaitingAct(sheet, choice, act, first, *self._until())
        replaced = self._waiting.get(_place(sheet))
        if replaced is not None:
            self.end(replaced, f"{first.name} has asked for another act in its place. Nothing was sent.")
        self.put_back(made)
        return made, replaced

    def waiting(self, site: str, table: str, ref: str) -> WaitingAct | None:
        """Return the act that waits at an irregularity; None where its time is over."""
        found = self._waiting.get((site, table, ref))
        return found if found is not None and self._clock.monotonic_ms() <= found.until_ms else None

    def renew(self, one: WaitingAct) -> bool:
        """Give the second person another minute; return whether the act still waited."""
        if not self._waits(one):
            return False
        until_ms, until_utc_ms = self._until()
        self._waiting[_place(one.sheet)] = replace(one, until_ms=until_ms, until_utc_ms=until_utc_ms)
        return True

    def end(self, one: WaitingAct, outcome: str) -> bool:
        """End a wait; return whether this act still waited. `outcome` is the sentence for whoever comes later."""
        if not self._waits(one):
            return False
        self._waiting.pop(_place(one.sheet))
        self._over[one.sheet.input_id] = outcome
        while len(self._over) > MAX_OVER:
            self._over.popitem(last=False)
        return True

    def put_back(self, one: WaitingAct) -> None:
        """Let an act wait again whose end could not be recorded, unless another one waits in its place by now."""
        self._waiting.setdefault(_place(one.sheet), one)
        self._over.pop(one.sheet.input_id, None)

    def outcome(self, input_id: str) -> str:
        """Return what became of the act of an input, in a sentence."""
        return self._over.get(input_id, "The act no longer waits for a second person. Nothing was sent.")

    def expired(self) -> Sequence[WaitingAct]:
        """Return the acts whose time is over and that have not ended yet."""
        now = self._clock.monotonic_ms()
        return [one for one in self._waiting.values() if one.until_ms < now]

    def _waits(self, one: WaitingAct) -> bool:
        """Return whether this very act waits. Another one can have taken its place, and a renewal has another end."""
        found = self._waiting.get(_place(one.sheet))
        return found is not None and found.sheet.input_id == one.sheet.input_id

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


def may_need_other_login(view: TableView) -> bool:
    """Return whether the table may wait for the second person's own input: a field half before 1.5 states nothing."""
    field = view.field_half
    return field is None or field.second_person != "name"


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

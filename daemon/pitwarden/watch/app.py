"""Textual application: a full-screen program that displays tables and sends the inputs of an operator.

Textual handles the terminal: keys, sizes, scrolling, also over ssh. The content is built in `screen`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from pitwarden.watch.screen import Line, Style, render_overview, render_table
from pitwarden.watch.session import Operator, WatchedTable, clearing_act, refuting_act
from pitwarden_client.events.base import Record
from pitwarden_client.events.clearing import may_clear
from pitwarden_client.events.floor import Ack
from pitwarden_client.events.hidden_text import escape_hidden
from pitwarden_client.events.inputs import may_send
from pitwarden_client.events.outputs import Irregularity

if TYPE_CHECKING:
    from textual.worker import Worker


_COLOURS: Final[dict[Style, str]] = {
    "title": "bold", "stale": "bold white on red", "good": "bold green", "bad": "bold red", "warn": "yellow",
    "plain": "", "dim": "dim", "chosen": "bold red reverse",
}  # fmt: skip


def to_rich_text(lines: list[Line]) -> Text:
    """Return `lines` as colored text, one below the other."""
    made = Text()
    for place, (style, words) in enumerate(lines):
        made.append(("\n" if place else "") + escape_hidden(words), style=_COLOURS[style])
    return made


def split_input_line(typed: str) -> list[str]:
    """Return the words of an input line, separated by spaces; text in double quotes is one word."""
    parts = typed.split('"')
    apart = [""]
    for place, part in enumerate(parts):
        if place % 2:
            apart[-1] += part
            continue
        first, *more = part.split(" ")
        apart[-1] += first
        apart += more
    return [word for word in apart if word] or [""]


# Seconds between two drawings: a person sees each as immediate.
REFRESH_S: Final = 0.25
_KEYS: Final = "up/down choose  a acknowledge  c clear  r refute  n next table  q quit"


class WatchApp(App[None]):
    """Application. `act_of` builds an act from a name and words, or raises ValueError with advice."""

    CSS = """
    Screen { layout: vertical; }
    #pit { height: auto; max-height: 30%; }
    #table { height: 1fr; }
    #said { height: auto; }
    #keys { height: 1; color: $text-muted; }
    Input { display: none; border: none; height: 1; }
    """
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", priority=False),
        Binding("n", "next_table"),
        Binding("down", "choose(1)"),
        Binding("up", "choose(-1)"),
        Binding("a", "acknowledge"),
        Binding("c", "clear"),
        Binding("r", "refute"),
        Binding("escape", "leave", priority=True),
    ]

    def __init__(
        self, tables: list[WatchedTable], person: Operator | None, act_of: Callable[[str, list[str]], Record]
    ) -> None:
        super().__init__()
        self._tables, self._person, self._act_of = tables, person, act_of
        self._at = self._chosen = 0
        self._sentence = ""
        self._keying: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        """Yield the parts of the screen, from the top."""
        if len(self._tables) > 1:
            yield Static(id="pit")
        with VerticalScroll(id="table", can_focus=False):
            yield Static(id="lines")
        yield Static(id="said", markup=False)
        yield Input(id="act", select_on_focus=False)
        yield Static(_KEYS, id="keys")

    def on_mount(self) -> None:
        """Start to read the tables and to draw. A bug in either ends the program with its traceback."""
        for each in self._tables:
            self.run_worker(each.read(), name=f"reading {each.name}")
        self._draw()
        self.set_interval(REFRESH_S, self._draw)

    def _draw(self) -> None:
        width = max(self.size.width - 1, 20)
        cases = self._cases()
        self._chosen = min(self._chosen, max(len(cases) - 1, 0))
        if len(self._tables) > 1:
            pit = [render_overview(each.shown(), width) for each in self._tables]
            self.query_one("#pit", Static).update(to_rich_text(pit))
        self.query_one("#lines", Static).update(
            to_rich_text(render_table(self._tables[self._at].shown(), width, self._chosen))
        )
        self.query_one("#said", Static).update(self._sentence)

    def _cases(self) -> tuple[Irregularity, ...]:
        state = self._tables[self._at].table.now.state
        return () if state is None else state.irregularities

    def action_next_table(self) -> None:
        """Display the next table of the pit."""
        self._at, self._chosen = (self._at + 1) % len(self._tables), 0
        self._draw()

    def action_choose(self, step: int) -> None:
        """Select another irregularity; without one the screen scrolls."""
        self._chosen = max(self._chosen + step, 0)
        self.query_one("#table", VerticalScroll).scroll_relative(y=step * 3, animate=False)
        self._draw()

    def action_acknowledge(self) -> None:
        """Send an acknowledgement of the selected irregularity."""
        case, state, person = self._case(), self._tables[self._at].table.now.state, self._person
        if case is None or state is None or person is None:
            return
        if may_clear(state, case.ref, person.role, person.name):
            self._send(Ack(irregularity=case.ref))
        else:
            self._set_sentence(
                f"{case.catalogue} is about an act of your own, or of your role: another acknowledges it"
            )

    def action_clear(self) -> None:
        """Open an input line with the act that clears the selected irregularity."""
        case = self._case()
        if case is None:
            return
        act = clearing_act(case)
        if act:
            self._open(act)
        else:
            self._set_sentence(f"{case.catalogue} is cleared by the table itself: {case.clears}")

    def action_refute(self) -> None:
        """Open an input line that refutes the selected irregularity."""
        case = self._case()
        if case is not None:
            self._open(refuting_act(case))

    def action_leave(self) -> None:
        """Close the input line without sending."""
        self._sentence = ""
        line = self.query_one("#act", Input)
        line.display = False
        line.value = ""
        self.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send the act in the input line."""
        name, *arguments = split_input_line(event.value)
        try:
            act = self._act_of(name, arguments)
        except ValueError as error:
            self._set_sentence(str(error))
            return
        self.action_leave()
        self._send(act)

    def _open(self, act: str) -> None:
        line = self.query_one("#act", Input)
        line.display = True
        line.value = act
        line.cursor_position = len(act) - act.endswith('""')
        line.focus()
        self._set_sentence("enter keys this, escape leaves it")

    def _case(self) -> Irregularity | None:
        cases = self._cases()
        if self._person is None:
            self._set_sentence("to key anything, start with --role and --person")
        # An input refers to the state that the operator sees; with an old one it would be refused.
        elif self._tables[self._at].shown().stale:
            self._set_sentence("what is shown is stale: nothing is keyed on it")
        elif not cases:
            self._set_sentence("there is no open irregularity")
        else:
            return cases[self._chosen]
        return None

    def _send(self, act: Record) -> None:
        person, watched = self._person, self._tables[self._at]
        name = str(getattr(act, "act", ""))
        if person is None or not may_send(person.role, name):
            self._set_sentence(f"a {person.role if person else 'watcher'} may not key {name}")
        elif watched.shown().stale:
            self._set_sentence("what is shown is stale: nothing is keyed on it")
        elif self._keying is not None and not self._keying.is_finished:
            self._set_sentence("the input before is not answered yet")
        else:
            self._set_sentence(f"{name}: sent")
            self._keying = self.run_worker(self._key(person, watched, act), name="keying")

    async def _key(self, person: Operator, watched: WatchedTable, act: Record) -> None:
        self._set_sentence(await watched.key(person, act))

    def _set_sentence(self, sentence: str) -> None:
        self._sentence = sentence
        self._draw()

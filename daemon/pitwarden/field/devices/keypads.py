"""Translation of dealer's keypads: entries become dealer inputs, and the table's state lights the lamps.

An entry is an event of the device, numbered, stored and acknowledged like any other, whether it has a meaning or not.
"""

from collections.abc import Collection, Sequence
from typing import Final, Protocol

from pitwarden.config.models import InputsSection
from pitwarden_client.events.clearing import may_clear
from pitwarden_client.events.device import KeypadEntry
from pitwarden_client.events.envelope import LogData
from pitwarden_client.events.floor import Ack, Retract
from pitwarden_client.events.inputs import Act, InputLogged
from pitwarden_client.events.keypad import Lamps, act_for_keys, lamps_for
from pitwarden_client.events.outputs import Irregularity, TableState
from pitwarden_client.events.table import EpochOpened, PermitApplied

NOBODY: Final = "keypad"
"""Person of inputs from a keypad at which no dealer has keyed a name."""


class LampDisplay(Protocol):
    """Devices with lamps."""

    def show(self, device: str, lamps: Lamps) -> None:
        """Light the lamps of `device` in this way, as soon as the device is present."""
        ...


class KeypadTranslator:
    """Translator for the keypads `names` of one table. `inputs` states which acts are keyed."""

    def __init__(self, names: Collection[str], inputs: InputsSection) -> None:
        self._names = names
        self._inputs = inputs
        self.display: LampDisplay | None = None
        """Set by the assembly before `run`, since the devices in turn need the keypads. None lights no lamp."""
        self._dealer = NOBODY
        self._last: dict[str, int] = {}
        self._waiting: set[tuple[str, str]] = set()
        self._cases: Sequence[Irregularity] = ()
        self._others: frozenset[str] = frozenset()
        self._granted = False

    def translate(self, device: str, entry: KeypadEntry, boot: int, counter: int) -> KeypadEntry | InputLogged:
        """Return what is logged for an entry: the input that it means, else the entry itself."""
        if device not in self._names:
            return entry
        act = self._act(device, entry)
        if act is None or (act.act.startswith("kp.") and not self._inputs.keys(act.act)):
            return entry
        if act.act == "kp.dealer":
            self._dealer = act.dealer
        ident = f"{boot}-{counter}"
        self._waiting.add((device, ident))
        return InputLogged(role="dealer", terminal=device, person=self._dealer, input_id=ident, as_of=None, act=act)

    def logged(self, device: str, number: int, data: LogData) -> None:
        """Follow the log, row by row: what can be retracted, and which permit the table displays."""
        if isinstance(data, InputLogged) and device in self._names:
            self._waiting.discard((device, data.input_id))
            self._last[device] = 0 if data.act.act == "retract" else number
        elif isinstance(data, PermitApplied):
            self._granted = data.granted
            self._light()
        elif isinstance(data, EpochOpened):
            self._last.clear()

    def state(self, state: TableState) -> None:
        """Handle a state of the judge: light the lamps for its irregularities."""
        self._cases = state.irregularities
        # The dealer's own acts are acknowledged by another role.
        self._others = frozenset(case.ref for case in state.irregularities if not may_clear(state, case.ref, "dealer"))
        self._light()

    def _act(self, device: str, entry: KeypadEntry) -> Act | None:
        if entry.key == "undo":
            number = self._last.get(device, 0)
            # An input that is not committed has no number, so it cannot be retracted yet.
            unsettled = any(name == device for name, _ in self._waiting)
            return None if not number or unsettled or entry.digits else Retract(number=number)
        if entry.key == "seen":
            mine = (case for case in self._cases if case.status == "open" and case.ref not in self._others)
            unseen = next(mine, None)
            return None if unseen is None or entry.digits else Ack(irregularity=unseen.ref)
        return act_for_keys(entry.key, entry.digits)

    def _light(self) -> None:
        if self.display is not None:
            lamps = lamps_for(self._cases, granted=self._granted, others=self._others)
            for name in self._names:
                self.display.show(name, lamps)

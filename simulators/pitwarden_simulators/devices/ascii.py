"""Simulated devices with lines of text, as in `config/maps/`. They neither number nor store events."""

from collections.abc import Callable
from typing import Final

from pitwarden_client.events.card_faces import face_name
from pitwarden_client.events.device import ShoeCut, ShufflerDone, ShufflerFault, ShufflerStarted
from pitwarden_drivers.api import PlainCard, Said
from pitwarden_drivers.mapping.checksums import checksum

_ERRORS: Final = {"jam": "E1", "stopped": "E2", "incomplete": "E3"}


class _Texts:
    """Device on its line: complete lines in, complete lines out."""

    def __init__(self, end: bytes, answer: Callable[[str], str | None]) -> None:
        self._end = end
        self._answer = answer
        self._heard = bytearray()
        self._unsent = bytearray()

    def send(self, line: str) -> None:
        """Enqueue a line."""
        self._unsent += line.encode("ascii") + self._end

    def receive(self, now: int, data: bytes) -> bytes:
        """Answer each complete line."""
        self._heard += data
        *lines, rest = bytes(self._heard).split(self._end)
        self._heard[:] = rest
        for line in lines:
            answer = self._answer(line.decode("ascii", "replace"))
            if answer is not None:
                self.send(answer)
        return self.tick(now)

    def tick(self, now: int) -> bytes:  # noqa: ARG002  it sends at the next call
        """Return the enqueued lines."""
        said = bytes(self._unsent)
        self._unsent.clear()
        return said

    def wake_at(self, now: int) -> int | None:
        """Return when `tick` has bytes to send."""
        return now if self._unsent else None


class AsciiShuffler(_Texts):
    """Counting shuffler of `config/maps/counting-shuffler.toml`; event sink of a shuffler's physics."""

    def __init__(self, serial: str, firmware: str = "2.1") -> None:
        super().__init__(b"\r\n", self._reply)
        self.busy = False
        self.locked = False
        self._who = f"ID {serial} FW {firmware}"

    def emit(self, said: Said) -> int:
        """Send an event as a line. It has no number."""
        match said:
            case ShufflerStarted():
                self.busy = True
                self._say(f"{'SORT' if said.mode == 'sort' else 'SHUFFLE'} {said.deck}")
            case ShufflerDone():
                self.busy = False
                self._say(f"DONE {said.deck} N={said.count}")
            case ShufflerFault():
                self.busy = False
                held = "" if said.holding is None else f" HELD {said.holding}"
                self._say(f"ERR {_ERRORS[said.fault]} {said.deck}{held}")
        return 0

    def latch(self, fault: Said) -> int:
        """Send a fault once."""
        return self.emit(fault)

    def clear(self) -> None:
        """Do nothing: the device latches no fault."""

    def _reply(self, line: str) -> str | None:
        match line:
            case "ID?":
                return _summed(self._who)
            case "ST?":
                return _summed("BUSY" if self.busy else "READY")
            case "LOCK" | "UNLOCK" if self.busy:
                return _summed("NO")
            case "LOCK" | "UNLOCK":
                self.locked = line == "LOCK"
                return _summed(f"{line}ED")
            case _:
                return None

    def _say(self, line: str) -> None:
        self.send(_summed(line))


class AsciiScanner(_Texts):
    """Serial scanner of `config/maps/bar-code-shoe.toml`; event sink of a shoe's physics."""

    def __init__(self, serial: str, firmware: str = "B2") -> None:
        super().__init__(b"\r", lambda line: f"SCANNER {serial} REV {firmware}" if line == "V" else None)

    def emit(self, said: Said) -> int:
        """Send what a scanner can detect of an event. It has no number."""
        match said:
            case PlainCard():
                name = face_name(said.face.value)
                self.send("NOREAD" if name == "??" else f"{name}17")
            case ShoeCut():
                self.send("CUTCARD")
        return 0

    def latch(self, fault: Said) -> int:
        """Do nothing: a scanner detects no fault of the shoe."""
        return self.emit(fault)

    def clear(self) -> None:
        """Do nothing: the device latches no fault."""


def _summed(line: str) -> str:
    return f"{line}*{checksum('xor8', line.encode('ascii')):02X}"

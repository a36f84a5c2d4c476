"""Events of complete scans. A scan that is not certainly a card of the codes file yields no card."""

from dataclasses import dataclass, field

import re2

from pitwarden_client.events import device as ev
from pitwarden_client.events.card_faces import UNREAD, parse_face
from pitwarden_drivers.api import PlainCard, Said, Secret
from pitwarden_drivers.scanner.codes_file import CodesFile, TestCode


@dataclass(frozen=True, slots=True)
class Scan:
    """Scan with all its parts. `torn`: its last part never arrived."""

    symbology: str
    data: bytes = field(repr=False)
    accuracy: int | None = None
    torn: bool = False


def unread_card() -> PlainCard:
    """Return a card that was drawn and could not be read."""
    return PlainCard(Secret(UNREAD))


class ScanInterpreter:
    """Codes file with compiled patterns. They are RE2's: the time to match is linear in the code."""

    def __init__(self, codes: CodesFile) -> None:
        self.codes = codes
        self._card = re2.compile(codes.card)
        self._cut = None if codes.cut is None else re2.compile(codes.cut)
        self._unread = None if codes.unread is None else re2.compile(codes.unread)

    def interpret(self, scan: Scan) -> Said:
        """Return the event; a DeviceSuspect, which never repeats the code, for a scan that is no card's."""
        least = self.codes.least_accuracy
        if scan.torn or (least is not None and scan.accuracy is not None and scan.accuracy < least):
            return unread_card()
        if self.codes.symbologies and scan.symbology not in self.codes.symbologies:
            return ev.DeviceSuspect(reason="a code of another symbology than the cards' was scanned")
        try:
            code = scan.data.decode("ascii")
        except UnicodeDecodeError:
            return ev.DeviceSuspect(reason="a code that is no ASCII was scanned")
        if self._unread is not None and self._unread.fullmatch(code):
            return unread_card()
        if self._cut is not None and self._cut.fullmatch(code):
            return ev.ShoeCut()
        return self._read(code)

    def _read(self, code: str) -> Said:
        found = self._card.fullmatch(code)
        if found is None:
            return ev.DeviceSuspect(reason="a code that is no card's was scanned")
        word = found["card"] or ""
        try:
            return PlainCard(Secret(parse_face(self.codes.cards.get(word, word))))
        except ValueError:
            return ev.DeviceSuspect(reason="a code like a card's was scanned, but there is no such card")


def describe_code(meaning: ScanInterpreter, trial: TestCode) -> str:
    """Return in one word how a code of the test block is read."""
    match meaning.interpret(Scan(trial.symbology, trial.code.encode(errors="replace"))):
        case PlainCard(face=face):
            return "unread" if face.value == UNREAD else "shoe.card"
        case ev.ShoeCut():
            return "shoe.cut"
        case _:
            return "unknown"

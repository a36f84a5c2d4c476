"""Check after a night: whether seals hold, and reveals disclose, the cards that the simulator dealt."""

from collections.abc import Iterator

from pitwarden.judge.unsealing import seals_in
from pitwarden.seal.sealing import Opener
from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.outputs import ReaderRevealed, Reveal
from pitwarden_client.events.table import KeyAnnounced
from pitwarden_client.verification.commitment import verify_reveal
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_drivers.api import PlainAnswer, PlainCard, PlainStack, Said
from pitwarden_tools.campaign.stored import NightRecord, Stored


def faces(rig: NightRecord, stored: Stored) -> Iterator[str]:
    """Yield a sentence for each seal that does not hold what the device sensed, and each reveal that differs."""
    opener = rig.opener()
    sensed: dict[tuple[str, int], tuple[int, ...]] = {}
    rows = {(row.epoch, row.tableseq): row for row in stored.rows}
    for row in stored.rows:
        try:
            held = _held(opener, row)
        except SealUnreadableError as error:
            yield f"row {row.id} does not open: {error}"
            continue
        if held:
            truth = rig.truth.get((row.source.rpartition("/")[2], row.deviceboot, row.devicecounter))
            sensed[row.epoch, row.tableseq] = held
            if truth is None or held != _values(truth):
                yield f"row {row.id} holds another card than the device sensed"
    for output in stored.outputs:
        told = output.data
        if isinstance(told, Reveal | ReaderRevealed):
            drawn = rows.get((told.epoch, told.event))
            if drawn is None:
                yield f"row {told.epoch}/{told.event} was revealed, and is not in the log"
                continue
            index = told.index if isinstance(told, Reveal) else 0
            value = parse_face(told.face) if isinstance(told, Reveal) else int(told.blackjack)
            true = sensed.get((told.epoch, told.event), ())[index : index + 1] == (value,)
            if not true or not verify_reveal(drawn.source, told, seals_in(drawn)[index].commitment):
                yield f"the reveal of row {drawn.id} is not what was drawn"


def _held(opener: Opener, row: LogEvent) -> tuple[int, ...]:
    """Return the content of the seals of a row.

    Raises:
        SealUnreadableError: One cannot be opened, or a key cannot be added.
    """
    if isinstance(row.data, KeyAnnounced):
        opener.add_key(row.epoch, row.data)
    return tuple(opener.open(row.source, row.id, index, seal).value for index, seal in enumerate(seals_in(row)))


def _values(said: Said) -> tuple[int, ...]:
    match said:
        case PlainCard():
            return (said.face.value,)
        case PlainStack():
            return tuple(face.value for face in said.faces)
        case PlainAnswer():
            return (said.bit.value,)
        case _:
            return ()

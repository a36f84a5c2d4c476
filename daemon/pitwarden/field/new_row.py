"""A row that was built, as the journal takes it: with the facts that are stored in the same transaction."""

from pitwarden_client.events.base import Position
from pitwarden_client.events.device import DeviceRestarted
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.topics import Topics

from pitwarden.field.desk import content_of
from pitwarden.field.rows import Built
from pitwarden.journal.records import DeviceMark, InputAnswer, NewRow


def new_row(built: Built, topics: Topics) -> NewRow:
    """The row `built` of the table with these `topics`."""
    event, source = built.event, built.pending.source
    at = Position(epoch=event.epoch, number=event.tableseq)
    mark = _mark(built)
    return NewRow(
        at=at,
        hash=built.hash,
        prevhash=event.prevhash,
        topic=topics.event(source, "input" if isinstance(event.data, InputLogged) else event.data.kind),
        body=built.payload,
        device="" if mark is None else source,
        boot=0 if mark is None else mark.boot,
        counter=0 if mark is None else mark.counter,
        answer=_answer(event.data, at) if isinstance(event.data, InputLogged) else None,
    )


def _mark(built: Built) -> DeviceMark | None:
    """Where the log is with a device after this row, if that moved: a stored event of its, or a new boot."""
    if isinstance(built.event.data, DeviceRestarted):
        return DeviceMark(built.event.data.boot, 0)
    return DeviceMark(built.pending.boot, built.pending.counter) if built.pending.counter else None


def _answer(logged: InputLogged, at: Position) -> InputAnswer:
    return InputAnswer(logged.role, logged.terminal, logged.input_id, content_of(logged), at)

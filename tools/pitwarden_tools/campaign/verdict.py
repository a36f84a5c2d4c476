"""Check after a night: the simulator's truth against the journals and the messages on the bus."""

from collections import Counter
from collections.abc import Iterator

from pitwarden_client.events.codec import encode
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import CheckFailed, Irregularity, Notice, Refused, TableState
from pitwarden_client.events.table import CommandAccepted
from pitwarden_simulators.faults.verdict_log import VerdictLog
from pitwarden_tools.campaign.faces import faces
from pitwarden_tools.campaign.hostile import HOSTILE
from pitwarden_tools.campaign.stored import NightRecord, Stored


def wrongs(rig: NightRecord, stored: Stored) -> Iterator[str]:
    """Yield everything that is lost, counted twice, missing, invented, or disclosed; nothing when all is well."""
    yield from _devices(rig, stored)
    yield from _inputs(rig, stored)
    yield from _orders(stored)
    yield from faces(rig, stored)
    yield from _verdicts(rig, stored)
    yield from _published(rig, stored)
    yield from _state(rig, stored)


def _devices(rig: NightRecord, stored: Stored) -> Iterator[str]:
    """Check that every event that a device sensed is in the log once."""
    logged = Counter(
        (row.source.rpartition("/")[2], row.deviceboot, row.devicecounter) for row in stored.rows if row.devicecounter
    )
    for key in rig.truth:
        if logged[key] != 1:
            yield f"{'lost' if not logged[key] else 'counted twice'}: event {key[1]}/{key[2]} of the {key[0]}"
    for key in logged.keys() - rig.truth.keys():
        yield f"invented: event {key[1]}/{key[2]} of the {key[0]}"
    order = [key for key in _keys_in_order(stored) if key in rig.truth]
    if [key for key in rig.truth if logged[key]] and any(_backwards(order, name) for name in rig.built.devices):
        yield "a device's events stand in another order than it sensed them"


def _keys_in_order(stored: Stored) -> list[tuple[str, int, int]]:
    return [(r.source.rpartition("/")[2], r.deviceboot, r.devicecounter) for r in stored.rows if r.devicecounter]


def _backwards(order: list[tuple[str, int, int]], name: str) -> bool:
    of = [(boot, counter) for device, boot, counter in order if device == name]
    return of != sorted(of)


def _inputs(rig: NightRecord, stored: Stored) -> Iterator[str]:
    """Check that every accepted input is in the log once, and no other."""
    logged = Counter(row.data.input_id for row in stored.rows if isinstance(row.data, InputLogged))
    for ident, act in rig.accepted.items():
        if logged[ident] != 1:
            yield f"{'lost' if not logged[ident] else 'counted twice'}: the accepted input {ident}, {act}"
    for ident in logged.keys() - rig.accepted.keys():
        yield f"{'obeyed a hostile input' if ident.startswith(HOSTILE) else 'logged an input nobody heard of'}: {ident}"


def _orders(stored: Stored) -> Iterator[str]:
    """Check that no hostile command was obeyed, none twice, and no shoe was locked in a round."""
    obeyed = Counter((row.epoch, row.data.request) for row in stored.rows if isinstance(row.data, CommandAccepted))
    for (_, ident), times in obeyed.items():
        if ident.startswith(HOSTILE) or times > 1:
            yield f"obeyed a {'hostile' if times == 1 else 'repeated'} command: {ident}"
    in_round = False
    for row in stored.rows:
        if isinstance(row.data, InputLogged) and row.data.act.act in {"kp.boxes", "kp.round_end"}:
            in_round = row.data.act.act == "kp.boxes"
        elif isinstance(row.data, CommandAccepted) and row.data.command == "lock" and in_round:
            yield f"row {row.id} locks a shoe in a round"


def _verdicts(rig: NightRecord, stored: Stored) -> Iterator[str]:
    """Check that the judge's verdicts are the injected faults; in an honest night, none."""
    book, round_ = VerdictLog(), 0
    starts = {
        (r.epoch, r.tableseq) for r in stored.rows if isinstance(r.data, InputLogged) and r.data.act.act == "kp.boxes"
    }
    order = {(row.epoch, row.tableseq): place for place, row in enumerate(stored.rows)}
    begun = sorted(order[start] for start in starts)
    for output in stored.outputs:
        match output.data:
            case Irregularity() | Notice():
                place = order.get((output.epoch, output.tableseq))
                if place is None:
                    yield f"row {output.epoch}/{output.tableseq} was judged, and is not in the log"
                    continue
                round_ = sum(start <= place for start in begun)
                if not output.data.catalogue.startswith("PW"):
                    book.record(output.data, round_)
            case Refused() | CheckFailed():
                yield f"row {output.epoch}/{output.tableseq}: {output.data.kind}, {encode(output.data).decode()}"
            case _:
                pass
    for line in book.compare(rig.built.table.expected):
        if not line.agrees:
            what = line.expected or line.observed
            yield f"a verdict is {'missing or still open' if line.expected else 'invented'}: {what}"


def _published(rig: NightRecord, stored: Stored) -> Iterator[str]:
    """Check that each verdict and reveal on the bus was committed, and that no face is anywhere else."""
    committed = set(stored.output_bodies)
    said = {rig.topics.irregularities, rig.topics.reveals}
    for topic, payload in rig.heard:
        if topic in said and payload not in committed:
            yield f"a verdict was heard that was never committed: {payload[:120]!r}"
        if topic != rig.topics.reveals and (b'"face":"' in payload or b'"blackjack":' in payload):
            yield f"leaked: a face or the reader's answer on {topic}"


def _state(rig: NightRecord, stored: Stored) -> Iterator[str]:
    """Check the retained state against the end of the log and the open irregularities."""
    state = rig.state
    if not isinstance(state, TableState):
        yield "nothing is retained as the table's state"
    elif state.outputs != len(stored.outputs):
        yield f"the retained state speaks of {state.outputs} outputs, and {len(stored.outputs)} were committed"

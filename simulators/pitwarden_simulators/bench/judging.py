"""The judge's stages one by one, and the decided rows over 1 to 1,000 tables: events per second of processor time."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Final

from pitwarden.cli.table_file import read
from pitwarden.events.codec import decode, digest, encode
from pitwarden.events.envelope import LogEvent
from pitwarden.judge.opening import Unsealer
from pitwarden.judge.setup import setup_of
from pitwarden.rules import Entry, State, TableSetup, initial, step
from pitwarden.seal.keys import PrivateKey, SigningKey, load_private, load_signing
from pitwarden.seal.opener import Opener
from pitwarden_simulators.bench.feed import SITE, Feed
from pitwarden_simulators.demo.faults import DemoError
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import table_file
from pitwarden_simulators.table.build import SERIALS
from pitwarden_simulators.table.setup import TAB_SHIELDED

CHUNK: Final = 400  # rows of one measurement
TABLES: Final = (1, 10, 100, 1_000)


@dataclass(frozen=True, slots=True)
class Material:
    """Rows as they come over the wire, and what judges them."""

    setup: TableSetup
    payloads: tuple[bytes, ...]
    entries: tuple[Entry, ...]
    signer: SigningKey
    private: PrivateKey

    def unsealer(self) -> Unsealer:
        """One that knows no key yet."""
        trusted, table = (self.signer.public,), TAB_SHIELDED.table
        return Unsealer(Opener((self.private,), trusted, SITE, table), trusted, SITE, table)


def material(folder: Path) -> Material:
    """A night's log of one full table."""
    make_keys(folder / "keys")
    ports = {name: str(folder / name) for name in SERIALS}
    path = folder / "table.toml"
    path.write_text(table_file(TAB_SHIELDED, SITE, ("127.0.0.1", 1883), ports, "05:00"), encoding="utf-8")
    file = read(path)
    if file is None:
        raise DemoError("the benchmark's own table file is refused: see above")
    signer, private = load_signing(folder / "keys" / "field.key"), load_private(folder / "keys" / "judge.key")
    feed = Feed(TAB_SHIELDED.table, signer, private.public_key, rounds=8)
    payloads = tuple(next(feed).payload for _ in range(CHUNK))
    made = Material(setup_of(file), payloads, (), signer, private)
    unsealer = made.unsealer()
    entries = tuple(unsealer.entry(decode(LogEvent, payload)) for payload in payloads)
    return Material(made.setup, payloads, entries, signer, private)


def stages(made: Material) -> dict[str, Callable[[], object]]:
    """What is measured, by name; each does `CHUNK` rows."""

    def decoding() -> Sequence[LogEvent]:
        return [decode(LogEvent, payload) for payload in made.payloads]

    def stepping() -> State:
        return _folded(made.setup, made.entries)

    def both() -> State:
        decoding()
        return stepping()

    def opened() -> State:
        unsealer = made.unsealer()
        return _folded(made.setup, (unsealer.entry(decode(LogEvent, payload)) for payload in made.payloads))

    def hashing() -> list[str]:
        return [digest(payload) for payload in made.payloads]

    def writing() -> list[bytes]:
        return [encode(event) for event in events]

    events = decoding()
    return {
        "decode": decoding, "step": stepping, "decode+step": both, "decode+unseal+step": opened, "encode": writing,
        "digest": hashing,
    }  # fmt: skip


def spread_over(made: Material, tables: int) -> Callable[[], object]:
    """`decode` and `step` of about `CHUNK` rows, dealt out to so many tables, which go on where they stood."""
    states = [initial(made.setup) for _ in range(tables)]
    warm = 40  # rows behind the opening of the table, so that there is a round to judge
    for entry in made.entries[:warm]:
        states = [step(state, entry)[0] for state in states]
    each = max(1, CHUNK // tables)
    at = [warm]

    def run() -> None:
        first = at[0] if at[0] + each <= CHUNK else warm
        at[0] = first + each
        again = first == warm
        for number in range(min(tables, CHUNK)):
            state = initial(made.setup) if again else states[number]
            for payload, entry in zip(
                made.payloads[first : first + each], made.entries[first : first + each], strict=True
            ):
                decode(LogEvent, payload)
                state, _ = step(state, entry)
            states[number] = state

    return run


def rate(run: Callable[[], object], rows: int = CHUNK) -> float:
    """Rows per second of this process's own processor time."""
    before = _cpu_s()
    run()
    return rows / (_cpu_s() - before)


def _folded(setup: TableSetup, entries: Iterable[Entry]) -> State:
    state = initial(setup)
    for entry in entries:
        state, _ = step(state, entry)
    return state


def _cpu_s() -> float:
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

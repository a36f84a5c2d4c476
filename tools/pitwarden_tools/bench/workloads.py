"""Night of each of five games as it arrives over the wire, with its judge."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pitwarden.cli.table_file import read_table_file
from pitwarden.judge.table_setup import build_table_setup
from pitwarden.judge.unsealing import RowUnsealer
from pitwarden.rules import LogEntry, TableSetup
from pitwarden.seal.keys import PrivateKey, SigningKey, load_private, load_signing
from pitwarden.seal.sealing import Opener
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import table_file
from pitwarden_simulators.table.setup import CB_AUTO, DAB, IB, SH, TAB_SHIELDED, SimulatedTableSetup
from pitwarden_simulators.table.table_builder import SERIALS
from pitwarden_tools.bench.feed import SITE, Feed

ROWS: Final = 400  # of one night
_TABLES: Final = (TAB_SHIELDED, DAB, CB_AUTO, IB, SH)


@dataclass(frozen=True, slots=True)
class Workload:
    """Rows as they arrive over the wire, and their judge."""

    game: str
    table: str
    setup: TableSetup
    payloads: tuple[bytes, ...]
    entries: tuple[LogEntry, ...]
    signer: SigningKey
    private: PrivateKey

    def unsealer(self, name: str = "") -> RowUnsealer:
        """Return an unsealer without keys, for this table or one of another `name`."""
        trusted, table = (self.signer.public,), name or self.table
        return RowUnsealer(Opener((self.private,), trusted, SITE, table), trusted, SITE, table)


def night(folder: Path) -> Workload:
    """Return a night's log of the first table."""
    return _material(folder / _TABLES[0].table, _TABLES[0])


def nights(folder: Path) -> tuple[Workload, ...]:
    """Return a night's log of one full table of each game."""
    return tuple(_material(folder / setup.table, setup) for setup in _TABLES)


def _material(folder: Path, simulated: SimulatedTableSetup) -> Workload:
    folder.mkdir(parents=True)
    make_keys(folder / "keys")
    ports = {name: str(folder / name) for name in SERIALS if name != "reader" or simulated.reader is not None}
    path = folder / "table.toml"
    path.write_text(table_file(simulated, SITE, ("127.0.0.1", 1883), ports, "05:00"), encoding="utf-8")
    file = read_table_file(path)
    if file is None:
        raise DemoError("the benchmark's own table file is refused: see above")
    signer, private = load_signing(folder / "keys" / "field.key"), load_private(folder / "keys" / "judge.key")
    feed = Feed(simulated.table, signer, private.public_key, rounds=8, setup=simulated)
    payloads = tuple(next(feed).stored.body for _ in range(ROWS))
    made = Workload(simulated.game, simulated.table, build_table_setup(file), payloads, (), signer, private)
    unsealer = made.unsealer()
    return replace(made, entries=tuple(unsealer.entry(decode(LogEvent, payload)) for payload in payloads))

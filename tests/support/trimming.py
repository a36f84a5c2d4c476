"""What lets old rows of a stored night go: the field half's housekeeping, late enough."""

from damages import NoDamage
from fake_clock import FakeClock
from pitwarden.field.checkpoints import Checkpoints
from pitwarden.field.housekeeping import Housekeeping, Retention
from pitwarden.field.rows import Place
from pitwarden.journal.field import FieldJournal
from pitwarden_simulators.table.setup import TAB_SHIELDED
from sealed_night import SIGNER, SITE

PLACE = Place(SITE, TAB_SHIELDED.table, simulated=True)
KEY = f"{SITE}/{TAB_SHIELDED.table}"
NIGHT = 1_795_852_800_000


def keeper(journal: FieldJournal, clock: FakeClock, retention: Retention, *consumers: str) -> Housekeeping:
    return Housekeeping(
        journal, clock, Checkpoints(SIGNER, PLACE), retention=retention, consumers=("judge", *consumers),
        faults=NoDamage(),
    )  # fmt: skip

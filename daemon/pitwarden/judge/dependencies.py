"""What a judge half is made of."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.judge.intake import FairShare
from pitwarden.judge.table_judge import TableIdentity, TableJudge
from pitwarden.metrics.meter import Meter
from pitwarden.rules import RULES_VERSION, TableSetup
from pitwarden.seal.keys import PrivateKey
from pitwarden.system.clock import Clock
from pitwarden_client.backoff import RetryPolicy
from pitwarden_client.events.table import Attested, JudgeAnnounced
from pitwarden_client.mqtt.settings import BrokerSettings


@dataclass(frozen=True, slots=True)
class JudgeDependencies:
    """The parts of one table's judge half. `keys`: the newest first; `keep_days`: how long its record is kept."""

    identity: TableIdentity
    setup: TableSetup
    judge: TableJudge
    journal: JudgeJournal
    keys: tuple[PrivateKey, ...]
    broker: BrokerSettings
    retry: RetryPolicy
    run: str
    simulated: bool
    clock: Clock
    keep_days: int
    lockable: frozenset[str] = frozenset()
    """The shoes that the judge may lock."""
    meter: Meter = field(default_factory=Meter)
    fair_share: FairShare = field(default_factory=FairShare)
    """One for all tables of a process."""
    on_folded: Callable[[], None] = lambda: None
    """Called for each row that is judged again at the start."""

    def announced(self, profile: str) -> JudgeAnnounced:
        """By which rules and which profile this judge judges, and what the house attests."""
        return JudgeAnnounced(
            judge=self.identity.judge,
            rules_version=RULES_VERSION,
            profile_digest=profile,
            attested=tuple(
                Attested(clause=one.clause, by=one.by, on=one.on, reference=one.reference)
                for one in self.setup.attested or ()
            ),
        )

"""Dependencies of a judge half."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pitwarden.bus.link import may_always_publish
from pitwarden.journal.judge_record import JudgeRecord
from pitwarden.judge.intake import FairShare
from pitwarden.judge.table_judge import TableIdentity, TableJudge
from pitwarden.metrics.meter import Meter
from pitwarden.rules import RULES_VERSION, TableSetup
from pitwarden.seal.keys import PrivateKey, derive_checkpoint_key
from pitwarden.system.clock import Clock
from pitwarden_client.backoff import RetryPolicy
from pitwarden_client.events.table import Attested, JudgeAnnounced
from pitwarden_client.mqtt.settings import BrokerSettings


@dataclass(frozen=True, slots=True)
class JudgeDependencies:
    """Dependencies of one table's judge half."""

    identity: TableIdentity
    setup: TableSetup
    judge: TableJudge
    journal: JudgeRecord
    keys: tuple[PrivateKey, ...]
    """Private keys, the current one first; replaced ones open older rows."""
    broker: BrokerSettings
    retry: RetryPolicy
    run: str
    """Random id of this start, published in the status."""
    simulated: bool
    clock: Clock
    keep_days: int
    """Number of days that received rows and outputs are stored."""
    lockable: frozenset[str] = frozenset()
    """Shoes that the judge may lock."""
    meter: Meter = field(default_factory=Meter)
    fair_share: FairShare = field(default_factory=FairShare)
    """Share of the event loop, one for all tables of a process."""
    may_publish: Callable[[], bool] = may_always_publish
    """Returns True while this judge owns its table; False once another judge of its group may own it."""
    on_folded: Callable[[], None] = lambda: None
    """Called for each stored row that is judged again at the start."""

    def announced(self, profile: str) -> JudgeAnnounced:
        """Return what this judge announces: rules version, profile digest, attestations of the house."""
        return JudgeAnnounced(
            judge=self.identity.judge,
            rules_version=RULES_VERSION,
            profile_digest=profile,
            attested=tuple(
                Attested(clause=one.clause, by=one.by, on=one.on, reference=one.reference)
                for one in self.setup.attested or ()
            ),
            signer=derive_checkpoint_key(self.keys[0]).public,
        )

"""What a field half is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pitwarden.config.models import InputsSection
from pitwarden.field.devices.intake import DeviceFactory
from pitwarden.field.log.epochs import FieldKeys
from pitwarden.field.log.retention import KEPT, RetentionPolicy
from pitwarden.field.log.row_builder import LogIdentity
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.metrics.meter import Meter
from pitwarden.system.clock import Clock
from pitwarden_client.backoff import RetryPolicy
from pitwarden_client.mqtt.settings import BrokerSettings


@dataclass(frozen=True, slots=True)
class FieldDependencies:
    """The parts of one table's field half. `devices` maps each device's name to its serial number."""

    place: LogIdentity
    judge: str
    keys: FieldKeys
    clock: Clock
    journal: FieldJournal
    broker: BrokerSettings
    retry: RetryPolicy
    devices: Mapping[str, str]
    drivers: DeviceFactory
    inputs: InputsSection
    run: str
    retention: RetentionPolicy = KEPT
    consumers: tuple[str, ...] = ()
    """Those beside the judge whose stored positions hold rows back."""
    lockable: frozenset[str] = frozenset()
    """The shoes that the judge may lock."""
    keypads: frozenset[str] = frozenset()
    """The devices that are dealer's keypads."""
    meter: Meter = field(default_factory=Meter)

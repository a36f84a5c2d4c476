"""Dependencies of a field half."""

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
    """Dependencies of one table's field half."""

    place: LogIdentity
    judge: str
    """Name under which the table's judge reports its position."""
    keys: FieldKeys
    clock: Clock
    journal: FieldJournal
    broker: BrokerSettings
    retry: RetryPolicy
    devices: Mapping[str, str]
    """Serial number of each device, by its name."""
    drivers: DeviceFactory
    inputs: InputsSection
    run: str
    """Random id of this start, published in the status."""
    retention: RetentionPolicy = KEPT
    consumers: tuple[str, ...] = ()
    """Durable consumers other than the judge; rows that they have not stored are not trimmed."""
    lockable: frozenset[str] = frozenset()
    """Shoes that the judge may lock."""
    keypads: frozenset[str] = frozenset()
    """Devices that are dealer's keypads."""
    meter: Meter = field(default_factory=Meter)

"""Who reads a table, and from where on."""

from dataclasses import dataclass

from pitwarden.client.items import Cursor
from pitwarden.client.logs import Start
from pitwarden.client.mqtt.settings import BrokerSettings


@dataclass(frozen=True, slots=True)
class Consumer:
    """Who reads what: a table of a site, the consumer's own `name`, and where it stands.

    Without a cursor it starts at the oldest row that is kept, or at what comes `now`. With `follow` false, iteration
    ends once all that was said before has been given out.
    """

    broker: BrokerSettings
    site: str
    table: str
    name: str
    cursor: Cursor = Cursor()  # noqa: RUF009  a frozen record
    start: Start = "oldest"
    follow: bool = True
    trusted: tuple[str, ...] = ()
    """The field half's public keys, in hexadecimal: an epoch that none of them signed is passed over as garbage.

    What is read in the midst of an epoch, before the first opening, rests on the broker's rights alone.
    """

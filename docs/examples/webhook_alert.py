"""Alert by webhook: each irregularity that opens at a table is posted as JSON, once it happens and at least once.

pip install pitwarden-client
python webhook_alert.py BROKER PORT SITE TABLE https://hooks.example/pit PLACE_FILE

PLACE_FILE holds the position between two runs. `ref` in the message is unique: a receiver drops what it has.
"""

import asyncio
import json
import logging
import sys
import urllib.error
import urllib.request
from pathlib import Path

from pitwarden_client import BrokerSettings, ConsumerConfig, Cursor, Irregularity, Item, OutputItem, connect

TIMEOUT_S = 5.0
LONGEST_PAUSE_S = 60.0
log = logging.getLogger("alert")


def alert(item: Item, site: str, table: str) -> dict[str, object] | None:
    """Return what to post for an item; None for all but an irregularity that opens."""
    event = item.event if isinstance(item, OutputItem) else None
    if event is None or not isinstance(event.data, Irregularity) or event.data.status != "open":
        return None
    data = event.data
    return {
        "text": f"{'SIMULATED ' if event.simulated else ''}{table}: {data.catalogue}: {data.sentence}",
        "ref": data.ref, "site": site, "table": table, "catalogue": data.catalogue, "verdicts": data.verdicts,
        "clauses": data.clauses, "actor": data.actor, "at": event.time, "simulated": event.simulated,
    }  # fmt: skip


def post(url: str, message: dict[str, object]) -> None:
    """Post one message.

    Raises:
        OSError: The receiver does not answer, or not with a status of 2xx.
    """
    body = json.dumps(message).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310  checked at the start
    with urllib.request.urlopen(request, timeout=TIMEOUT_S):  # noqa: S310
        pass


async def deliver(url: str, message: dict[str, object]) -> None:
    """Post one message, again until the receiver takes it: an alert that is lost is worse than a late one."""
    pause = 1.0
    while True:
        try:
            await asyncio.to_thread(post, url, message)
        except urllib.error.HTTPError as error:
            log.warning("%s answers %d: %s waits", url, error.code, message["ref"])
        except OSError as error:
            log.warning("%s does not answer: %s; %s waits", url, error, message["ref"])
        else:
            return
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)


def load(place: Path) -> Cursor:
    """Return the stored position; in the first run one before everything."""
    return Cursor.model_validate_json(place.read_text()) if place.exists() else Cursor()


def save(place: Path, cursor: Cursor) -> None:
    """Store the position; a kill leaves the old one or the new one."""
    new = place.with_suffix(".new")
    new.write_text(cursor.model_dump_json())
    new.replace(place)


async def main(broker: BrokerSettings, site: str, table: str, url: str, place: Path) -> None:
    """Post the alerts of the table from the stored position on; the first run begins now."""
    cursor = load(place)
    async with connect(ConsumerConfig(broker, site, table, "alert", cursor, start="now")) as events:
        async for item in events:
            message = alert(item, site, table)
            if message is not None:
                await deliver(url, message)
            save(place, item.cursor)


if __name__ == "__main__":
    logging.basicConfig(format="%(name)s: %(message)s")
    if len(sys.argv) != 7 or not sys.argv[5].startswith(("http://", "https://")):  # noqa: PLR2004  as the usage states
        sys.exit("usage: webhook_alert.py BROKER PORT SITE TABLE http[s]://URL PLACE_FILE")
    asyncio.run(
        main(BrokerSettings(sys.argv[1], int(sys.argv[2])), sys.argv[3], sys.argv[4], sys.argv[5], Path(sys.argv[6]))
    )

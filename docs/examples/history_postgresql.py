"""History of one table in PostgreSQL: every row and every output once, however often this program or a server stops.

pip install pitwarden-client 'psycopg[binary]'
PGHOST=db PGDATABASE=tables python history_postgresql.py BROKER PORT SITE TABLE

Name `historian` in `[storage] consumers` of the table file: the table then retains what is not stored here.
"""

import asyncio
import hashlib
import logging
import sys

import psycopg
from psycopg.types.json import Jsonb

from pitwarden_client import BrokerSettings, ChainBreak, ConsumerConfig, Cursor, Item, LogItem, TableClient, connect

BATCH = 500  # items in one transaction, while the program catches up
IDLE_S = 0.2  # without a further item for so long, those that wait are committed
RETRY_S = 2.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS history (
    site text, tbl text, chain text, epoch text, number bigint, at timestamptz, kind text, hash bytea, body bytea,
    PRIMARY KEY (site, tbl, hash));
CREATE TABLE IF NOT EXISTS gap (site text, tbl text, chain text, reason text, found timestamptz DEFAULT now());
CREATE TABLE IF NOT EXISTS place (site text, tbl text, cursor jsonb, PRIMARY KEY (site, tbl));
"""
ITEM = "INSERT INTO history VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
GAP = "INSERT INTO gap (site, tbl, chain, reason) VALUES (%s, %s, %s, %s)"
PLACE = "INSERT INTO place VALUES (%s, %s, %s) ON CONFLICT (site, tbl) DO UPDATE SET cursor = excluded.cursor"
log = logging.getLogger("history")


async def store(sql: psycopg.AsyncConnection, place: tuple[str, str], item: Item) -> None:
    """Write one item in the open transaction. Time and kind stay empty where this client is older than the table."""
    if isinstance(item, ChainBreak):
        log.warning("gap in the %s: %s", item.of, item.reason)
        await sql.execute(GAP, (*place, item.of, item.reason))
        return
    event = item.event
    if isinstance(item, LogItem):
        chain, epoch, number = "log", item.at.epoch, item.at.number
    else:
        chain, epoch, number = "outputs", event.epoch if event else "", item.number
    known = (event and event.time, event and event.data.kind)
    await sql.execute(ITEM, (*place, chain, epoch, number, *known, hashlib.sha256(item.body).digest(), item.body))


async def next_item(events: TableClient, patience: float | None) -> Item | None:
    """Return the next item; None when there is none within `patience` seconds."""
    try:
        async with asyncio.timeout(patience):
            return await anext(events)
    except TimeoutError:
        return None


async def follow(sql: psycopg.AsyncConnection, broker: BrokerSettings, site: str, table: str) -> None:
    """Store the table's items from the stored position on, until the database is lost."""
    await sql.execute(SCHEMA)
    found = await (await sql.execute("SELECT cursor FROM place WHERE site = %s AND tbl = %s", (site, table))).fetchone()
    await sql.commit()
    cursor = Cursor.model_validate(found[0]) if found else Cursor()
    async with connect(ConsumerConfig(broker, site, table, "historian", cursor)) as events:
        waiting = 0
        while True:
            item = await next_item(events, IDLE_S if waiting else None)
            if item is not None:
                await store(sql, (site, table), item)
                cursor, waiting = item.cursor, waiting + 1
            if item is None or waiting == BATCH:
                await sql.execute(PLACE, (site, table, Jsonb(cursor.model_dump())))
                await sql.commit()  # the items and the position in one transaction
                events.stored(cursor)
                waiting = 0


async def main(broker: BrokerSettings, site: str, table: str) -> None:
    """Follow the table, with a new connection to the database whenever one is lost."""
    while True:
        try:
            async with await psycopg.AsyncConnection.connect() as sql:
                await follow(sql, broker, site, table)
        except psycopg.OperationalError as error:
            log.warning("no database: %s", str(error).strip())
            await asyncio.sleep(RETRY_S)


if __name__ == "__main__":
    logging.basicConfig(format="%(name)s: %(message)s")
    if len(sys.argv) != 5:  # noqa: PLR2004  as the usage states
        sys.exit("usage: history_postgresql.py BROKER PORT SITE TABLE")
    asyncio.run(main(BrokerSettings(sys.argv[1], int(sys.argv[2])), *sys.argv[3:]))

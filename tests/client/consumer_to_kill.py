"""A consumer that stores each item and its cursor in one transaction, forked again and again to be killed.

`consumer_to_kill.py PORT TABLE FILE`: each line on standard input forks one, whose process id is printed.
"""

import asyncio
import os
import signal
import sqlite3
import sys

from pitwarden_client import BrokerSettings, ChainBreak, ConsumerConfig, Cursor, LogItem, connect
from pitwarden_client.events.codec import decode, encode

SCHEMA = """
CREATE TABLE IF NOT EXISTS item (place INTEGER PRIMARY KEY, of TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS cursor (one INTEGER PRIMARY KEY CHECK (one = 1), value BLOB NOT NULL);
"""


async def consume(port: int, table: str, file: str) -> None:
    sql = sqlite3.connect(file)
    sql.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; {SCHEMA}")
    found = sql.execute("SELECT value FROM cursor").fetchone()
    cursor = Cursor() if found is None else decode(Cursor, found[0])
    consumer = ConsumerConfig(BrokerSettings("127.0.0.1", port), "silent", table, "historian", cursor)
    async with connect(consumer) as events:
        async for item in events:
            of = "break" if isinstance(item, ChainBreak) else "log" if isinstance(item, LogItem) else "outputs"
            body = b"" if isinstance(item, ChainBreak) else item.body
            with sql:
                sql.execute("INSERT INTO item (of, body) VALUES (?, ?)", (of, body))
                sql.execute("INSERT OR REPLACE INTO cursor VALUES (1, ?)", (encode(item.cursor),))


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            asyncio.run(consume(int(sys.argv[1]), *sys.argv[2:]))
        print(child, flush=True)  # noqa: T201  the answer


if __name__ == "__main__":
    main()

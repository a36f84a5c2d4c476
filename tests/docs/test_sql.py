"""Each block of SQL in the documents runs twice in a real PostgreSQL: the second time as after a lost answer."""

import re
from itertools import chain
from pathlib import Path

import psycopg
import pytest

from testkit.installation.postgresql import PostgresqlServer

pytestmark = pytest.mark.full
ROOT = Path(__file__).parents[2]
PAGES = sorted(chain((ROOT / "docs").rglob("*.md"), ROOT.glob("*.md"), ROOT.glob("*/README.md")))
BLOCK = re.compile(r"^```sql\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [
    pytest.param(found[1], id=f"{page.relative_to(ROOT)}-{at}")
    for page in PAGES
    for at, found in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8")), start=1)
]


def test_there_is_sql_in_the_documents() -> None:
    assert BLOCKS


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_of_sql_is_accepted_and_stores_a_repeated_row_once(postgresql: PostgresqlServer, block: str) -> None:
    host, user = (postgresql.environment[name] for name in ("PGHOST", "PGUSER"))
    statements = [one.strip() for one in block.split(";") if one.strip()]
    with psycopg.connect(host=host, user=user, dbname="postgres", autocommit=True) as server:
        for statement in statements:
            server.execute(statement.encode())
        repeated = [statement for statement in statements if statement.startswith("INSERT")]
        assert repeated
        for statement in repeated:
            assert server.execute(statement.encode()).rowcount == 0

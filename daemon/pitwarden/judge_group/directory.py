"""Members and ownership of a group in its database: leases, claims, and what is given back.

A lease ends by the clock of the database alone. Each claim raises the table's term. The term holds the timeline of the
database in its high bits, so that a promoted standby, which may lack the last claims, gives no term twice.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pitwarden.judge_group.assignment import PlaceFacts
from pitwarden.judge_group.claims import TableClaim
from pitwarden.judge_group.postgresql import DatabaseSession

_RENEW: Final = """
INSERT INTO member (run, name, version, rules, kind, accepts, until)
  VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7))
  ON CONFLICT (run) DO UPDATE SET kind = excluded.kind, accepts = excluded.accepts, until = excluded.until
"""
_LEAVE: Final = "DELETE FROM member WHERE run = ANY($1::text[]) OR until < clock_timestamp() - interval '1 hour'"
_ENROL: Final = """
INSERT INTO place (tbl, record) SELECT tbl, tbl FROM unnest($1::text[]) AS n(tbl) ON CONFLICT (tbl) DO NOTHING
"""
_SURVEY: Final = """
SELECT p.tbl, p.term, p.run, p.rules, p.version, p.signer, m.name,
    coalesce(m.until >= clock_timestamp(), false) AS owned
  FROM place p LEFT JOIN member m USING (run) WHERE p.tbl = ANY($1::text[])
"""
_MEMBERS: Final = """
SELECT run, name, version, rules, kind, accepts, extract(epoch FROM until - clock_timestamp())::float8 AS left_s
  FROM member WHERE until >= clock_timestamp()
"""
_CLAIM: Final = """
UPDATE place SET run = $1,
    term = greatest(term, (('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint) << 32) + 1
  WHERE tbl IN (SELECT p.tbl FROM unnest($2::text[], $3::bigint[]) AS n(tbl, term) JOIN place p USING (tbl, term)
    LEFT JOIN member m ON m.run = p.run WHERE m.until IS NULL OR m.until < clock_timestamp()
    FOR UPDATE OF p SKIP LOCKED)
  RETURNING tbl, record, term
"""
_RESUME: Final = """
UPDATE place p SET
    term = greatest(p.term, (('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint) << 32) + 1
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) AS n(tbl, term, run, ord)
  WHERE p.tbl = n.tbl AND p.term = n.term AND p.run = n.run AND p.ord >= n.ord
  RETURNING p.tbl, p.term
"""
_GIVE_BACK: Final = "UPDATE place SET run = '' WHERE tbl = $1 AND term = $2 AND run = $3"
_RECORD: Final = "SELECT record FROM place WHERE tbl = $1"


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """Live member of the group. Members of one `kind` are peers; `left_s` is what is left of its lease."""

    run: str
    name: str
    version: str
    rules: str
    kind: str
    accepts: bool
    left_s: float = math.inf


class GroupDirectory:
    """Statements about members and ownership, over one connection for the lease and one for the rest."""

    def __init__(self, lease: DatabaseSession, session: DatabaseSession) -> None:
        """Bind the database.

        Args:
            lease: Connection that only renews the lease: nothing that takes long may delay a renewal.
            session: Connection for claims.
        """
        self._lease, self._session = lease, session

    @property
    def address(self) -> str:
        """Address of the server that the lease is renewed at; empty while there is none."""
        return self._lease.address

    async def renew(self, member: MemberFacts, lease_s: float) -> None:
        """Let the member's lease end `lease_s` from now, by the clock of the database."""
        words = member.run, member.name, member.version, member.rules, member.kind, member.accepts
        await self._lease.fetch(_RENEW, *words, lease_s)

    async def leave(self, runs: Sequence[str]) -> None:
        """Remove these runs from the members, and those that ended long ago. Their tables have no owner then."""
        await self._lease.fetch(_LEAVE, list(runs))

    async def enrol(self, tables: Iterable[str]) -> None:
        """Make known tables that no member has served before."""
        await self._session.fetch(_ENROL, list(tables))

    async def survey(self, tables: Iterable[str]) -> dict[str, PlaceFacts]:
        """Return what the database holds of these tables."""
        return {
            row["tbl"]: PlaceFacts(
                row["tbl"], row["term"], row["run"], row["owned"], row["name"] or "", row["rules"], row["version"],
                row["signer"],
            )
            for row in await self._session.fetch(_SURVEY, list(tables))
        }  # fmt: skip

    async def tables(self) -> list[str]:
        """Return every table of the group, also those of other members' files."""
        return [row["tbl"] for row in await self._session.fetch("SELECT tbl FROM place")]

    async def members(self) -> list[MemberFacts]:
        """Return the members whose lease has not ended."""
        return [
            MemberFacts(
                row["run"], row["name"], row["version"], row["rules"], row["kind"], row["accepts"], row["left_s"]
            )
            for row in await self._session.fetch(_MEMBERS)
        ]

    async def claim(self, run: str, places: Sequence[PlaceFacts]) -> list[TableClaim]:
        """Claim those of `places` that still have no owner and the surveyed term; return the claims."""
        tables, terms = [place.table for place in places], [place.term for place in places]
        found = await self._session.fetch(_CLAIM, run, tables, terms)
        return [TableClaim(row["tbl"], row["record"], run, row["term"]) for row in found]

    async def resume(self, claims: Sequence[TableClaim]) -> dict[str, int]:
        """Give each table that is still its claim's a new term, and return these by table.

        A failover may have lost rows that this run had committed. Such a table is not continued from memory.
        """
        columns = zip(*[(claim.table, claim.term, claim.run, claim.ord) for claim in claims], strict=True)
        return {row["tbl"]: row["term"] for row in await self._session.fetch(_RESUME, *map(list, columns))}

    async def adopted(self, place: PlaceFacts) -> TableClaim:
        """Return the claim on a table that this run owns already: the answer to its claim was lost."""
        (row,) = await self._session.fetch(_RECORD, place.table)
        return TableClaim(place.table, row["record"], place.run, place.term)

    async def give_back(self, claim: TableClaim) -> None:
        """End the ownership, if it still lasts."""
        await self._session.fetch(_GIVE_BACK, claim.table, claim.term, claim.run)

    async def close(self) -> None:
        """Close the connections."""
        await self._lease.close()
        await self._session.close()

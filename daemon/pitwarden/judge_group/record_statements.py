"""Statements of the group's record in PostgreSQL.

Each that writes names the table, the term and the run of its owner: for another one it changes nothing.
"""

from typing import Final

from pitwarden.journal.judge_store import KEPT_SNAPSHOTS

MINE: Final = "mine AS (SELECT record FROM place WHERE tbl = $1 AND term = $2 AND run = $3 FOR UPDATE)"
PLACE: Final = (
    "SELECT record, ord, epoch, number, hash, seq, outputhash, signer, signature, published FROM place"
    " WHERE tbl = $1 AND term = $2 AND run = $3"
)
MARK: Final = """
UPDATE place p SET published = n.published
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) AS n(tbl, term, run, published)
  WHERE p.tbl = n.tbl AND p.term = n.term AND p.run = n.run AND p.published < n.published
"""
ROWS_AFTER: Final = """
SELECT ord, epoch, number, hash, body, damaged FROM received WHERE record = $1 AND ord > CASE WHEN $2::text IS NULL
  THEN 0 ELSE (SELECT ord FROM received WHERE record = $1 AND epoch = $2 AND number = $3) END ORDER BY ord LIMIT $4
"""
OUTPUTS_OF: Final = """
SELECT seq, epoch, number, idx, hash, topic, body FROM output WHERE record = $1
  AND ord BETWEEN (SELECT ord FROM received WHERE record = $1 AND epoch = $2 AND number = $3)
              AND (SELECT ord FROM received WHERE record = $1 AND epoch = $4 AND number = $5) ORDER BY ord, idx
"""
OUTPUTS_AFTER: Final = """
SELECT seq, epoch, number, idx, hash, topic, body FROM output WHERE record = $1 AND seq > $2 ORDER BY seq LIMIT $3
"""
SET_ASIDE: Final = """
UPDATE place SET record = $4, ord = 0, epoch = NULL, number = NULL, hash = NULL, seq = 0, outputhash = NULL,
  signer = '', signature = '', published = 0 WHERE tbl = $1 AND term = $2 AND run = $3 RETURNING record
"""
PUT_SNAPSHOT: Final = f"""
WITH {MINE},
s AS (INSERT INTO snapshot (record, ord, epoch, number, rules, profile, box)
  SELECT m.record, r.ord, $4, $5, $6, $7, $8 FROM mine m
    LEFT JOIN received r ON r.record = m.record AND r.epoch = $4 AND r.number = $5),
d AS (DELETE FROM snapshot USING mine WHERE snapshot.record = mine.record AND id NOT IN (
  SELECT k.id FROM snapshot k JOIN mine USING (record) ORDER BY k.id DESC LIMIT {KEPT_SNAPSHOTS - 1}))
SELECT record FROM mine
"""  # noqa: S608  a constant of this file
SET_META: Final = f"""
WITH {MINE},
s AS (INSERT INTO meta SELECT record, $4, $5 FROM mine
  ON CONFLICT (record, name) DO UPDATE SET value = excluded.value)
SELECT record FROM mine
"""  # noqa: S608  as above
TRIM: Final = f"""
WITH {MINE}, p AS (SELECT place.record, published, seq FROM place JOIN mine USING (record) WHERE tbl = $1),
upto AS (SELECT r.record, r.ord FROM received r JOIN mine USING (record) WHERE r.epoch = $4 AND r.number = $5),
o AS (DELETE FROM output USING upto, p WHERE output.record = upto.record AND output.ord <= upto.ord
  AND output.seq <= p.published AND output.seq < p.seq),
d AS (DELETE FROM received USING upto WHERE received.record = upto.record AND received.ord <= upto.ord RETURNING 1),
m AS (INSERT INTO meta SELECT record, 'trimmed', $6 FROM upto
  ON CONFLICT (record, name) DO UPDATE SET value = excluded.value)
SELECT (SELECT count(*) FROM d) AS gone FROM mine
"""  # noqa: S608  as above

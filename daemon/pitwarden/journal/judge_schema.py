"""The layout of the judge's journal."""

from typing import Final

APPLICATION: Final = 0x70774A31  # "pwJ1"
SCHEMA: Final = """
CREATE TABLE received (
  place INTEGER PRIMARY KEY, tbl TEXT NOT NULL, epoch TEXT NOT NULL, number INTEGER NOT NULL, hash TEXT NOT NULL,
  damaged INTEGER NOT NULL, body BLOB NOT NULL, UNIQUE (tbl, epoch, number)) STRICT;
CREATE INDEX received_in_order ON received (tbl, place);
CREATE TABLE output (
  tbl TEXT, seq INTEGER, epoch TEXT NOT NULL, number INTEGER NOT NULL, idx INTEGER NOT NULL, hash TEXT NOT NULL,
  topic TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (tbl, seq)) STRICT;
CREATE INDEX output_by_cause ON output (tbl, epoch, number, idx);
CREATE TABLE published (tbl TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE position (
  tbl TEXT PRIMARY KEY, epoch TEXT NOT NULL, number INTEGER NOT NULL, hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE followed (id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, epoch TEXT NOT NULL, UNIQUE (tbl, epoch)) STRICT;
CREATE TABLE snapshot (
  id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, epoch TEXT NOT NULL, number INTEGER NOT NULL, rules TEXT NOT NULL,
  profile TEXT NOT NULL, box BLOB NOT NULL) STRICT;
CREATE TABLE meta (tbl TEXT, name TEXT, value TEXT NOT NULL, PRIMARY KEY (tbl, name)) STRICT, WITHOUT ROWID;
"""
# SQLite knows the index's condition again only where a query repeats it word for word.
ADDED: Final = """
CREATE INDEX IF NOT EXISTS received_keys ON received (tbl, place) WHERE instr(body, '"kind":"key.announced"') > 0;
"""

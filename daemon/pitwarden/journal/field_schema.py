"""The layout of the field half's journal, and how a row is read from it."""

from typing import Final

from pitwarden_client.events.base import Position

from pitwarden.journal.rows import StoredRow

APPLICATION: Final = 0x70774C31  # "pwL1"
SCHEMA: Final = """
CREATE TABLE epoch (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, first_place INTEGER NOT NULL,
  parent_epoch TEXT, parent_number INTEGER, parent_hash TEXT) STRICT;
CREATE TABLE row (
  place INTEGER PRIMARY KEY, epoch INTEGER NOT NULL REFERENCES epoch, number INTEGER NOT NULL,
  hash TEXT NOT NULL, prevhash TEXT NOT NULL, topic TEXT NOT NULL, body BLOB NOT NULL, UNIQUE (epoch, number)) STRICT;
CREATE TABLE device (name TEXT PRIMARY KEY, boot INTEGER NOT NULL, counter INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE answer (
  role TEXT, terminal TEXT, input TEXT, digest TEXT NOT NULL, epoch TEXT, number INTEGER, reason TEXT NOT NULL,
  PRIMARY KEY (role, terminal, input)) STRICT, WITHOUT ROWID;
CREATE TABLE consumer (name TEXT PRIMARY KEY, place INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""
ADDED: Final = """
CREATE TABLE IF NOT EXISTS checkpoint (
  place INTEGER NOT NULL, epoch TEXT NOT NULL, number INTEGER NOT NULL, hash TEXT NOT NULL, mark TEXT NOT NULL,
  signer TEXT NOT NULL, signature TEXT NOT NULL, PRIMARY KEY (place, mark)) STRICT, WITHOUT ROWID;
"""

ROWS: Final = "SELECT place, name, number, hash, topic, body FROM row JOIN epoch ON epoch.id = row.epoch"
"""All of a stored row; a condition follows."""


def stored(found: tuple[int, str, int, str, str, bytes]) -> StoredRow:
    """What `ROWS` found, as a row."""
    place, epoch, number, held, topic, body = found
    return StoredRow(place, Position(epoch=epoch, number=number), held, topic, body)

"""Tables of a group's database, and the rights that its judges need.

A row of `place` is the head of one table's record and names its owner. Every write of a judge compares `term` and `run`
with it in the same statement, so a judge that lost the table cannot store (the fence).

`record` is the name under which the rows of a table are stored. It is the table's own name until a record is set aside.
"""

from typing import Final

SCHEMA_NAME: Final = "pitwarden"
LAYOUT_VERSION: Final = 1

DDL: Final = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA_NAME};
SET search_path = {SCHEMA_NAME};
CREATE TABLE IF NOT EXISTS layout (single boolean PRIMARY KEY DEFAULT true CHECK (single), version integer NOT NULL);
CREATE TABLE IF NOT EXISTS member (
  run text PRIMARY KEY, name text NOT NULL, version text NOT NULL, rules text NOT NULL, kind text NOT NULL,
  accepts boolean NOT NULL, until timestamptz NOT NULL);
CREATE TABLE IF NOT EXISTS place (
  tbl text PRIMARY KEY, record text NOT NULL, term bigint NOT NULL DEFAULT 0, run text NOT NULL DEFAULT '',
  ord bigint NOT NULL DEFAULT 0, epoch text, number bigint, hash text, seq bigint NOT NULL DEFAULT 0, outputhash text,
  signer text NOT NULL DEFAULT '', signature text NOT NULL DEFAULT '', published bigint NOT NULL DEFAULT 0,
  rules text NOT NULL DEFAULT '', version text NOT NULL DEFAULT '') WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS received (
  record text, ord bigint, epoch text NOT NULL, number bigint NOT NULL, hash text NOT NULL, damaged boolean NOT NULL,
  announces boolean NOT NULL, body bytea NOT NULL, term bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (record, ord), UNIQUE (record, epoch, number));
CREATE INDEX IF NOT EXISTS received_keys ON received (record, ord) WHERE announces;
CREATE TABLE IF NOT EXISTS output (
  record text, seq bigint, ord bigint NOT NULL, epoch text NOT NULL, number bigint NOT NULL, idx integer NOT NULL,
  hash text NOT NULL, topic text NOT NULL, body bytea NOT NULL, PRIMARY KEY (record, seq));
CREATE INDEX IF NOT EXISTS output_by_cause ON output (record, ord, idx);
CREATE TABLE IF NOT EXISTS followed (
  record text, epoch text, ord bigint NOT NULL, PRIMARY KEY (record, epoch));
CREATE TABLE IF NOT EXISTS snapshot (
  record text, ord bigint, epoch text NOT NULL, number bigint NOT NULL, rules text NOT NULL, profile text NOT NULL,
  box bytea NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (record, id));
CREATE TABLE IF NOT EXISTS meta (record text, name text, value text NOT NULL, PRIMARY KEY (record, name));
INSERT INTO layout (version) VALUES ({LAYOUT_VERSION}) ON CONFLICT DO NOTHING;
"""  # noqa: S608  constants of this file
"""Statements for the owner of the database. They may run again."""

_TABLES: Final = "member, place, received, output, followed, snapshot, meta"


def grants(role: str) -> str:
    """Return the statements that give `role` what a judge needs, and no more: it can neither alter nor drop a table."""
    quoted = '"' + role.replace('"', '""') + '"'
    return (
        f"GRANT USAGE ON SCHEMA {SCHEMA_NAME} TO {quoted};\n"
        f"GRANT SELECT ON {SCHEMA_NAME}.layout TO {quoted};\n"
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {_qualified()} TO {quoted};\n"
    )


def _qualified() -> str:
    return ", ".join(f"{SCHEMA_NAME}.{name}" for name in _TABLES.split(", "))

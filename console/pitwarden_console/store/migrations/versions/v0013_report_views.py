"""Views that report programs such as Grafana may read: figures and times, no person, no sentence and no bytes.

SQLite drops no column that a view names, and PostgreSQL changes none: a later migration that does either drops the
views first and makes them again, and the role of the readers is then granted its rights again.
"""

import re

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# INSTANT and LISTED below stand for what the databases write differently: an instant of UTC milliseconds, with its zone
# where there is such a type, and a list with commas in place of newlines.
_POSTGRESQL = {"INSTANT": r"to_timestamp(\1 / 1000.0)", "LISTED": r"replace(\1, chr(10), ', ')"}
_SQLITE = {"INSTANT": r"strftime('%Y-%m-%dT%H:%M:%fZ',\1/1000.0,'unixepoch')", "LISTED": r"replace(\1, char(10), ', ')"}

_IRREGULARITIES = """
CREATE VIEW report_irregularity AS
SELECT gaming_table.site, gaming_table.name AS table_name, incident.ref, incident.day AS gaming_day, incident.simulated,
    incident.catalogue, LISTED(incident.clauses) AS clauses, LISTED(incident.verdicts) AS verdicts, incident.priority,
    incident.status, incident.actor, incident.round, incident.device, INSTANT(incident.opened_ms) AS opened_at,
    INSTANT(incident.acknowledged_ms) AS acknowledged_at, INSTANT(incident.ended_ms) AS ended_at,
    incident.opened_ms, incident.acknowledged_ms, incident.ended_ms,
    (incident.acknowledged_ms - incident.opened_ms) / 1000 AS seconds_to_acknowledge,
    (incident.ended_ms - incident.opened_ms) / 1000 AS seconds_to_end,
    CASE WHEN incident.priority = 1 THEN incident.ended_ms - incident.opened_ms ELSE 0 END AS stopped_ms,
    incident.unseen
FROM incident JOIN gaming_table ON gaming_table.id = incident.table_id
WHERE incident.kind = 'irregularity'
"""

# An irregularity without a clause has one line with an empty one.
_CLAUSES_IN_POSTGRESQL = """
CREATE VIEW report_clause AS
SELECT gaming_table.site, gaming_table.name AS table_name, incident.ref, incident.day AS gaming_day, incident.simulated,
    incident.catalogue, part.clause
FROM incident JOIN gaming_table ON gaming_table.id = incident.table_id
CROSS JOIN LATERAL regexp_split_to_table(incident.clauses, chr(10)) AS part (clause)
WHERE incident.kind = 'irregularity'
"""
_CLAUSES_IN_SQLITE = """
CREATE VIEW report_clause AS WITH RECURSIVE part (id, step, clause, rest) AS (
    SELECT id, 0, '', clauses || char(10) FROM incident WHERE kind = 'irregularity'
    UNION ALL
    SELECT id, step + 1, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1)
    FROM part WHERE rest <> ''
)
SELECT gaming_table.site, gaming_table.name AS table_name, incident.ref, incident.day AS gaming_day, incident.simulated,
    incident.catalogue, part.clause
FROM part JOIN incident ON incident.id = part.id JOIN gaming_table ON gaming_table.id = incident.table_id
WHERE part.step > 0
"""

_DUTIES = """
CREATE VIEW report_duty AS
SELECT gaming_table.site, gaming_table.name AS table_name, incident.ref, incident.day AS gaming_day, incident.simulated,
    incident.catalogue, LISTED(incident.clauses) AS clauses, incident.priority, incident.status, incident.actor,
    INSTANT(incident.opened_ms) AS due_at, INSTANT(incident.overdue_ms) AS overdue_at,
    INSTANT(incident.ended_ms) AS ended_at, incident.opened_ms AS due_ms, incident.overdue_ms, incident.ended_ms
FROM incident JOIN gaming_table ON gaming_table.id = incident.table_id
WHERE incident.kind = 'duty'
"""

# A day can have irregularities and no counted rows, and the other way round.
_DAYS = """
CREATE VIEW report_day AS
SELECT site, table_name, gaming_day, simulated, sum(log_rows) AS log_rows, sum(rounds) AS rounds,
    sum(irregularities) AS irregularities, sum(device_faults) AS device_faults,
    CAST(sum(stopped_ms) AS BIGINT) AS stopped_ms
FROM (
    SELECT gaming_table.site, gaming_table.name AS table_name, table_day.day AS gaming_day, table_day.simulated,
        table_day.rows AS log_rows, table_day.rounds, 0 AS irregularities, 0 AS device_faults, 0 AS stopped_ms
    FROM table_day JOIN gaming_table ON gaming_table.id = table_day.table_id
    UNION ALL
    SELECT site, table_name, gaming_day, simulated, 0, 0, 1, CASE WHEN device IS NULL THEN 0 ELSE 1 END,
        coalesce(stopped_ms, 0)
    FROM report_irregularity
) AS counted
GROUP BY site, table_name, gaming_day, simulated
"""


def upgrade() -> None:
    """Make the views, with the same columns in both databases."""
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    clauses = _CLAUSES_IN_POSTGRESQL if is_postgresql else _CLAUSES_IN_SQLITE
    for view in (_IRREGULARITIES, clauses, _DUTIES, _DAYS):
        statement = view
        for name, expression in (_POSTGRESQL if is_postgresql else _SQLITE).items():
            statement = re.sub(rf"\b{name}\(([\w.]+)\)", expression, statement)
        op.execute(statement)

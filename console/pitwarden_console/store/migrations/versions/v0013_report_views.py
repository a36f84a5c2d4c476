"""Views that report programs such as Grafana may read: figures and times, no person, no sentence and no bytes.

SQLite drops no column that a view names, and PostgreSQL changes none: a later migration that does either drops the
views first and makes them again, and the role of the readers is then granted its rights again.
"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the views, with the same columns in both databases."""
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    op.execute(_irregularities(is_postgresql=is_postgresql))
    op.execute(_clauses(is_postgresql=is_postgresql))
    op.execute(_duties(is_postgresql=is_postgresql))
    op.execute(_days())


def _instant(column: str, *, is_postgresql: bool) -> str:
    """Return the expression for an instant: with its zone where the database has such a type, else as RFC 3339 text."""
    if is_postgresql:
        return f"to_timestamp({column} / 1000.0)"
    return f"strftime('%Y-%m-%dT%H:%M:%fZ', {column} / 1000.0, 'unixepoch')"


def _listed(column: str, *, is_postgresql: bool) -> str:
    """Return the expression for a list whose elements are separated by newlines, in one line."""
    return f"replace({column}, {'chr' if is_postgresql else 'char'}(10), ', ')"


_OF_TABLE = "gaming_table.site, gaming_table.name AS table_name"
_TABLES = "JOIN gaming_table ON gaming_table.id = incident.table_id"


# The noqa of each view: its parts are the constants and expressions of this file.
def _irregularities(*, is_postgresql: bool) -> str:
    opened, acknowledged, ended = (
        _instant(f"incident.{name}_ms", is_postgresql=is_postgresql) for name in ("opened", "acknowledged", "ended")
    )
    clauses, verdicts = (_listed(f"incident.{name}", is_postgresql=is_postgresql) for name in ("clauses", "verdicts"))
    return f"""
CREATE VIEW report_irregularity AS SELECT {_OF_TABLE}, incident.ref, incident.day AS gaming_day, incident.simulated,
    incident.catalogue, {clauses} AS clauses, {verdicts} AS verdicts, incident.priority, incident.status,
    incident.actor, incident.round, incident.device, {opened} AS opened_at, {acknowledged} AS acknowledged_at,
    {ended} AS ended_at, incident.opened_ms, incident.acknowledged_ms, incident.ended_ms,
    (incident.acknowledged_ms - incident.opened_ms) / 1000 AS seconds_to_acknowledge,
    (incident.ended_ms - incident.opened_ms) / 1000 AS seconds_to_end,
    CASE WHEN incident.priority = 1 THEN incident.ended_ms - incident.opened_ms ELSE 0 END AS stopped_ms,
    incident.unseen
FROM incident {_TABLES} WHERE incident.kind = 'irregularity'
"""  # noqa: S608


def _clauses(*, is_postgresql: bool) -> str:
    # An irregularity without a clause has one line with an empty one.
    columns = f"{_OF_TABLE}, incident.ref, incident.day AS gaming_day, incident.simulated, incident.catalogue"
    where = "WHERE incident.kind = 'irregularity'"
    if is_postgresql:
        parts = "CROSS JOIN LATERAL regexp_split_to_table(incident.clauses, chr(10)) AS part (clause)"
        return f"CREATE VIEW report_clause AS SELECT {columns}, part.clause FROM incident {_TABLES} {parts} {where}"  # noqa: S608
    return f"""
CREATE VIEW report_clause AS WITH RECURSIVE part (id, step, clause, rest) AS (
    SELECT incident.id, 0, '', incident.clauses || char(10) FROM incident {where}
    UNION ALL SELECT id, step + 1, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1)
    FROM part WHERE rest <> ''
)
SELECT {columns}, part.clause FROM part JOIN incident ON incident.id = part.id {_TABLES} WHERE part.step > 0
"""  # noqa: S608


def _duties(*, is_postgresql: bool) -> str:
    due, overdue, ended = (
        _instant(f"incident.{name}_ms", is_postgresql=is_postgresql) for name in ("opened", "overdue", "ended")
    )
    return f"""
CREATE VIEW report_duty AS SELECT {_OF_TABLE}, incident.ref, incident.day AS gaming_day, incident.simulated,
    incident.catalogue, {_listed("incident.clauses", is_postgresql=is_postgresql)} AS clauses, incident.priority,
    incident.status, incident.actor, {due} AS due_at, {overdue} AS overdue_at, {ended} AS ended_at,
    incident.opened_ms AS due_ms, incident.overdue_ms, incident.ended_ms
FROM incident {_TABLES} WHERE incident.kind = 'duty'
"""  # noqa: S608


def _days() -> str:
    # A day can have irregularities and no counted rows, and the other way round.
    return f"""
CREATE VIEW report_day AS SELECT site, table_name, gaming_day, simulated, sum(log_rows) AS log_rows,
    sum(rounds) AS rounds, sum(irregularities) AS irregularities, sum(device_faults) AS device_faults,
    CAST(sum(stopped_ms) AS BIGINT) AS stopped_ms
FROM (
    SELECT {_OF_TABLE}, table_day.day AS gaming_day, table_day.simulated, table_day.rows AS log_rows,
        table_day.rounds, 0 AS irregularities, 0 AS device_faults, 0 AS stopped_ms
    FROM table_day JOIN gaming_table ON gaming_table.id = table_day.table_id
    UNION ALL
    SELECT site, table_name, gaming_day, simulated, 0, 0, 1, CASE WHEN device IS NULL THEN 0 ELSE 1 END,
        coalesce(stopped_ms, 0)
    FROM report_irregularity
) AS counted
GROUP BY site, table_name, gaming_day, simulated
"""  # noqa: S608

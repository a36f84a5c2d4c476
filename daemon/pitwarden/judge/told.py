"""What the judge says, for whoever reads the machine's journal: a line for each change of an irregularity or duty."""

import structlog
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Output

_log = structlog.get_logger()


def tell(table: str, output: Output) -> None:
    """Writes the line of an output that is committed, if it is a change; cards and answers are never written here."""
    match output:
        case Irregularity(status=status):
            write = _log.warning if status == "open" else _log.info
            write(
                "irregularity", table=table, ref=output.ref, status=status, catalogue=output.catalogue,
                clauses=", ".join(output.clauses), verdicts=" ".join(output.verdicts), by=output.by or "",
            )  # fmt: skip
        case Duty(status=status):
            write = _log.warning if status == "overdue" else _log.info
            write("duty", table=table, ref=output.ref, status=status, duty=output.duty, subject=output.subject)
        case CheckFailed(check=check, error=error):
            _log.error("check failed", table=table, check=check, error=error)
        case _:
            return

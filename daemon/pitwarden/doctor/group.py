"""Examination of the database of a group of judges: reachability, rights, and who owns the table."""

from pitwarden.config.models import JudgeGroupSection
from pitwarden.doctor.findings import DoctorFinding, passed
from pitwarden.journal.errors import JournalError, JournalUnreachableError

_WHY = "this member judges no table without the database; while no member reaches it, dealing is withheld"
_MEND_RIGHTS = "let the judges use a login that owns nothing; its rights: pitwarden group sql"


async def check_group(section: JudgeGroupSection | None, table: str) -> list[DoctorFinding]:
    """Return findings about the database that the table file names; none without one."""
    if section is None:
        return []
    try:
        return await _examine(section, table)
    except ModuleNotFoundError as error:
        said = f"the library {error.name} is not installed"
        return [DoctorFinding("bad", "judge group", said, _WHY, "install the package pitwarden[property]")]


async def _examine(section: JudgeGroupSection, table: str) -> list[DoctorFinding]:
    from pitwarden.judge_group.directory import GroupDirectory  # noqa: PLC0415  an optional library
    from pitwarden.judge_group.group import STATEMENT_S, database_settings  # noqa: PLC0415
    from pitwarden.judge_group.postgresql import DatabaseSession, check_layout, excess_rights  # noqa: PLC0415

    session = DatabaseSession(database_settings(section), "pitwarden doctor", STATEMENT_S)
    directory = GroupDirectory(session, session)
    try:
        await check_layout(session)
        place = (await directory.survey([table])).get(table)
        rights = await excess_rights(session)
        found = [passed("judge group", f"{session.settings.name} accepts writes at {session.address}")]
    except JournalUnreachableError as error:
        return [DoctorFinding("bad", "judge group", str(error), _WHY, "see the server and the network to it")]
    except JournalError as error:
        return [DoctorFinding("bad", "judge group", str(error), _WHY, "see the login, its rights and the layout")]
    finally:
        await directory.close()
    if rights:
        said = f"the login {section.user} {rights}"
        why = "a stolen password could delete the record of the whole property"
        found.append(DoctorFinding("warning", "judge group", said, why, _MEND_RIGHTS))
    if place is None:
        said = f"no member has served {table} yet"
        return [*found, DoctorFinding("warning", "judge group", said, "", "start a member with this table file")]
    if not place.has_owner:
        said = f"no member owns {table}"
        return [*found, DoctorFinding("bad", "judge group", said, _WHY, "pitwarden group show; the members' logs")]
    return [*found, passed("judge group", f"{place.owner} owns {table}, term {place.term}")]

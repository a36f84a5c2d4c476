"""`pitwarden group` and the doctor: the tables as SQL with the least rights, and who owns which table."""

import asyncio
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.config.models import JudgeGroupSection
from pitwarden.doctor.group import check_group
from pitwarden.journal.errors import JournalUnwritableError
from pitwarden.judge_group.directory import GroupDirectory, MemberFacts
from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSettings
from testkit.installation.postgresql import PostgresqlServer
from testkit.processes.pit import write


def sql(capsys: pytest.CaptureFixture[str], role: str) -> str:
    assert main(["group", "sql", "--role", role]) == 0
    return capsys.readouterr().out


def login(server: PostgresqlServer, database: str, user: str) -> DatabaseSession:
    return DatabaseSession(DatabaseSettings((server.environment["PGHOST"],), database, user), "test", 2.0)


@pytest.mark.full
def test_the_statements_make_a_database_that_judges_can_write_and_not_drop(
    shared_postgresql: PostgresqlServer, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    database, role = shared_postgresql.new_database(), 'judge "of" the house'
    statements = sql(capsys, role)

    async def play() -> None:
        owner, judge = login(shared_postgresql, database, "pit"), login(shared_postgresql, database, role)
        await owner.script(f'CREATE ROLE "{role.replace(chr(34), chr(34) * 2)}" LOGIN')
        await owner.script(statements)
        await owner.script(statements)  # as after a lost answer
        section = JudgeGroupSection.model_validate(
            {"addresses": [shared_postgresql.environment["PGHOST"]], "database": database, "user": role}
        )
        assert [one.level for one in await check_group(section, "bench/t1")] == ["ok", "warning"]
        directory = GroupDirectory(judge, judge)
        await directory.enrol(["bench/t1"])
        assert [one.level for one in await check_group(section, "bench/t1")] == ["ok", "bad"]
        await directory.renew(MemberFacts("run", "judge-a", "0.2.0", "1.0", "kind", accepts=True), 60.0)
        await directory.claim("run", list((await directory.survey(["bench/t1"])).values()))
        found = await check_group(section, "bench/t1")
        assert [one.level for one in found] == ["ok", "ok"]
        assert "judge-a owns bench/t1" in found[1].what
        as_owner = section.model_copy(update={"user": "pit"})
        assert "is a superuser" in (await check_group(as_owner, "bench/t1"))[1].what
        for statement in ("DROP TABLE received", "ALTER TABLE output DISABLE TRIGGER ALL", "TRUNCATE place"):
            with pytest.raises(JournalUnwritableError):
                await judge.fetch(statement)
        await owner.close()
        await directory.close()

    asyncio.run(play())
    place = shared_postgresql.environment["PGHOST"]
    group = f'\n[judge_group]\naddresses = ["{place}"]\ndatabase = "{database}"\nuser = "pit"\n'
    write(tmp_path, 1883, "t1", more=group)
    assert main(["group", "show", "--config", str(tmp_path / "tables" / "t1.toml")]) == 0
    shown = capsys.readouterr().out
    assert "member judge-a: pitwarden 0.2.0, rules 1.0" in shown
    assert "table bench/t1: judge-a, term" in shown


def test_without_a_group_there_is_nothing_to_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, 1883, "t1")
    assert main(["group", "show", "--config", str(tmp_path / "tables" / "t1.toml")]) == 78
    assert "[judge_group]" in capsys.readouterr().err


def test_a_database_that_is_away_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, 1883, "t1", more=f'\n[judge_group]\naddresses = ["{tmp_path}"]\nuser = "judge"\n')
    file = str(tmp_path / "tables" / "t1.toml")
    assert main(["group", "show", "--config", file]) == 1
    assert str(tmp_path) in capsys.readouterr().err


def test_one_process_runs_no_other_half_in_a_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    group = f'\n[judge_group]\naddresses = ["{tmp_path}"]\nuser = "judge"\n'
    write(tmp_path, 1883, "t1", more=group)
    assert main(["run", "--config", str(tmp_path / "tables" / "t1.toml")]) == 78
    assert "add --only judge" in capsys.readouterr().err


def test_all_tables_of_a_process_are_in_one_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    group = f'\n[judge_group]\naddresses = ["{tmp_path}"]\nuser = "judge"\n'
    write(tmp_path, 1883, "t1", more=group)
    write(tmp_path, 1883, "t2")
    assert main(["run", "--only", "judge", "--config", str(tmp_path / "tables")]) == 78
    assert "t2.toml: judge_group:" in capsys.readouterr().err


@pytest.mark.parametrize(("action", "wrong"), [("export", "is there already"), ("import", "is no journal of a judge")])
def test_a_copy_neither_replaces_nor_invents_a_journal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], action: str, wrong: str
) -> None:
    write(tmp_path, 1883, "t1", more=f'\n[judge_group]\naddresses = ["{tmp_path}"]\nuser = "judge"\n')
    if action == "export":
        (tmp_path / "judge.sqlite").touch()
    file = str(tmp_path / "tables" / "t1.toml")
    assert main(["group", action, "--config", file, "--journals", str(tmp_path)]) == 1
    assert wrong in capsys.readouterr().err

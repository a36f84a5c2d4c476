"""A server with TLS and passwords: only a verified one is used, and the login has the rights of a judge and no more."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from pitwarden.journal.errors import JournalUnwritableError
from pitwarden.judge_group.directory import GroupDirectory, MemberFacts
from pitwarden.judge_group.layout import DDL, grants
from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSettings, check_layout, excess_rights
from testkit.brokers.site_broker import PASSWORD, Site
from testkit.installation.secured_postgresql import JUDGE, SecuredPostgresql, secured_postgresql

pytestmark = [pytest.mark.full, pytest.mark.slow]

MEMBER = MemberFacts("run", "judge-a", "0.2.0", "1.0", "kind", accepts=True)


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[SecuredPostgresql]:
    with secured_postgresql(Site(tmp_path, trustme.CA())) as made:
        made.as_owner(DDL + grants(JUDGE))
        yield made


async def refusal(settings: DatabaseSettings) -> str:
    session = DatabaseSession(settings, "test", 2.0)
    with pytest.raises(JournalUnwritableError) as error:
        await check_layout(session)
    await session.close()
    assert PASSWORD not in str(error.value)
    return str(error.value)


async def test_a_verified_server_lets_the_login_do_what_a_judge_does_and_no_more(
    secured: SecuredPostgresql,
) -> None:
    session = DatabaseSession(secured.settings, "test", 2.0)
    await check_layout(session)
    (tls,) = await session.fetch("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    assert tls["ssl"]
    assert await excess_rights(session) == ""
    directory = GroupDirectory(session, session)
    await directory.enrol(["s/t"])
    await directory.renew(MEMBER, 60.0)
    (claim,) = await directory.claim(MEMBER.run, list((await directory.survey(["s/t"])).values()))
    await directory.give_back(claim)
    for statement in (
        "DROP TABLE received", "TRUNCATE output", "ALTER TABLE place ADD x int", "UPDATE layout SET version = 9",
        "CREATE TABLE pitwarden.mine (x int)", "CREATE ROLE other", "COPY place TO '/tmp/x'",
    ):  # fmt: skip
        with pytest.raises(JournalUnwritableError, match="lacks a right"):
            await session.fetch(statement)
    await directory.close()


async def test_a_server_that_another_authority_vouches_for_is_named_and_not_used(
    secured: SecuredPostgresql, tmp_path: Path
) -> None:
    other = Site(tmp_path / "other", trustme.CA())
    other.folder.mkdir()
    said = await refusal(replace(secured.settings, ca=other.ca))
    assert "certificate is not accepted" in said
    assert "ca of [judge_group]" in said


async def test_a_name_that_is_not_in_the_certificate_is_refused(
    secured: SecuredPostgresql,
) -> None:
    (address,) = secured.settings.addresses
    said = await refusal(replace(secured.settings, addresses=(address.replace("127.0.0.1", "localhost"),)))
    assert "certificate is not accepted" in said
    assert "localhost" in said


async def test_a_wrong_password_is_named_without_it(secured: SecuredPostgresql, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("wrong horse")
    said = await refusal(replace(secured.settings, password_file=wrong))
    assert "does not let the login in" in said
    assert "horse" not in said


async def test_without_tls_the_login_is_not_let_in(secured: SecuredPostgresql) -> None:
    assert "does not let the login in" in await refusal(replace(secured.settings, ca=None))


async def test_a_server_without_tls_is_named(
    secured: SecuredPostgresql,
) -> None:
    secured.restart(tls=False)
    assert "has no TLS" in await refusal(secured.settings)


async def test_a_missing_right_is_named_with_its_remedy(secured: SecuredPostgresql) -> None:
    secured.as_owner(f"REVOKE ALL ON pitwarden.layout FROM {JUDGE}")
    assert "pitwarden group sql" in await refusal(secured.settings)

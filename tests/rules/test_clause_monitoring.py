"""The clauses that a table monitors, and those that the house attests."""

from dataclasses import replace

import pytest

from pitwarden.rules import DeviceSetup, TableSetup, load_profile
from pitwarden.rules.engine.coverage import monitoring_status
from pitwarden.rules.profile.clauses import load_clauses
from pitwarden.rules.setup.table_setup import Attestation
from testkit.tables.rules_table import setup_of

CLAUSES = {clause.ident: clause for clause in load_clauses()}
SHOE = DeviceSetup("shoe", "shoe")


def said(setup: TableSetup, clause: str) -> str:
    return monitoring_status(setup, CLAUSES[clause])


@pytest.fixture(scope="module")
def table() -> TableSetup:
    made = replace(setup_of("TAB"), devices=(SHOE,), inputs=frozenset({"kp.deal", "kp.boxes", "kp.close"}))
    return replace(made, attested=(Attestation("G-05", "A. Example", "2026-01-05", "IC-30"),))


def test_a_clause_is_watched_where_its_device_and_its_keys_are(table: TableSetup) -> None:
    assert said(table, "TAB-20") == "not monitored: no reader at this table"
    assert said(table, "TAB-15") == "monitored"
    assert said(table, "TAB-25") == "not monitored: kp.insurance_settled, kp.open not keyed here"
    assert said(table, "TAB-07") == "monitored, but not kp.cut"
    assert said(table, "TAB-21") == "not monitored: no reader at this table"
    assert said(table, "CB-07") == "not monitored: it has no check in this game"


def test_what_the_house_attests_stands_with_name_and_day(table: TableSetup) -> None:
    assert said(table, "G-05") == "attested by A. Example on 2026-01-05 (IC-30)"
    assert said(replace(table, attested=(Attestation("TAB-50", "B", "2026-01-05"),)), "TAB-50") == (
        "attested by B on 2026-01-05"
    )
    assert said(table, "G-11") == "not attested, and the text asks for it before play"
    assert said(table, "TAB-50") == "not attested"
    assert said(replace(table, attested=None), "G-05") == "not monitored: no attestations are kept in the table file"


def test_a_game_that_has_no_row_of_a_common_clause_says_so() -> None:
    blitz = replace(setup_of("CB"), profile=load_profile("switch-hands", 6), devices=(SHOE,))
    assert said(blitz, "G-19") == "not monitored: it has no check in this game"

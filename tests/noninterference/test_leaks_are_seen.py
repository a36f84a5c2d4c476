"""The non-interference tests can fail: a leak by a message, a log line, a length or a delay is seen in each form."""

import pytest

from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED
from testkit.secrecy.night_variants import answers, for_an_undealt, oracle, permuted
from testkit.secrecy.observations import first_difference, shape
from testkit.secrecy.planted_leaks import LEAKS, Leak
from testkit.simulated_service.night import SimulatedNightPlan, play

leaks = pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)


@leaks
def test_of_a_card_that_never_becomes_public(leak: Leak) -> None:
    programme = SimulatedNightPlan(CB_AUTO, "1", 1)
    with leak():
        one = play(programme)
        other = play(programme, permuted(one.truth, "1"))
    assert first_difference(one.observed, other.observed) != ""


@leaks
def test_of_a_card_that_becomes_public_later(leak: Leak) -> None:
    programme = SimulatedNightPlan(TAB_SHIELDED, "1", 1)
    with leak():
        one = play(programme)
        hole = next(secret for secret in oracle(one).secrets if secret.kind == "hole")
        other = play(programme, for_an_undealt(one, hole, 0))
    assert first_difference(one.observed.before(hole.row), other.observed.before(hole.row)) == ""
    assert first_difference(one.observed.before(hole.public), other.observed.before(hole.public)) != ""


@leaks
def test_of_the_answer_of_the_reader(leak: Leak) -> None:
    early = next(fault for fault in load_faults() if fault.name == "early_reader_insert")
    programme = SimulatedNightPlan(TAB_SHIELDED, "1", 1, (early,))
    with leak():
        one = play(programme)
        other = play(programme, lies_at=1)
    [secret] = [secret for secret in answers(one) if secret.public > secret.row]
    assert first_difference(one.observed.before(secret.row), other.observed.before(secret.row)) == ""
    assert first_difference(one.observed.before(secret.public), other.observed.before(secret.public)) != ""


def test_random_strings_count_by_their_length() -> None:
    one, same, longer = (shape(b'{"box": "%s", "n": 1}' % box) for box in (b"AAAA", b"BBBB", b"AAAAAAAA"))
    assert one == same != longer
    assert shape(b"\x00\x01") == shape(b"\x01\x00") != shape(b"\x00")
    assert shape(b'{"box": 3}') != shape(b'{"box": 4}'), "a betting box is no seal"

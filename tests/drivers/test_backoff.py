"""The reconnect policy: it never spins, never waits for ever, and is reset by identification only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_client.backoff import Backoff

STEPS = st.lists(st.sampled_from(["failed", "quick", "hopeless", "reset"]), max_size=50)


@given(STEPS, st.floats(0, 1, exclude_max=True), st.integers(1, 1_000), st.integers(0, 60_000))
def test_every_wait_is_between_floor_and_cap(steps: list[str], luck: float, floor: int, more: int) -> None:
    backoff = Backoff(lambda: luck, floor, floor + more)
    for step in steps:
        if step == "reset":
            backoff.reset()
            continue
        wait = {"failed": backoff.failed, "quick": lambda: backoff.failed(50), "hopeless": backoff.use_cap}[step]()
        assert floor <= wait <= floor + more


def test_waits_double_up_to_the_cap_and_begin_again_after_identification() -> None:
    backoff = Backoff(lambda: 0.0)
    assert [backoff.failed() for _ in range(8)] == [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]
    backoff.reset()
    assert [backoff.failed(1_500) for _ in range(5)] == [250, 500, 1_000, 1_500, 1_500]
    assert backoff.failed() == 8_000


def test_what_cannot_help_goes_straight_to_the_cap_and_jitter_only_shortens() -> None:
    backoff = Backoff(lambda: 0.5)
    assert backoff.use_cap() == 9_000
    assert backoff.failed() == 9_000


@pytest.mark.parametrize(("floor", "cap"), [(0, 100), (-5, 100), (200, 100)])
def test_a_policy_that_would_spin_is_refused(floor: int, cap: int) -> None:
    with pytest.raises(ValueError, match="would spin or never end"):
        Backoff(lambda: 0.0, floor, cap)

from pitwarden_client.backoff import REFUSED_MS, SOON_MS, LinkBackoff


def test_failures_are_tried_again_soon_and_refusals_at_the_cap_until_success() -> None:
    retry = LinkBackoff()
    waits = [retry.after_failure() for _ in range(20)]
    assert min(waits) > 0
    assert max(waits) <= SOON_MS / 1_000
    assert retry.after_refusal() >= 0.8 * REFUSED_MS / 1_000
    retry.succeeded()
    assert retry.after_failure() < 0.5

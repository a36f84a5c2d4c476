"""The bridges of the broker that we are at, as mosquitto itself tells of them on its system topics."""

from collections.abc import Mapping

from pitwarden.doctor.finding import Finding, ok

_WHY = "the pit's displays and its historian hear nothing; the table itself goes on"


def connected(bridge: str) -> str:
    """The topic that says whether `bridge` is connected: 1 or 0, retained."""
    return f"$SYS/broker/connection/{bridge}/state"


def name_of(topic: str) -> str | None:
    """The bridge that such a topic speaks of."""
    parts = topic.split("/")
    return parts[3] if topic == connected(parts[3] if len(parts) > 3 else "") else None  # noqa: PLR2004  as above


def look(heard: Mapping[str, bytes]) -> list[Finding]:
    """One finding for each bridge that was heard of."""
    if not heard:
        return [ok("bridge", "this broker has none that we may hear of")]
    mend = "journalctl -u mosquitto; see address and certificates in pit-bridge.conf, and whether the pit's broker runs"
    return [
        ok(f"bridge {name}", "connected") if state == b"1" else Finding("bad", f"bridge {name}", "is down", _WHY, mend)
        for name, state in sorted(heard.items())
    ]

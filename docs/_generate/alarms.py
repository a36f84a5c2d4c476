"""The page of alarms, also pitwarden-alarms(7): meaning, effect and remedy of every fault code and status line."""

from _generate.markdown import anchor, escape, page
from pitwarden_client.events.alarms import ALARMS


def alarms() -> str:
    """Return the page of every alarm."""
    parts = [
        (
            "Look up what is displayed: a fault code from `status/field`, `status/judge` or a `log.fault` row, or "
            "the words of the status line (`systemctl status`). `pitwarden doctor` prints the remedy of each fault "
            "that the running service reports."
        ),
    ]
    for one in ALARMS:
        title = f"Exit code {one.code}" if one.places == ("exit code",) else one.code
        parts += [
            anchor(f"alarm-{one.code}"),
            f"## {escape(title)}",
            f"Shown in: {', '.join(one.places)}.",
            f"**Meaning.** {escape(one.meaning)}",
            f"**Effect.** {escape(one.effect)}",
            f"**Remedy.** {escape(one.remedy)}",
        ]
    parts += [
        "## A device is lost or stale",
        "**Meaning.** No valid data arrives from the device.",
        "**Effect.** Dealing is withheld while a device that the table needs is missing.",
        "**Remedy.** Check cable and power. `devices/DEVICE/status` has the reason; `pitwarden doctor` tests the port.",
    ]
    return page("Respond to alarms", *parts)

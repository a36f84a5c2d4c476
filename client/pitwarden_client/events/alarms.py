"""Alarms: each fault code and status line that an operator can be shown, with its meaning, effect and remedy.

The documentation and `pitwarden doctor` read this table. A code is shown in the retained `status/field` and
`status/judge` and in a `log.fault` row; the words of a status line are those of `systemctl status`.
"""

from dataclasses import dataclass
from typing import Final, Literal

Place = Literal["status", "log", "status line", "exit code"]


@dataclass(frozen=True, slots=True)
class Alarm:
    """Fault code or status line, as an operator sees it.

    Attributes:
        code: Fault code as published, or the words of the status line.
        places: Where it is displayed.
        meaning: What happened.
        effect: What the table can and cannot do meanwhile.
        remedy: What to do, as commands or acts.
    """

    code: str
    places: tuple[Place, ...]
    meaning: str
    effect: str
    remedy: str


ALARMS: Final = (
    Alarm(
        "acl_denied", ("status", "log"),
        "The broker refuses a topic that this half must publish or read.",
        "Rows wait in the journal; dealing is withheld while the judge does not receive them.",
        "Compare the broker's ACL with the shipped one. pitwarden doctor names the topic; where each half has a login "
        "of its own, add --only.",
    ),
    Alarm(
        "message_too_large", ("status", "log"),
        "The broker takes no message as long as a row of this table; the log names row, length and limit.",
        "That row and all after it wait in the journal; dealing is withheld.",
        "Raise max_packet_size or message_size_limit of mosquitto to 131072 at least, then restart the broker.",
    ),
    Alarm(
        "certificate_ended", ("status",),
        "A certificate of the broker connection is no longer valid.",
        "The connection cannot be opened again after it is lost.",
        "Renew the certificate that is named, then systemctl reload the service.",
    ),
    Alarm(
        "certificate_ends", ("status",),
        "A certificate of the broker connection ends within 30, 7 or 1 days.",
        "None yet.",
        "Renew the certificate that is named, then systemctl reload the service.",
    ),
    Alarm(
        "certificates", ("status",),
        "The judge half reports one or more certificates that end soon or have ended; the detail names them.",
        "As for certificate_ends and certificate_ended.",
        "Renew the certificates that are named, then systemctl reload the service.",
    ),
    Alarm(
        "client_id_conflict", ("status", "log"),
        "A second run of this half is online: usually a second controller with the same table file.",
        "Each publishes its status over the other's; dealing is withheld until the decks are verified.",
        "Stop one of the two controllers.",
    ),
    Alarm(
        "clock_implausible", ("status",),
        "The controller's clock is more than a day from the time that must have passed since the rows before.",
        "Rows continue in the time that has passed, marked as not synchronized, and so do the gaming days. Nothing is "
        "deleted by its age. Encrypted connections may be refused.",
        "Correct the time server or the clock: timedatectl status. If the clock is right, restart the service, which "
        "accepts up to 366 days. Beyond that, store the journals as evidence and begin new ones.",
    ),
    Alarm(
        "database_lost", ("status",),
        "The database of a group of judges does not answer.",
        "Verdicts wait until it does. The table stores its events, and dealing is withheld when the permit ends.",
        "Restore the database or its standby, and read the reason in the system journal. Judging resumes by itself.",
    ),
    Alarm(
        "forked", ("log",),
        "The log does not continue the one that the judge knows.",
        "Dealing is withheld until the decks are verified.",
        "Verify the decks (ft.deck_verified). Find out which disk or backup was used.",
    ),
    Alarm(
        "journal_damaged", ("status", "log"),
        "A journal was damaged: it was set aside at the start, or damage was found in one that is in use.",
        "A new journal was begun, or judging ends until the restart. Dealing is withheld until the decks are verified.",
        "For a journal in use, restart the service, which sets it aside. Copy *.damaged-* and the salvaged folder to "
        "the evidence store. Verify the decks (ft.deck_verified).",
    ),
    Alarm(
        "journal_full", ("status", "log"),
        "The disk of the journal is full.",
        "No rows are numbered and no events acknowledged; the devices store their events, and no event is lost.",
        "Free space on the disk. The service continues by itself.",
    ),
    Alarm(
        "journal_refuses", ("status",),
        "The journal cannot be written, for another reason than a full disk.",
        "No rows are numbered and no events acknowledged; the devices store their events, and no event is lost.",
        "Read the reason in the system journal and repair the disk or its permissions.",
    ),
    Alarm(
        "log_forked", ("status",),
        "The log on this disk is not the one that the judge knows: another disk, or a restored backup.",
        "Dealing is withheld until the decks are verified.",
        "Verify the decks (ft.deck_verified). Find out which disk or backup was used.",
    ),
    Alarm(
        "queue_overflow", ("log",),
        "More events arrived than the log could accept, and their source cannot repeat them.",
        "The row counts the lost events; dealing is withheld until the decks are verified.",
        "Verify the decks (ft.deck_verified). Report the load and the device that caused it.",
    ),
    Alarm(
        "row_unreadable", ("log",),
        "A stored row could not be read back for a replay.",
        "Consumers do not receive that row; dealing is withheld until the decks are verified.",
        "Run pitwarden journal verify. Restart the service, which sets a damaged journal aside. Verify the decks.",
    ),
    Alarm(
        "rules_diverged", ("status",),
        "The rules of this version would have published something else than the version that judged the rows.",
        "The published outputs remain as they are.",
        "Keep both versions and inform compliance.",
    ),
    Alarm(
        "snapshot_too_large", ("status",),
        "The judge's state does not fit the constant size of a snapshot, for example with many irregularities open.",
        "Judging continues. A restart takes longer, since it evaluates from the previous snapshot.",
        "Clear the open irregularities of the table.",
    ),
    Alarm(
        "BROKER LOST", ("status line",),
        "The half has no connection to the broker.",
        "The log continues; dealing is withheld.",
        "pitwarden doctor; systemctl status mosquitto",
    ),
    Alarm(
        "NOT JUDGED YET", ("status line",),
        "The judge half evaluates its journal again, after an upgrade for a long time.",
        "Events are logged; dealing is withheld and status/judge stays offline.",
        "Wait while the count of rows grows.",
    ),
    Alarm(
        "NOT ALIVE", ("status line",),
        "A component of the service has not progressed since the last check.",
        "systemd restarts the service within 30 s.",
        "Save the output of journalctl -u and report it.",
    ),
    Alarm(
        "RELOAD REFUSED", ("status line",),
        "The table file was invalid at a reload.",
        "The previous settings remain in force.",
        "pitwarden check-config names the line and the key.",
    ),
    Alarm(
        "RESTART NEEDED", ("status line",),
        "A reload changed settings that only a restart applies.",
        "The previous values of these settings remain in force.",
        "Restart the service when the table is closed.",
    ),
    Alarm(
        "METRICS NOT SERVED", ("status line",),
        "The socket or port of the metrics cannot be opened.",
        "Judging continues; no alert is raised from metrics.",
        "Read the reason in the system journal; pitwarden doctor",
    ),
    Alarm(
        "78", ("exit code",),
        "The configuration, a key, or a journal of a newer version was rejected. systemd does not restart the service.",
        "The table does not run.",
        "Read the reason with journalctl -u, correct it, then systemctl start the service.",
    ),
)  # fmt: skip
"""Every alarm, codes before status lines."""


def remedy_of(fault: str) -> str:
    """Return the remedy of a fault as a status publishes it: a code, with or without a detail behind a colon."""
    code = fault.partition(":")[0]
    return next((alarm.remedy for alarm in ALARMS if alarm.code == code), "")

"""The system journal has one line for each change at a table, and nothing of a card."""

import json
from collections import Counter

from pitwarden_client.events.codec import decode
from pitwarden_client.events.device import DeviceHealth, DeviceIdentified
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.outputs import Duty, Irregularity
from pitwarden_client.events.table import EpochOpened, JudgeAnnounced, PermitApplied
from pitwarden_client.events.topics import Topics
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_tools.simulation.halves import SITE
from testkit.simulated_service.night import SimulatedNightPlan, play

TOPICS = Topics(SITE, TAB_SHIELDED.table)
LINES = {
    "device": DeviceHealth, "device identified": DeviceIdentified, "permit": PermitApplied, "epoch opened": EpochOpened,
    "judge announced": JudgeAnnounced, "irregularity": Irregularity, "duty": Duty,
}  # fmt: skip


def test_each_change_has_one_line_with_its_table() -> None:
    stray = next(fault for fault in load_faults() if fault.name == "stray_ten" and fault.table == TAB_SHIELDED.table)
    night = play(SimulatedNightPlan(TAB_SHIELDED, "1", 1, (stray,))).observed
    written = [json.loads(seen.text) for seen in night.stream if seen.what == "log"]
    lines = Counter(line["event"] for line in written)
    rows = {row.tableseq: row.data for row in (decode(LogEvent, body) for body in night.bodies)}
    topics = {TOPICS.irregularities, TOPICS.reveals}
    said = {
        event.outputseq: event.data
        for event in (decode(OutputEvent, body) for topic, body in night.raw if topic in topics)
    }
    for words, kind in LINES.items():
        changes = sum(isinstance(data, kind) for data in (*rows.values(), *said.values()))
        assert lines[words] == changes, words
    assert lines["irregularity"] > 1
    assert {line["table"] for line in written if line["event"] in LINES} == {f"{SITE}/{TAB_SHIELDED.table}"}
    assert not [line for line in written if "face" in line or "slot" in line]
    opened = [line for line in written if line["event"] == "irregularity" and line["catalogue"] == "TAB-37"]
    assert (opened[0]["level"], opened[0]["status"], opened[0]["clauses"]) == ("warning", "open", "13:69F-36.14(b)")
    assert opened[-1]["status"] == "cleared"

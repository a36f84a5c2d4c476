"""A night on simulated time with a shoe that the judge may lock; both halves, the driver and the device are real."""

from pitwarden_client.events.codec import decode
from pitwarden_client.events.device import DeviceCommand, ShoeCard
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import CommandRefused, PermitApplied
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.simulated_service.night import SimulatedNightPlan, play

HOLDS = {"stray_ten", "wrong_count"}
FAULTS = tuple(fault for fault in load_faults() if fault.table == TAB_SHIELDED.table and fault.name in HOLDS)


def steps() -> list[str]:
    """Locks, permits, rounds and cards in the order of the log."""
    said = []
    for body in play(SimulatedNightPlan(TAB_SHIELDED, "3", 3, FAULTS, locks=True)).observed.bodies:
        data = decode(LogEvent, body).data
        match data:
            case DeviceCommand():
                said.append(f"{data.command} {data.outcome}")
            case PermitApplied():
                said.append("granted" if data.granted else "withheld")
            case ShoeCard():
                said.append("card")
            case InputLogged() if data.act.act in {"kp.boxes", "kp.round_end"}:
                said.append(data.act.act)
            case CommandRefused():
                said.append(f"refused {data.reason}")
            case _:
                pass
    return said


def test_it_is_locked_between_rounds_only_and_open_whenever_a_card_is_drawn() -> None:
    said = steps()
    assert said[0] == "lock done"
    assert not {step for step in said if step.startswith("refused")}
    locked, in_round, locks = False, False, 0
    for step in said:
        in_round = (in_round or step == "kp.boxes") and step != "kp.round_end"
        if step == "lock done":
            assert not in_round
            locks += 1
        locked = step == "lock done" or (locked and step != "unlock done")
        assert not (locked and step in {"card", "kp.boxes"}), step
    assert locks > 1
    assert not locked

"""Devices that break one obligation each: an honest simulated device with a defect, or with a bad memory."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from pitwarden_drivers.tdp.frames_device import BacklogFrame, EventFrame, HeartbeatFrame, IdentityFrame, ReplyFrame
from pitwarden_drivers.tdp.frames_host import AckFrame, CommandFrame
from pitwarden_drivers.tdp.frames_list import ListBeginFrame
from pitwarden_simulators.conformance import defects as s
from pitwarden_simulators.conformance import defects_with_memory as m
from pitwarden_simulators.conformance.bad_memory import AmnesiacMemory, SameBootMemory, SmallMemory, UnlatchedMemory
from pitwarden_simulators.conformance.defect import Defect, every
from pitwarden_simulators.devices.memory import Memory

_SHUFFLER: Final = 0x20
_SMALL_BUFFER: Final = 256

DEFECTS: Final[Mapping[str, tuple[str, Callable[[], Defect], type[Memory]]]] = MappingProxyType(
    {
        "old_token": ("4 Identify: token", lambda: s.field(IdentityFrame, "token", lambda _: 1), Memory),
        "plain_xon": ("2 Frames: escaping", lambda: Defect(bytes_out=s.unescaped), Memory),
        "chatty": ("2 Frames: whole", lambda: Defect(bytes_out=s.chatty), Memory),
        "noise_deaf": ("2 Frames: noise", lambda: Defect(bytes_in=s.deaf_to_noise), Memory),
        "no_crc": ("2 Frames: CRC", lambda: Defect(bytes_in=s.crc_mended), Memory),
        "short_buffer": ("2 Frames: full speed", lambda: Defect(bytes_in=lambda data: data[:_SMALL_BUFFER]), Memory),
        "changing": ("5 Identity: steady", m.changing, Memory),
        "slow_heart": ("5 Heartbeat: period", m.thirds, Memory),
        "seconds": ("5 Heartbeat: clock", lambda: s.field(IdentityFrame, "clock", lambda ms: ms // 1_000 + 1), Memory),
        "impatient": ("4 Identify: silence", m.impatient, Memory),
        "triple_newest": ("5 Identity: newest", lambda: s.field(IdentityFrame, "newest", lambda n: 3 * n), Memory),
        "boastful": ("5 Heartbeat: sent and oldest", lambda: s.field(HeartbeatFrame, "sent", lambda n: n + 9), Memory),
        "holes": ("4 Resume: order", lambda: Defect(outward=every(EventFrame, s.hole)), Memory),
        "foreign": (
            "6 Events: kinds", lambda: s.field(EventFrame, "kind", lambda kind: 0x31 if kind > _SHUFFLER else 0x21),
            Memory,
        ),
        "bad_stacks": ("7 Lists: stacks", lambda: s.field(ListBeginFrame, "crc", lambda crc: crc ^ 1), Memory),
        "sleepy": ("4 Resume: live", m.sleepy, Memory),
        "repeating": ("1.5 No repetition", m.repeating, Memory),
        "first_resume_wins": ("4 Resume: replaced", m.first_resume_wins, Memory),
        "knows_all": ("5 Backlog: unknown boot", lambda: s.field(BacklogFrame, "first", lambda n: n or 1), Memory),
        "forgets_for_any_ack": ("4 Ack: unknown boot", m.acks_all, Memory),
        "never_forgets": ("4 Ack: forgets", lambda: Defect(every(AckFrame, s.dropped)), Memory),
        "small_memory": ("5 Memory: 64 events", Defect, SmallMemory),
        "mute": ("8 Commands: reply", lambda: Defect(outward=every(ReplyFrame, s.dropped)), Memory),
        "once_only": ("8 Commands: repeated", m.once_only, Memory),
        "obeys_all": ("8 Commands: unknown code", lambda: s.field(ReplyFrame, "result", lambda n: n * (n > 1)), Memory),
        "timeless": ("8 Commands: too late", lambda: Defect(every(CommandFrame, s.late_commands)), Memory),
        "reply_first": ("8 Commands: report count", m.reply_first, Memory),
        "same_boot": ("3 Boot id: restart", Defect, SameBootMemory),
        "amnesiac": ("3 Boot id: restart", Defect, AmnesiacMemory),
        "unlatched": ("5 Faults: latched", Defect, UnlatchedMemory),
    }
)  # fmt: skip
"""Defective devices by name: the broken clause, the defect, and the memory."""

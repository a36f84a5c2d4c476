"""Clock that tests set."""

from pitwarden.system.clock import UtcReading


class FakeClock:
    """Clock that starts at one second of monotonic time and at 2026-11-28 08:00 UTC."""

    def __init__(self, mono: int = 1_000, utc_ms: int = 1_795_852_800_000) -> None:
        self.mono = mono
        self.utc_now = utc_ms
        self.synchronised = True
        self.boot = "a" * 32

    def mono_ms(self) -> int:
        return self.mono

    def utc(self) -> UtcReading:
        return UtcReading(self.utc_now, self.synchronised, 3)

    def boot_id(self) -> str:
        return self.boot

    def pass_ms(self, ms: int) -> None:
        self.mono += ms
        self.utc_now += ms

"""What one turn of the dialogue gathers: frames to send, reports to make, and the tally of what was thrown away."""

from dataclasses import replace

from pitwarden_drivers.api import LineStats, Report, Said, Turn
from pitwarden_drivers.tdp.wire import Frame, encode


class Outbox:
    """Filled while the dialogue listens, emptied into a Turn."""

    def __init__(self) -> None:
        self.stats = LineStats()
        self._frames: list[Frame] = []
        self._reports: list[Report] = []

    def send(self, frame: Frame) -> None:
        """`frame` goes to the device."""
        self._frames.append(frame)

    def report(self, boot: int, counter: int, said: Said) -> None:
        """`said` goes to the log."""
        self._reports.append(Report(boot, counter, said))

    def turn(self, wake_at: int | None) -> Turn:
        """All that was gathered since the last turn."""
        turn = Turn(encode(*self._frames) if self._frames else b"", tuple(self._reports), wake_at)
        self._frames.clear()
        self._reports.clear()
        return turn

    def rejected(self, size: int = 0) -> None:
        """A frame was no frame, or not what its type says; `size` is what it took on the wire if it was noise."""
        stats = self.stats
        self.stats = replace(stats, frames_rejected=stats.frames_rejected + 1, bytes_dropped=stats.bytes_dropped + size)

    def unsynchronised(self, size: int) -> None:
        """Bytes came before the device was identified."""
        self.stats = replace(self.stats, before_sync=self.stats.before_sync + size)

    def stray(self) -> None:
        """Something answered no question of ours."""
        self.stats = replace(self.stats, stray_replies=self.stats.stray_replies + 1)

    def duplicate(self) -> None:
        """An event came again."""
        self.stats = replace(self.stats, duplicates=self.stats.duplicates + 1)

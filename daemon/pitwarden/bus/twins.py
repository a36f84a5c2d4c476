"""Detection of a second half of the same table, by the run that its retained status names.

Client ids have an unguessable part, so nobody can end a session of ours, and two controllers with one table file do not
end each other's either. Both publish the same status, and each corrects what the other published.

Threat: a cloned controller; and a short session or a foreign will, which are no proof of one.
"""

from collections.abc import Callable
from typing import Final

from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.status import PartStatus

# Runs that are remembered. Each is a running service with this table's login; more than two are a mistake of set-up.
MOST_TWINS: Final = 16


class TwinDetector:
    """Detector of other runs that are online. `on_twin` receives a sentence, `on_alone` is called when none is left."""

    def __init__(self, run: str, on_twin: Callable[[str], None], on_alone: Callable[[], None]) -> None:
        self._run, self._on_twin, self._on_alone = run, on_twin, on_alone
        self._twins: set[str] = set()

    def heard(self, payload: bytes) -> None:
        """Handle a status that was published now on our topic: not one that the broker had retained."""
        try:
            status = decode(PartStatus, payload)
        except BadPayloadError:
            return
        if status.run == self._run:
            return
        if not status.online:
            if status.run in self._twins:
                self._twins.remove(status.run)
                if not self._twins:
                    self._on_alone()
        elif status.run not in self._twins and len(self._twins) < MOST_TWINS:
            self._twins.add(status.run)
            self._on_twin(f"run {status.run} says that it is this half, and so does run {self._run}, which is ours")

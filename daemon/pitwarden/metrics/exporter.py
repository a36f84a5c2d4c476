"""The metrics of one run of the service, where the table file wants them served."""

from pitwarden.config.models import Metrics
from pitwarden.metrics.meter import Meter
from pitwarden.metrics.server import Guarded, Local, MetricsServer


def place_of(metrics: Metrics, only: str | None = None) -> Local | Guarded | None:
    """Where `[metrics]` says; halves that run apart have a socket each: the half's name is put behind its own."""
    if metrics.socket is not None:
        return Local(metrics.socket if only is None else metrics.socket.with_name(f"{metrics.socket.name}.{only}"))
    host, port, cert, key, readers = metrics.host, metrics.port, metrics.cert, metrics.key, metrics.client_ca
    if host is None or port is None or cert is None or key is None or readers is None:
        return None
    return Guarded(host, port, cert, key, readers)


class Exporter:
    """Serves `meter` if the table file has a section `[metrics]`; `only`: the one half that this process runs."""

    def __init__(self, metrics: Metrics | None, only: str | None, meter: Meter) -> None:
        place = None if metrics is None else place_of(metrics, only)
        self._server = None if place is None else MetricsServer(place, meter.text)

    def reopen(self) -> None:
        """Reads the certificates anew."""
        if self._server is not None:
            self._server.reopen()

    def shown(self) -> list[str]:
        """What a person has to know of it."""
        return [] if self._server is None or not self._server.trouble else ["METRICS NOT SERVED: see the log"]

    async def run(self) -> None:
        """Serves for ever, or has nothing to do."""
        if self._server is not None:
            await self._server.run()

"""Metrics as Prometheus' own parser reads them."""

import asyncio
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from pitwarden.metrics.families import MetricFamily


class Samples:
    """Samples by name and by their labels' values."""

    def __init__(self, text: str) -> None:
        self._found = {
            frozenset((sample.name, *sample.labels.values())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def of(self, *words: str) -> float:
        """Return the sample of this name, with labels of these values.

        Raises:
            KeyError: There is none.
        """
        return self._found[frozenset(words)]

    def has(self, family: MetricFamily) -> bool:
        """Return whether there is a sample of the family."""
        return any(not key.isdisjoint(family.samples) for key in self._found)

    def values(self, family: MetricFamily) -> dict[frozenset[str], float]:
        """Return all samples of a family without buckets, by their labels' values."""
        return {key - {family.name}: value for key, value in self._found.items() if family.name in key}


async def samples_at(socket: Path) -> Samples:
    """Return the metrics that a process serves at this socket."""
    reader, writer = await asyncio.open_unix_connection(socket)
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = await reader.read()
    writer.close()
    return Samples(answer.decode().split("\r\n\r\n", 1)[1])

"""Counters of the kernel for the bytes that this process read."""

from pathlib import Path


def bytes_read() -> int:
    """Return how many bytes this process has read so far, from files, pipes and sockets alike."""
    return int(Path("/proc/self/io").read_text().split()[1])

"""Secrecy: seals, commitments, signed rows, key files, sealed snapshots. Nothing here does network I/O."""

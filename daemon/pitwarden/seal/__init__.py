"""Secrecy: seals, commitments, signed rows, key files, sealed snapshots. No network I/O."""

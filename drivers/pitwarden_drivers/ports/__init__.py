"""Ports: the only package of the drivers that awaits I/O."""

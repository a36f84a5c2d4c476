"""Ports of the machine: pseudo-terminals, USB buses in memory, trees that look like /sys and /dev."""

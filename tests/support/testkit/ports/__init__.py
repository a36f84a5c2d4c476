"""Ports of the machine: pseudo-terminals, USB buses in memory, trees with the form of /sys and /dev."""

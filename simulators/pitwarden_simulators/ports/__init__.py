"""Ports of simulated devices."""

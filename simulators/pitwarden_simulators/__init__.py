"""Simulated devices, a simulated table, and the demo."""

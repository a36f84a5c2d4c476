"""Benchmarks: the cost of the service against that of broker, disk and line alone.

Figures are ratios within one run.
"""

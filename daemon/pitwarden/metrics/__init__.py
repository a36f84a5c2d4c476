"""Metrics of the service, for Prometheus. None depends on a hidden card."""

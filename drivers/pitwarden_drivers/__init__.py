"""Device drivers: bytes to reports, without I/O outside ports."""

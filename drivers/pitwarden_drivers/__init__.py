"""Device drivers: they turn bytes into reports. I/O happens in `ports` alone."""

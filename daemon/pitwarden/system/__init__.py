"""Process services below all other packages: clocks, logging, service manager, background tasks."""

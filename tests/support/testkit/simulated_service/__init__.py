"""Both real halves of the service in one process on simulated time."""

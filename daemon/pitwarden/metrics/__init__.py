"""What the service counts and measures, for Prometheus. Nothing in it depends on a card that is hidden."""

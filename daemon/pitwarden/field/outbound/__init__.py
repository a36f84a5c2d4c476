"""What a field half publishes: row delivery, replay, retained status."""

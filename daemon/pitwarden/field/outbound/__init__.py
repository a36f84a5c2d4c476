"""Publications of a field half: row delivery, replay, retained status."""

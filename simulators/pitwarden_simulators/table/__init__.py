"""A simulated table: dealer, floor, supervisor, players."""

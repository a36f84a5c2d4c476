"""What the pages show of a table: its state, what is open, and whether any of it is live."""

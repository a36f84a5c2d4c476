"""What public cards make of a wager: pure functions of faces, and the pay tables that a table may have."""

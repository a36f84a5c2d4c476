"""What is wrong with a table controller, why it matters, and the command that mends it."""

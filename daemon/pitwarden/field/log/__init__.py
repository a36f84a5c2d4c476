"""The log of one table: sequence, rows, epochs, permit, retention."""

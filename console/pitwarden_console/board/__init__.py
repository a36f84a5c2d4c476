"""View models of tables: the state, what is open, and whether any of it is live."""

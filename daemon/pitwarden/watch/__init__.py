"""View of a table in a terminal: its stream as text, and a screen built from published messages only."""

"""Reader's side of a table's log: rows parsed, put in order, and compared with their ancestry. No I/O."""

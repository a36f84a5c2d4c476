"""One table's log at its receiving end: rows, their order and their ancestry. No I/O."""

"""Receiving end of one table's log: rows, their order and their ancestry. No I/O."""

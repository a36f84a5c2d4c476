"""SQLite journals: the log of a field half and the record of a judge, committed off the event loop."""

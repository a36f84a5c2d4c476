"""What survives a kill: the field half's log and the judge's record, in SQLite, off the event loop."""

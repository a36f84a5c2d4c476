"""A second opinion: what the regulations say to a sequence of events, written from them alone. It shares no code."""

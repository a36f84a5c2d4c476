"""Device runners of a field half: connection loops, dialogues, intake of reports."""

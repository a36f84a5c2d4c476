"""Night without real time: real dialogues over an in-memory pipe, a simulated clock, a log in a list."""

"""How one log row changes the state: one file per speaker. Nothing here judges; checks do."""

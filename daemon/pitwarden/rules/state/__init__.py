"""State records of the rules core: immutable values that one log row turns into the next."""

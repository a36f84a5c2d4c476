"""Documents as tests read them: blocks of commands, and wording."""

"""Extensions of pytest: which tests a run leaves out, and what a full run demands."""

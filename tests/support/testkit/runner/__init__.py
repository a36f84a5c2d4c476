"""Extensions of pytest: selection of tests, and the demands of a full run."""

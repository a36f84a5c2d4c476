"""Table file: strict models, loading, and problems with their place. Nothing is guessed."""

"""Card ledger: the number of cards of each deck in each place, never their ranks."""

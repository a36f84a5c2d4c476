"""What the tests fake, grouped by the thing that is faked: one package for each."""

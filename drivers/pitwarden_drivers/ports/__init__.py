"""Where bytes come from: the only rooms here that await."""

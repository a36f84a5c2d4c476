"""The rules core: pure, total, deterministic."""

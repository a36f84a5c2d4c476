"""Gates that accept or refuse terminal inputs and device commands."""

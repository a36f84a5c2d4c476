"""Engineering tools: what measures pitwarden or attacks it. Not in the wheel, and not a technician's commands."""

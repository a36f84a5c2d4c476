"""Engineering tools: they measure or attack pitwarden itself. Not in the wheel, not among the technician's commands."""

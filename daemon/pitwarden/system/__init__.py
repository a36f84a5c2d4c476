"""Process services below everything else: clocks, logging, back-off, background tasks."""

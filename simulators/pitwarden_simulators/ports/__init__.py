"""Where simulated devices are plugged in."""

"""Session kit: a driver's dialogue with a simulated device over a bad line, and a report by obligation."""

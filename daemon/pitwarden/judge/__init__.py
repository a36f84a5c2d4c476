"""The judge half: the log from MQTT to verdicts."""

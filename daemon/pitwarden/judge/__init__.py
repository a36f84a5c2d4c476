"""Judge half: from the log on MQTT to verdicts."""

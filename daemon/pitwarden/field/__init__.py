"""Field half: from devices and terminals to the table's log, and from the log to MQTT."""

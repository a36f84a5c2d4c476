"""The field half: devices and terminals to the table's log to MQTT."""

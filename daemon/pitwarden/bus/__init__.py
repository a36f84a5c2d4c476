"""The bus: a lean MQTT 5 link with one reconnect loop, and the two ends of a log that crosses it without loss."""

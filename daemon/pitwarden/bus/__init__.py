"""MQTT 5 link with one reconnect loop, and the sender and replay source of a log that crosses it without loss."""

"""The link over MQTT: in order, once, and nothing lost."""

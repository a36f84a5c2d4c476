"""Contract for developers of MQTT consumers: channels, messages and schemas, generated from the models."""

"""What a developer of an MQTT consumer works from: channels, messages and schemas, generated from the models."""

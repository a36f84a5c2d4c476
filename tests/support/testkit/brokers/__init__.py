"""MQTT brokers: real ones, configured as shipped, in memory; and clients in the care of a test."""

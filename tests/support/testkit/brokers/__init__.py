"""MQTT brokers for tests: a real mosquitto, one configured as shipped, one in memory; and clients."""

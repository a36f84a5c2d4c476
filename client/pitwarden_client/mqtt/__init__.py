"""A consumer's connection to the broker: settings, errors, and the link, on the public interface of aiomqtt."""

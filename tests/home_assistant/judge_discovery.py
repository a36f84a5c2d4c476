"""Judges discovery messages with Home Assistant's own schemas; runs with the Python of get_home_assistant.sh.

Each line of standard input is `{"topic", "config", "samples"}`; each sample is a pair of a template of `config` and the
values that it reads. Prints for each line the schema's error, empty for none, and what each template returns, as JSON.
"""

import json
import sys

import voluptuous
from homeassistant.components.mqtt import binary_sensor, sensor
from homeassistant.helpers.template import TemplateEnvironment

SCHEMAS = {"binary_sensor": binary_sensor.DISCOVERY_SCHEMA, "sensor": sensor.DISCOVERY_SCHEMA}

templates = TemplateEnvironment(None)
for line in sys.stdin:
    asked = json.loads(line)
    _, component, _, last = asked["topic"].split("/")
    error = "" if last == "config" else "no topic of the discovery"
    try:
        SCHEMAS[component](asked["config"])
    except voluptuous.Invalid as invalid:
        error = str(invalid)
    shown = [templates.from_string(template).render(**values).strip() for template, values in asked["samples"]]
    print(json.dumps({"error": error, "shown": shown}))  # noqa: T201  the answer

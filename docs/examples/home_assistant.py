"""Bridge to Home Assistant: its MQTT discovery is told where each table of a site publishes, so it needs no other part.

pip install aiomqtt
python home_assistant.py BROKER PORT SITE

Home Assistant uses the same broker, with a login that may read the tables. This program writes `homeassistant/#` only.
A table becomes a device with a sensor (last irregularity) and binary sensors: dealing withheld, each device lost.
"""

import asyncio
import json
import logging
import sys

import aiomqtt

RETRY_S = 5.0
log = logging.getLogger("home-assistant")


def entities(site: str, table: str, device: str | None = None) -> dict[str, dict[str, object]]:
    """Return the discovery messages of a table, or of one of its devices, by topic."""
    root, name = f"pitwarden/v1/{site}/{table}", f"pitwarden_{site}_{table}"
    online = "{{ 'online' if value_json.online else 'offline' }}"
    halves = ("field",) if device else ("field", "judge")
    common: dict[str, object] = {
        "availability": [{"topic": f"{root}/status/{half}", "value_template": online} for half in halves],
        "availability_mode": "all",
        "device": {"identifiers": [name], "name": f"Table {table}", "manufacturer": "pitwarden"},
        "origin": {"name": "pitwarden"},
        "qos": 1,
    }
    if device is not None:
        lost = {
            "name": f"{device} lost", "unique_id": f"{name}_{device}_lost", "device_class": "problem",
            "state_topic": f"{root}/devices/{device}/status",
            "value_template": "{{ 'OFF' if value_json.state == 'online' else 'ON' }}",
        }  # fmt: skip
        return {f"homeassistant/binary_sensor/{name}_{device}_lost/config": {**common, **lost}}
    withheld = {
        "name": "dealing withheld", "unique_id": f"{name}_withheld", "device_class": "problem",
        "state_topic": f"{root}/state",
        "value_template": "{{ 'OFF' if value_json.permit.granted else 'ON' }}",
    }  # fmt: skip
    last = {
        "name": "last irregularity", "unique_id": f"{name}_irregularity", "icon": "mdi:cards-playing-outline",
        "state_topic": f"{root}/irregularities",
        # Duties and notices come on the same topic: the sensor stays as it is. A state has at most 255 characters.
        "value_template": "{% if value_json.data.kind == 'irregularity' %}"
        "{{ (value_json.data.catalogue ~ ' ' ~ value_json.data.status ~ ': ' ~ value_json.data.sentence)[:255] }}"
        "{% else %}{{ this.state }}{% endif %}",
    }  # fmt: skip
    return {
        f"homeassistant/binary_sensor/{name}_withheld/config": {**common, **withheld},
        f"homeassistant/sensor/{name}_irregularity/config": {**common, **last},
    }


async def announce(client: aiomqtt.Client, site: str) -> None:
    """Announce every table and device that has a retained status, and withdraw those whose status is deleted."""
    tables, devices = f"pitwarden/v1/{site}/+/status/field", f"pitwarden/v1/{site}/+/devices/+/status"
    await client.subscribe([(tables, 1), (devices, 1)])
    async for message in client.messages:
        _, _, _, table, *rest = message.topic.value.split("/")
        device = rest[1] if rest[0] == "devices" else None
        for topic, config in entities(site, table, device).items():
            payload = json.dumps(config) if message.payload else ""  # an empty message deletes the entity
            await client.publish(topic, payload, qos=1, retain=True)


async def main(host: str, port: int, site: str) -> None:
    """Keep the announcements up to date until the program is stopped."""
    while True:
        try:
            async with aiomqtt.Client(host, port, identifier=f"home-assistant-{site}") as client:
                await announce(client, site)
        except aiomqtt.MqttError as error:
            log.warning("no broker: %s", error)
            await asyncio.sleep(RETRY_S)


if __name__ == "__main__":
    logging.basicConfig(format="%(name)s: %(message)s")
    if len(sys.argv) != 4:  # noqa: PLR2004  as the usage states
        sys.exit("usage: home_assistant.py BROKER PORT SITE")
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))

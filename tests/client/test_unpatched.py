"""A consumer's process is its own: the client replaces no name of a library, private or public, in whatever state."""

import subprocess
import sys
from pathlib import Path

import pytest

from testkit.brokers.mosquitto import MosquittoBroker

SCRIPT = """
import asyncio, importlib, logging, sys

import aiomqtt, aiomqtt.client, aiomqtt.exceptions, aiomqtt.message, aiomqtt.topic
import nacl.bindings, nacl.exceptions, nacl.signing
import paho.mqtt, paho.mqtt._packet, paho.mqtt.client, paho.mqtt.properties, paho.mqtt.reasoncodes
import paho.mqtt.packettypes, paho.mqtt.subscribeoptions
import pydantic


def names():
    libraries = [m for n, m in sorted(sys.modules.items()) if n.split(".")[0] in {"aiomqtt", "paho", "nacl"}]
    found = {}
    for module in libraries:
        for name, value in vars(module).items():
            if name.startswith("__"):
                continue
            found[module.__name__, name] = id(value)
            if isinstance(value, type) and value.__module__.split(".")[0] in {"aiomqtt", "paho", "nacl"}:
                for member, held in vars(value).items():
                    if not member.startswith("__"):
                        found[module.__name__, name, member] = id(held)
    return found


def changed(before, when):
    after = names()
    differing = sorted(map(str, (key for key in before if after.get(key) != before[key])))
    assert not differing, f"{when}: {differing}"


before = names()
assert len(before) > 500
from pitwarden_client import BrokerSettings, ConsumerConfig, connect
changed(before, "after the import")


async def main():
    consumer = ConsumerConfig(BrokerSettings("127.0.0.1", int(sys.argv[1])), "silent", "cb-auto", "pit")
    up = asyncio.Event()
    async with connect(consumer, up.set) as table:
        while table.now.link_fault:
            await asyncio.wait_for(up.wait(), 60)
            up.clear()
        changed(before, "while connected")
    changed(before, "after the connection")


asyncio.run(main())
assert not [name for name in sys.modules if name.partition(".")[0] in {"pitwarden", "pitwarden_drivers"}]
print("nothing changed")
"""


@pytest.mark.broker
def test_neither_import_nor_connection_replaces_a_name_of_a_library(broker: MosquittoBroker) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(broker.port)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("nothing changed\n", "", 0)


def test_the_package_loads_no_mqtt_library_before_a_public_name_is_used() -> None:
    script = (
        "import sys, pitwarden_client.chain.receiver, pitwarden_client.verification.signed_rows\n"
        "print(sorted({'aiomqtt', 'paho'} & set(sys.modules)))\n"
        "import pitwarden_client\n"
        "pitwarden_client.connect\n"
        "print(sorted({'aiomqtt', 'paho'} & set(sys.modules)), hasattr(pitwarden_client, 'no_such_name'))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n['aiomqtt', 'paho'] False\n"


def test_the_service_s_patch_would_be_seen(tmp_path: Path) -> None:
    patching = "import pitwarden.bus.paho_loop\nfrom pitwarden_client import"
    spoiled = SCRIPT.replace("from pitwarden_client import", patching)
    script = tmp_path / "spoiled.py"
    script.write_text(spoiled)
    done = subprocess.run([sys.executable, str(script), "1"], capture_output=True, text=True, check=False)
    assert "('paho.mqtt._packet', 'Properties')" in done.stderr

"""Packets whose properties are read with shared tables are what the library itself reads."""

import pytest
from paho.mqtt import MQTTException, _packet
from paho.mqtt.enums import MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from pitwarden.bus.paho_loop import KnownProperties, use_known_properties


def test_a_property_of_one_packet_is_no_property_of_the_next() -> None:
    use_known_properties()
    said = Properties(PacketTypes.PUBLISH)
    said.UserProperty = ("site", "ac1")
    said.ContentType = "application/cloudevents+json"
    first, second = _read(said.pack()), _read(b"\x00")
    assert isinstance(first, KnownProperties)
    assert first.json() == said.json()
    assert second.json() == Properties(PacketTypes.PUBLISH).json() == {}


def test_a_property_that_the_packet_cannot_have_is_refused_as_before() -> None:
    use_known_properties()
    one = KnownProperties(PacketTypes.PUBACK)
    one.ReasonString = "no"
    assert one.json() == {"ReasonString": "no"}
    with pytest.raises(MQTTException, match="does not apply"):
        one.TopicAlias = 3


def test_what_was_set_is_gone_when_a_packet_is_read_into_the_same_properties() -> None:
    one = KnownProperties(PacketTypes.PUBLISH)
    one.ContentType = "application/json"
    said = Properties(PacketTypes.PUBLISH)
    said.UserProperty = ("site", "ac1")
    one.unpack(said.pack())
    assert one.json() == said.json()


def _read(properties: bytes) -> Properties:
    packet = _packet.decode_publish(0x32, b"\x00\x01t\x00\x07" + properties + b"body", MQTTProtocolVersion.MQTTv5)
    assert (packet.topic, packet.mid, packet.payload) == (b"t", 7, b"body")
    assert packet.properties is not None
    return packet.properties

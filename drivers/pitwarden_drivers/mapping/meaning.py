"""Events built from the fields of a matched line. A field that is out of range yields no event."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, cast, get_args

from pydantic import ValidationError

from pitwarden_client.events import device as ev
from pitwarden_client.events.base import Record
from pitwarden_client.events.card_faces import parse_face
from pitwarden_drivers.api import PlainCard, PlainStack, Said, Secret

if TYPE_CHECKING:
    from pitwarden_client.events.device import DeviceEvent


Kind = Literal[
    "shoe.card", "shoe.stack", "shoe.cut", "shoe.empty", "shoe.fault", "shoe.loaded", "shoe.unloaded",
    "shuffler.started", "shuffler.done", "shuffler.fault", "reader.hole_placed",
    "device.cover", "device.power", "device.maintenance", "device.meter",
]  # fmt: skip
"""Kinds of event that a line may be. A reader's answer is absent: it must not travel on a line of text."""

FIELDS: Final[Mapping[str, Mapping[str, bool]]] = MappingProxyType(
    {
        "shoe.card": {"card": True, "up": False, "back": False},
        "shoe.stack": {"count": True},
        "shoe.cut": {},
        "shoe.empty": {},
        "shoe.fault": {"fault": True},
        "shoe.loaded": {"deck": True, "count": False},
        "shoe.unloaded": {"count": False},
        "shuffler.started": {"deck": True, "mode": False},
        "shuffler.done": {"deck": True, "count": False, "mode": False},
        "shuffler.fault": {"deck": True, "fault": True, "holding": False},
        "reader.hole_placed": {},
        "device.cover": {"cover": True, "state": True},
        "device.power": {"state": True},
        "device.maintenance": {"state": True},
        "device.meter": {"meter": True, "value": True},
    }
)
"""Fields of each kind, and whether each is required."""

_MODELS: Final[Mapping[str, type[Record]]] = {
    "shoe.cut": ev.ShoeCut, "shoe.empty": ev.ShoeEmpty, "shoe.fault": ev.ShoeFault, "shoe.loaded": ev.ShoeLoaded,
    "shoe.unloaded": ev.ShoeUnloaded, "shuffler.started": ev.ShufflerStarted, "shuffler.done": ev.ShufflerDone,
    "shuffler.fault": ev.ShufflerFault, "reader.hole_placed": ev.ReaderHolePlaced,
    "device.cover": ev.DeviceCover, "device.power": ev.DevicePower, "device.maintenance": ev.DeviceMaintenance,
    "device.meter": ev.DeviceMeter,
}  # fmt: skip
# Characters of a wrong value that a report quotes.
MAX_SHOWN: Final = 40
_NUMBERS: Final = frozenset({"count", "holding", "value"})
_UP: Final = MappingProxyType({"up": True, "down": False})


def allowed_words(kind: Kind, field: str) -> tuple[str, ...]:
    """Return the words that `field` of an event may hold; none when it is not limited to a list."""
    if kind == "shoe.card":
        return tuple(_UP) if field == "up" else ()
    model = _MODELS.get(kind)
    hint = None if model is None or field not in model.model_fields else model.model_fields[field].annotation
    return tuple(word for word in get_args(hint) if isinstance(word, str))


def event_from_fields(kind: Kind, fields: Mapping[str, str | int], *, show_values: bool = False) -> Said:
    """Return the event; a DeviceSuspect when a field is out of range.

    The DeviceSuspect names field and value only with `show_values`: the device carries no faces.
    """
    try:
        if kind == "shoe.card":
            up = str(fields["up"]) if "up" in fields else None
            back = str(fields["back"]) if "back" in fields else None
            return PlainCard(Secret(parse_face(str(fields["card"]))), up=None if up is None else _UP[up], back=back)
        if kind == "shoe.stack":
            return PlainStack(ev.ShoeStack(count=int(fields["count"])).count)
        values = {name: int(value) if name in _NUMBERS else value for name, value in fields.items()}
        made = _MODELS[kind].model_validate(values)
        return cast("DeviceEvent", made)
    except ValidationError as wrong:
        name = str(wrong.errors(include_url=False)[0]["loc"][0])
        return _suspect(kind, {name: fields.get(name, "")} if show_values else {})
    except (ValueError, KeyError):
        return _suspect(kind, {})


def _suspect(kind: Kind, wrong: Mapping[str, str | int]) -> ev.DeviceSuspect:
    """Return the report of an event that cannot be, with the `wrong` fields that may be shown."""
    shown = "".join(f": {name} has the value {str(value)[:MAX_SHOWN]!r}" for name, value in wrong.items())
    return ev.DeviceSuspect(reason=f"a message matched {kind}, but a field of it cannot be{shown}")

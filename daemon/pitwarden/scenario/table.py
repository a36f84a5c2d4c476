"""The table that a header describes, as the rules core wants it."""

from dataclasses import fields
from typing import Final, get_args

from pydantic import TypeAdapter, ValidationError

from pitwarden.rules import DeckSetup, DeviceSetup, Policy, Profile, ProfileError, TableSetup, load_profile
from pitwarden.rules.setup.table_setup import DeviceKind
from pitwarden.scenario.devices import Device
from pitwarden.scenario.errors import ScenarioError, unknown
from pitwarden.scenario.games import games
from pitwarden.scenario.header import Header

_USUAL: Final = {"shuffle_audit": "no"}
"""What scenarios do not say: a macro takes its cards in a fixed order, which no shuffle gives."""


def table_setup(header: Header, file: str) -> TableSetup:
    """The set-up of `header`, its devices taken as fresh and identified; ScenarioError when rules refuse it."""
    try:
        profile = profile_of(header)
        return TableSetup(
            profile=profile,
            positions=_positions(header, profile),
            devices=tuple(_device(device) for device in header.devices),
            decks=tuple(DeckSetup(ident, colour) for ident, colour in header.decks),
            inputs="all" if header.inputs is None else frozenset(header.inputs),
            gaming_day_start=header.day_start_minute,
            mode=header.mode,
            assume_devices=True,
            policy=_policy(header.options),
            rack=header.rack,
            wagers=header.wagers,
            pay=header.pay,
        )
    except ScenarioError as error:
        raise ScenarioError(str(error), file=file) from None


def profile_of(header: Header) -> Profile:
    """The game of `header` as this table plays it; ScenarioError when it is not played so."""
    try:
        return load_profile(games()[header.game].profile, header.in_set, header.without)
    except ProfileError as error:
        raise ScenarioError(str(error)) from None


def _positions(header: Header, profile: Profile) -> int:
    if header.positions not in profile.positions:
        raise ScenarioError(f"{profile.title} has no table of {header.positions} positions")
    return header.positions


def _device(device: Device) -> DeviceSetup:
    kinds: dict[str, DeviceKind] = {kind: kind for kind in get_args(DeviceKind)}
    return DeviceSetup(
        ident=device.ident,
        kind=kinds[device.kind],
        counts=device.counts,
        reads=device.reads,
        automated=device.automated,
        procedure_ref=device.procedure,
        player_visible=device.visible,
        ranks=device.ranks,
        side=device.side,
    )


def _policy(options: tuple[tuple[str, str], ...]) -> Policy:
    names = [item.name for item in fields(Policy)]
    for name, _ in options:
        if name not in names:
            raise unknown(name, "switch of the house", names)
    try:
        listed = {name for name in names if isinstance(getattr(Policy(), name), tuple)}
        given = {name: tuple(text.split("/")) if name in listed else text for name, text in options}
        return TypeAdapter(Policy).validate_python(_USUAL | given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ScenarioError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None

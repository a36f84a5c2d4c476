"""The table file as the rules core sees it."""

from typing import Literal

from pitwarden.config.models import TableFile
from pitwarden.rules import DeckSetup, DeviceSetup, Policy, TableSetup, load_profile


def setup_of(file: TableFile) -> TableSetup:
    """The effective setup of a table; ProfileError when its game's profile is wrong."""
    keyed: frozenset[str] | Literal["all"] = "all" if file.inputs.keyed == "all" else frozenset(file.inputs.keyed)
    hours, minutes = file.table.gaming_day.split(":")
    return TableSetup(
        profile=load_profile(file.table.game),
        positions=file.table.positions,
        devices=tuple(
            DeviceSetup(
                ident=ident,
                kind=device.family,
                counts=device.counts,
                reads=device.reads,
                automated=device.automated,
                procedure_ref=device.procedure,
                player_visible=device.player_visible,
            )
            for ident, device in file.devices.items()
        ),
        decks=tuple(DeckSetup(ident, colour) for ident, colour in file.table.decks.items()),
        inputs=keyed,
        grace_ms=file.judge.grace_ms,
        gaming_day_start=int(hours) * 60 + int(minutes),
        mode=file.table.mode,
        policy=Policy(
            shoe_fault_after_deal=file.rules.shoe_fault_after_deal,
            hand_mode_counts=file.rules.hand_mode_counts,
            face_up_scope=file.rules.face_up_scope,
            manual_deal=file.rules.manual_deal or "rounds",
        ),
    )

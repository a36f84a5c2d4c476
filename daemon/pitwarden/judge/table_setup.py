"""Conversion of the table file to the set-up that the rules core uses."""

from typing import Literal

from pitwarden.config.models import TableFile
from pitwarden.rules import DeckSetup, DeviceSetup, TableSetup, load_profile, validate_setup
from pitwarden.rules.profile.pay_tables import PayChoice
from pitwarden.rules.setup.table_setup import Attestation


def build_table_setup(file: TableFile) -> TableSetup:
    """Return the effective set-up of a table.

    Raises:
        ProfileError: The profile is wrong, or the rules do not allow the set-up.
    """
    keyed: frozenset[str] | Literal["all"] = "all" if file.inputs.keyed == "all" else frozenset(file.inputs.keyed)
    hours, minutes = file.table.gaming_day.split(":")
    rules = file.rules
    without = () if rules.hole_card else ("hole_card",)
    made = TableSetup(
        profile=load_profile(file.table.game, file.table.in_set, without, file.table.profiles),
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
                ranks=device.ranks,
                side=device.side,
            )
            for ident, device in file.devices.items()
            if device.family != "keypad"
        ),
        decks=tuple(DeckSetup(ident, colour) for ident, colour in file.table.decks.items()),
        inputs=keyed,
        grace_ms=file.judge.grace_ms,
        gaming_day_start=int(hours) * 60 + int(minutes),
        mode=file.table.mode,
        policy=rules.policy(),
        rack=file.table.rack,
        attested=tuple(
            Attestation(clause, one.by, one.on.isoformat(), one.reference or "")
            for clause, one in sorted(file.attestations.items())
        ),
        wagers=rules.wagers,
        pay=tuple(
            PayChoice(
                wager=wager,
                table=one.table or "",
                posted=one.posted,
                lines=tuple(one.lines.items()),
                approved=one.approved or "",
                minimum=one.minimum,
                maximum=one.maximum,
            )
            for wager, one in file.pay.items()
        ),
    )
    switches = (duty.switch for duty in made.profile.needs.switches)
    return validate_setup(made, frozenset(switch for switch in switches if rules.leaves_open(switch)))

"""The table file as the rules core sees it."""

from typing import Literal

from pitwarden.config.models import TableFile
from pitwarden.rules import DeckSetup, DeviceSetup, Policy, TableSetup, fit, load_profile
from pitwarden.rules.outcomes.pay import PayChoice
from pitwarden.rules.setup import Attestation


def setup_of(file: TableFile) -> TableSetup:
    """The effective setup of a table; ProfileError when its profile is wrong, or the rules do not allow it."""
    keyed: frozenset[str] | Literal["all"] = "all" if file.inputs.keyed == "all" else frozenset(file.inputs.keyed)
    hours, minutes = file.table.gaming_day.split(":")
    rules = file.rules
    without = () if rules.hole_card else ("hole_card",)
    made = TableSetup(
        profile=load_profile(file.table.game, file.table.in_set, without),
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
        policy=Policy(
            shoe_fault_after_deal=rules.shoe_fault_after_deal,
            hand_mode_counts=rules.hand_mode_counts,
            face_up_scope=rules.face_up_scope,
            manual_deal=rules.manual_deal or "rounds",
            cutting_card=rules.cutting_card,
            bart_carter=rules.bart_carter,
            bart_carter_rack=rules.bart_carter_rack,
            mid_shoe_entry=rules.mid_shoe_entry,
            batch_swap=rules.batch_swap,
            six_to_five=rules.six_to_five,
            both_blackjacks=rules.both_blackjacks,
            draw=rules.draw or "",
            bettors=rules.bettors or 0,
            place_lose_on_comeout=rules.place_lose_on_comeout,
            shuffle_audit=rules.shuffle_audit,
            dealer_first_confirm=rules.dealer_first_confirm,
            cutcard_policy=rules.cutcard_policy,
            cut_tolerance=rules.cut_tolerance,
            max_splits=rules.max_splits,
            resplit_aces=rules.resplit_aces,
            reader_up=rules.reader_up,
        ),
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
    return fit(made)

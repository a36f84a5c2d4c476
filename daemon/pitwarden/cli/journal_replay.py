"""`pitwarden journal replay`: what this version's rules say to the stored rows, beside what was published."""

import argparse
import asyncio
from dataclasses import replace

from pitwarden_client.events.codec import encode

from pitwarden.audit.evidence import judge_evidence
from pitwarden.audit.replay import Difference, EvidenceRows, Replayed, replay
from pitwarden.cli.journal_place import add_place, place_of
from pitwarden.judge.table_judge import Identity, TableJudge
from pitwarden.judge.table_setup import setup_of
from pitwarden.judge.unsealing import Unsealer
from pitwarden.rules import RULES_VERSION
from pitwarden.seal.keys import audit_key, key_files, private_keys
from pitwarden.seal.sealing import Opener

DIFFERS = 1
SHOWN = 20


class ReplayAction:
    """Replays."""

    name = "replay"
    help = "judge the stored rows again: the same rules give the same bytes, other rules show what differs"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        add_place(parser)

    def run(self, args: argparse.Namespace) -> int:
        """0 when all is as published, 1 with the differences. The judge's private key is needed; nothing is written."""
        place = place_of(args)
        file, whose = place.file, place.whose
        private = private_keys(key_files(file.storage.keys).judge)
        trusted = tuple(whose.trusted)
        with judge_evidence(place.judge) as evidence:
            opener = Opener(private, trusted, whose.site, whose.table)
            judge = TableJudge(
                Identity(whose.site, whose.table, file.judge.name),
                replace(setup_of(file), audit_key=audit_key(private[0])),
                Unsealer(opener, trusted, whose.site, whose.table),
                EvidenceRows(evidence),
            )
            found = asyncio.run(replay(judge, evidence))
        for sentence in [*_differences(found.differences), _summary(found)]:
            print(sentence)  # noqa: T201  the command's answer
        return DIFFERS if found.differences or (found.other_bytes and found.versions == {RULES_VERSION}) else 0


def _differences(differences: list[Difference]) -> list[str]:
    said = []
    for each in differences[:SHOWN]:
        said.append(f"row {each.at.epoch}/{each.at.number}")
        said += [f"  published: {encode(output).decode()}" for output in each.published if output not in each.now]
        said += [f"  now:       {encode(output).decode()}" for output in each.now if output not in each.published]
    left = len(differences) - SHOWN
    return [*said, f"and {left} rows more"] if left > 0 else said


def _summary(found: Replayed) -> str:
    published = ", ".join(sorted(found.versions)) or "none"
    return (
        f"{found.rows} rows judged by rules {RULES_VERSION} (published by {published}): {found.identical} outputs are"
        f" identical byte for byte, {found.other_bytes} say the same in other bytes,"
        f" {len(found.differences)} rows are judged otherwise"
    )


ACTION = ReplayAction()

"""`pitwarden schema`: the contract for MQTT consumers, complete or one schema of it, and its breaking changes."""

import argparse
import json
import sys
from pathlib import Path

from pitwarden.system.file_errors import file_reason
from pitwarden_client.contract.asyncapi import asyncapi_document
from pitwarden_client.contract.compatibility import breaking_changes
from pitwarden_client.contract.schemas import components, plain_schema, schema_of
from pitwarden_client.spelling import nearest_hint


class SchemaCommand:
    """The command `schema`."""

    name = "schema"
    help = "print the contract for MQTT consumers: AsyncAPI 3, or one JSON Schema by name"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("of", nargs="?", metavar="NAME", help="one JSON Schema, such as LogEvent or ShoeCard")
        parser.add_argument("--list", action="store_true", help="the names of all schemas")
        parser.add_argument("--against", type=Path, metavar="FILE", help="an older contract: what breaks its consumers")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when printed or when no change breaks a consumer, 1 when one does, 2 for an unknown name or file."""
        if args.against is not None:
            return _compare(args.against)
        schemas, _ = components("#/$defs/")
        if args.list:
            print("\n".join(sorted(schemas)))  # noqa: T201  the command's answer
            return 0
        if args.of is None:
            print(json.dumps(asyncapi_document(), indent=2))  # noqa: T201  the command's answer
            return 0
        if args.of not in schemas:
            return _mistaken(
                f"{args.of} is no schema of the contract{nearest_hint(args.of, schemas)}; see pitwarden schema --list"
            )
        print(json.dumps(plain_schema(schema_of(args.of)), indent=2))  # noqa: T201  the command's answer
        return 0


def _compare(file: Path) -> int:
    try:
        old = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return _mistaken(f"{file}: this contract cannot be read: {file_reason(error)}")
    if not isinstance(old, dict) or "channels" not in old:
        return _mistaken(f"{file}: this is no AsyncAPI document; make one with pitwarden schema > FILE")
    found = breaking_changes(old, asyncapi_document())
    print("\n".join(found) or "nothing breaks a consumer of it")  # noqa: T201  the command's answer
    return 1 if found else 0


def _mistaken(sentence: str) -> int:
    print(sentence, file=sys.stderr)  # noqa: T201  a command talks to a person
    return 2


COMMAND = SchemaCommand()

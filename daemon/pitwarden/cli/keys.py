"""`pitwarden keys FILE`: create the missing keys of a table, or replace one. Other keys are not changed."""

import argparse
import sys
from pathlib import Path

from pitwarden.cli.table_file import EX_CONFIG, keys_of, read_table_file
from pitwarden.seal.errors import KeyFileError
from pitwarden.seal.keys import load_private, load_signing, retire, share_public_halves, write_verify_key


class KeysCommand:
    """The command `keys`."""

    name = "keys"
    help = "create the missing keys of a table: the field half's signing key, the judge's private key"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, help="the table file (TOML)")
        parser.add_argument(
            "--rotate", choices=("field", "judge"), help="replace this key; restart both halves to use the new one"
        )

    def run(self, args: argparse.Namespace) -> int:
        """Print each key's path and public half, and return 0; 78 when a key cannot be read or written."""
        table = read_table_file(args.file)
        if table is None:
            return EX_CONFIG
        files = keys_of(table)
        try:
            for folder in (table.storage.keys, files.field.parent, files.judge.parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if args.rotate:
                retire(files.field if args.rotate == "field" else files.judge, keep=args.rotate == "judge")
            signing = load_signing(files.field, create=True)
            private = load_private(files.judge, create=True)
            verify = write_verify_key(files.judge, private)
            share_public_halves(files)
        except (KeyFileError, OSError) as error:
            print(error, file=sys.stderr)  # noqa: T201  a command talks to a person
            return EX_CONFIG
        print(f"{files.field}  signs the log, verify key {signing.public}")  # noqa: T201  the command's answer
        print(f"{files.judge}  opens seals, public key {private.public}")  # noqa: T201  the command's answer
        print(f"{files.judge}  signs verdicts and commands, verify key {verify}")  # noqa: T201  as above
        return 0


COMMAND = KeysCommand()

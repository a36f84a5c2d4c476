"""`pitwarden check-config FILE`: the very checks of `run`, and the effective configuration."""

import argparse
import json
from pathlib import Path

from pitwarden.cli.table_file import EX_CONFIG, read


class CheckCommand:
    """Checks a table file."""

    name = "check-config"
    help = "check a table file as `run` would, and print what is in force"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        parser.add_argument("file", type=Path, help="the table file (TOML)")
        parser.add_argument("--quiet", action="store_true", help="say only what is wrong")

    def run(self, args: argparse.Namespace) -> int:
        """0 and the effective configuration, or 78 and every problem."""
        table = read(args.file)
        if table is None:
            return EX_CONFIG
        if not args.quiet:
            print(json.dumps(table.model_dump(mode="json"), indent=2))  # noqa: T201  the command's answer
        return 0


COMMAND = CheckCommand()

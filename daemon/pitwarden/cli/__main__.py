"""Entry point of `python -m pitwarden.cli`, the same as `pitwarden`."""

import sys

from pitwarden.cli.main import run_as_program

sys.exit(run_as_program())

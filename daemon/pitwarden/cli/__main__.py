"""Entry point of `python -m pitwarden.cli`, the same as `pitwarden`."""

import sys

from pitwarden.cli.main import main

sys.exit(main())

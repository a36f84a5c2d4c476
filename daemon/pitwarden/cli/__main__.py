"""`python -m pitwarden.cli` is `pitwarden`."""

import sys

from pitwarden.cli.main import main

sys.exit(main())

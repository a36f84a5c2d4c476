"""`python -m pitwarden_console`."""

import sys

from pitwarden_console.command import main

sys.exit(main())

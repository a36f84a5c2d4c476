"""`python -m pitwarden_tools.worlds`."""

import sys

from pitwarden_tools.worlds.command import main

if __name__ == "__main__":
    sys.exit(main())

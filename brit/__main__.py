"""`python -m brit`."""

import sys

from brit.cli import main

if __name__ == "__main__":
    sys.exit(main())

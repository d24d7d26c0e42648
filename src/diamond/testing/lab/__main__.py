"""`python -m diamond.testing.lab`, the same as `diamond lab`."""

from __future__ import annotations

import sys

from .commands import main

sys.exit(main(sys.argv[1:]))

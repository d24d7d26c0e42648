"""PostgreSQL in a temp folder, as in the tests."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

TESTS = Path(__file__).parent.parent / "tests"


class Server(Protocol):
    def new_database(self) -> str:
        """The URL of an empty database."""


def started_postgres() -> AbstractContextManager[Server]:
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    from support.postgres import find_programs, running_postgres

    programs = find_programs()
    if programs is None:
        raise SystemExit("bench: PostgreSQL is not installed; run: make machine")
    server: AbstractContextManager[Server] = running_postgres(programs)
    return server

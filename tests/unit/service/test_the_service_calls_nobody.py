"""The service opens connections in three places only: webhooks, mail and the providers of diamond.toml."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import diamond

SOURCE = Path(diamond.__file__).parent
# What the service's process is made of.
PARTS = ("core", "compose", "planning", "notation", "service")
MAY = {
    "service/platform/delivery/webhooks.py": {"http.client", "socket", "ssl"},
    "service/platform/delivery/mail.py": {"smtplib", "ssl"},
    "service/platform/identity_providers/client.py": {"httpx2", "authlib"},
    "service/platform/identity_providers/oidc.py": {"authlib"},
    "service/platform/http/certificate.py": {"ssl"},  # To serve by.
    "service/__main__.py": {"socket"},
    "service/people/first_start.py": {"socket"},  # The machine's own name.
    "service/notifications/outbox.py": {"smtplib"},  # Its errors.
    "service/maintenance/backup.py": {"subprocess"},
}
CALLS = (
    "http.client",
    "urllib.request",
    "httpx",
    "httpx2",
    "requests",
    "aiohttp",
    "smtplib",
    "ftplib",
    "socket",
    "ssl",
    "subprocess",
    "authlib",
    "paramiko",
)


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


@pytest.mark.parametrize("part", PARTS)
def test_no_other_part_of_it_could(part: str) -> None:
    for file in (SOURCE / part).rglob("*.py"):
        name = file.relative_to(SOURCE).as_posix()
        found = {
            one for one in CALLS for word in imported(file) if f"{word}.".startswith(f"{one}.")
        }
        assert found <= MAY.get(name, set()), name

"""Migrations form one line: two that are written at the same time would leave a service that cannot start."""

from __future__ import annotations

import re
from pathlib import Path

import diamond.service.platform.database.migrations as migrations

VERSIONS = Path(str(migrations.__path__[0])) / "versions"


def test_each_migration_follows_exactly_one_other() -> None:
    found = {}
    for file in sorted(VERSIONS.glob("[0-9]*.py")):
        text = file.read_text()
        revision = re.search(r'^revision = "(\w+)"', text, re.MULTILINE)
        before = re.search(r"^down_revision = (.+)$", text, re.MULTILINE)
        assert revision and before, file.name
        assert revision[1] not in found, f"{file.name}: {revision[1]} is there twice"
        assert file.name.startswith(revision[1]), file.name
        found[revision[1]] = before[1].strip('"')
    follows = list(found.values())
    assert len(set(follows)) == len(follows), "two migrations follow the same one"

"""What the README tells a newcomer to type sends the example alone, not the clone of Diamond around it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from diamond.sdk.client import read_spec
from diamond.sdk.code_selection import choose_code

ROOT = Path(__file__).parents[3]
PAGES = ("README.md", "docs/tutorial.md", "recipes/plain-script/README.md")
RUN = re.compile(r"^\$ diamond run (recipes/[\w./-]+)", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_the_first_commands_send_the_example_alone(page: str) -> None:
    examples = sorted(set(RUN.findall((ROOT / page).read_text())))
    assert examples
    for example in examples:
        spec, folder = read_spec(ROOT / example)
        snapshot = choose_code(spec, folder).snapshot
        assert snapshot is not None
        sent = [entry["path"] for entry in json.loads(snapshot.manifest)["files"]]
        assert len(sent) < 20 and not any(path.startswith("src/") for path in sent), sent

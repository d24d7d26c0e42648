"""A lock is made once for an environment and kept, until somebody asks for newer versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.runtimes import Bench, Built
from support.containers import container_bench
from support.wheels import write_wheel

pytestmark = pytest.mark.slow
NAME = "diamond_locked"


@pytest.fixture
def bench() -> Iterator[Bench]:
    """Packages come from a folder alone."""
    with container_bench("venv", {"python": "3.11", "requirements": [NAME]}) as made:
        account = replace(made.account, prefix=[*made.account.prefix, "PIP_NO_INDEX=1"])
        yield replace(made, account=account)


def test_versions_stay_until_newer_ones_are_asked_for(bench: Bench) -> None:
    wheels = bench.folder / "wheels"
    wheels.mkdir()
    _offer(wheels, "1.0")
    first = _built(bench, wheels, test="true")
    assert first.record["packages"]["python"][NAME] == "1.0"
    _offer(wheels, "1.1")
    again = _built(bench, wheels, test="true # another image of the same packages")
    assert again.record["packages"] == first.record["packages"]
    assert again.record["identity"] != first.record["identity"]

    file = bench.prepare(site={"find_links": [str(wheels)]}, test="true")
    file.write_text(
        file.read_text().replace('"runtime": "venv"', '"runtime": "venv", "upgrade": true')
    )
    newer = bench.finished(bench.start(file))
    assert newer.record["packages"]["python"][NAME] == "1.1"
    assert newer.record["identity"] != first.record["identity"]
    assert _built(bench, wheels, test="true").record["identity"] == newer.record["identity"]


def _built(bench: Bench, wheels: Path, **changes: Any) -> Built:
    built = bench.build(site={"find_links": [str(wheels)]}, **changes)
    assert built.code == 0, built.log
    return built


def _offer(wheels: Path, version: str) -> None:
    write_wheel(wheels, NAME, version)
    for file in wheels.iterdir():
        file.chmod(0o644)

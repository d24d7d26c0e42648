"""Apptainer and uv pass the suite that other people's runtimes inherit too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.runtimes import Bench, Built, RuntimeConformance
from support.containers import container_bench, unsquashed


class TestApptainer(RuntimeConformance):
    runtime = "apptainer"
    takes_odd_paths = True

    @pytest.fixture(scope="class")
    @classmethod
    def bench(cls) -> Iterator[Bench]:
        with container_bench("apptainer") as bench:
            yield bench

    def everything_in(self, built: Built, folder: Path) -> bytes:
        return unsquashed(Path(built.record["file"]), folder)


class TestVenv(RuntimeConformance):
    runtime = "venv"
    place = '"$VIRTUAL_ENV/made"'
    isolates = False
    file_place = "share/given.txt"
    file_inside = '"$VIRTUAL_ENV/share/given.txt"'

    @pytest.fixture(scope="class")
    @classmethod
    def bench(cls) -> Iterator[Bench]:
        with container_bench("venv", {"python": "3.11"}) as bench:
            yield bench

    def everything_in(self, built: Built, folder: Path) -> bytes:
        place = Path(built.record["file"])
        return b"".join(one.read_bytes() for one in place.rglob("*") if one.is_file())

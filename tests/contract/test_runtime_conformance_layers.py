"""Podman, docker and charliecloud, whose own stores keep the layers, pass the same suite."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.runtimes import Bench, Built, RuntimeConformance
from support.containers import container_bench, unsquashed


class Layers(RuntimeConformance):
    """Both start many processes for one step; what does not differ between runtimes is left to the long run."""

    @pytest.mark.slow
    def test_two_at_once_build_one(self, bench: Bench, first: Built) -> None:
        super().test_two_at_once_build_one(bench, first)

    @pytest.mark.slow
    def test_what_a_killed_build_left_is_swept_by_the_next(
        self, bench: Bench, first: Built
    ) -> None:
        super().test_what_a_killed_build_left_is_swept_by_the_next(bench, first)


class TestPodman(Layers):
    runtime = "podman"
    takes_odd_paths = True

    @pytest.fixture(scope="class")
    @classmethod
    def bench(cls) -> Iterator[Bench]:
        with container_bench("podman") as bench:
            yield bench

    def everything_in(self, built: Built, folder: Path) -> bytes:
        """The archive holds its layers as tars that are not compressed."""
        found = io.BytesIO()
        with tarfile.open(built.record["file"]) as archive:
            for member in archive.getmembers():
                source = archive.extractfile(member) if member.isfile() else None
                found.write(source.read() if source else b"")
        return found.getvalue()


@pytest.mark.slow
class TestDocker(TestPodman):
    """By the same adapter, with a daemon that runs as root."""

    runtime = "docker"

    @pytest.fixture(scope="class")
    @classmethod
    def bench(cls) -> Iterator[Bench]:
        with container_bench("docker") as bench:
            yield bench

    def test_what_steps_wrote_outside_is_the_accounts_own(self, bench: Bench) -> None:
        built = bench.build(commands=["echo kept >/mnt/cache/of-a-step"])
        assert built.code == 0, built.log
        file = bench.work / "cache" / "uv" / "of-a-step"
        assert file.owner() == "alice"


class TestCharliecloud(Layers):
    runtime = "charliecloud"
    has_root = False

    @pytest.fixture(scope="class")
    @classmethod
    def bench(cls) -> Iterator[Bench]:
        with container_bench("charliecloud") as bench:
            yield bench

    def everything_in(self, built: Built, folder: Path) -> bytes:
        return unsquashed(Path(built.record["file"]), folder)

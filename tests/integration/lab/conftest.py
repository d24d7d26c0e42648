"""Labs for these tests: one that takes everything, one like real sites, and folders for more."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.lab import Cluster, Lab


@pytest.fixture(scope="session", autouse=True)
def needs_root_on_debian() -> None:
    if os.geteuid():
        pytest.skip("a Slurm lab needs root, since slurmd starts jobs as other users")
    if not shutil.which("apt-get"):
        pytest.skip("a Slurm lab needs Debian's or Ubuntu's Slurm")


@pytest.fixture(scope="session")
def open_lab(needs_root_on_debian: None) -> Iterator[Lab]:
    with new_folder() as folder:
        yield Lab.up(folder, nodes=2, ssh=True)
        Lab(folder).down(purge=True)


@pytest.fixture
def alpha(open_lab: Lab) -> Cluster:
    return open_lab.cluster("alpha")


@pytest.fixture(scope="session")
def sites(needs_root_on_debian: None) -> Iterator[Lab]:
    with new_folder() as folder:
        yield Lab.up(
            folder, clusters=["frontera", "delta"], like="frontera=tacc,delta=delta", nodes=2
        )
        Lab(folder).down(purge=True)


@pytest.fixture
def tacc(sites: Lab) -> Cluster:
    return sites.cluster("frontera")


@pytest.fixture
def delta(sites: Lab) -> Cluster:
    return sites.cluster("delta")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for a lab of the test's own, which is taken down afterwards."""
    with new_folder() as path:
        yield path
        if (path / "lab.json").exists():
            Lab(path).down(purge=True)


@contextlib.contextmanager
def new_folder() -> Iterator[Path]:
    """Not pytest's tmp_path: that is closed to ordinary users, and too long for sockets."""
    path = Path(tempfile.mkdtemp(prefix="dl-", dir="/tmp"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)

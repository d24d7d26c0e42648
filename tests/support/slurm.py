"""One Slurm lab for the whole test session, created for the first test that needs it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.lab import Lab


@pytest.fixture(scope="session")
def slurm_lab() -> Iterator[Lab]:
    """Two clusters, alpha and beta, with sshd; the folder is open for alice and bob."""
    skip_without_lab_support()
    with open_folder() as folder:
        yield Lab.up(folder, ssh=True)


@pytest.fixture(scope="session")
def strict_lab() -> Iterator[Lab]:
    """Clusters that reject and require what real sites do: `frontera` like TACC's, `delta` like NCSA's."""
    skip_without_lab_support()
    with open_folder() as folder:
        yield Lab.up(
            folder, clusters=["frontera", "delta"], like="frontera=tacc,delta=delta", nodes=2
        )


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A short path (for Unix sockets) that is open to ordinary users; the lab in it is shut down at the end."""
    folder = Path(tempfile.mkdtemp(prefix="dl-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        if (folder / "lab.json").exists():
            Lab(folder).down(purge=True)
        shutil.rmtree(folder, ignore_errors=True)


def skip_without_lab_support() -> None:
    if os.geteuid():
        pytest.skip("a Slurm lab needs root, because slurmd starts jobs as other users")
    if not shutil.which("apt-get"):
        pytest.skip("a Slurm lab needs Debian's or Ubuntu's Slurm")

"""One Slurm lab for the whole test session, made when the first test asks for it."""

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
    skip_where_there_can_be_no_lab()
    with open_folder() as folder:
        yield Lab.up(folder, ssh=True)


@pytest.fixture(scope="session")
def strict_lab() -> Iterator[Lab]:
    """Clusters that refuse and require what real sites do: `frontera` like TACC's, `delta` like NCSA's."""
    skip_where_there_can_be_no_lab()
    with open_folder() as folder:
        yield Lab.up(
            folder, clusters=["frontera", "delta"], like="frontera=tacc,delta=delta", nodes=2
        )


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A short path (Unix sockets lie below it) that ordinary users may enter; the lab in it is taken down."""
    folder = Path(tempfile.mkdtemp(prefix="dl-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        if (folder / "lab.json").exists():
            Lab(folder).down(purge=True)
        shutil.rmtree(folder, ignore_errors=True)


def skip_where_there_can_be_no_lab() -> None:
    if os.geteuid():
        pytest.skip("a Slurm lab needs root, since slurmd starts jobs as other users")
    if not shutil.which("apt-get"):
        pytest.skip("a Slurm lab needs Debian's or Ubuntu's Slurm")

"""What a build installs can be read by the person whose job runs in the image, whatever the agent's umask was."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.core.order import Environment
from diamond.images.scripts import python_script
from diamond.runtimes.calls import Call

UV = """\
#!/bin/sh
case $1 in
  venv) mkdir -p "$diamond_venv/bin" ;;
  pip) umask 077; mkdir "$diamond_venv/package"; echo x >"$diamond_venv/package/module.py" ;;
esac
"""


@pytest.fixture
def closed_umask() -> Iterator[None]:
    """As of an agent that was started over ssh."""
    before = os.umask(0o077)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_programs_of_a_build_leave_readable_files(tmp_path: Path, closed_umask: None) -> None:
    assert Call(lambda line: None).run(["touch", str(tmp_path / "cached")]) == 0
    assert mode(tmp_path / "cached") == 0o644


def test_packages_from_a_closed_cache_are_opened(tmp_path: Path) -> None:
    (tmp_path / "uv").write_text(UV)
    (tmp_path / "uv").chmod(0o755)
    venv = tmp_path / "venv"
    given = {"diamond_site": str(tmp_path), "diamond_venv": str(venv), "diamond_bare": "1"}
    script = python_script(Environment(requirements=["package"]), "package==1\n")
    subprocess.run(["sh", "-euc", script], env={**os.environ, **given}, check=True)
    assert mode(venv / "package") == 0o755
    assert mode(venv / "package" / "module.py") == 0o644

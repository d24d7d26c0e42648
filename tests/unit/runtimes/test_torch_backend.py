"""Which builds of PyTorch a virtual environment gets, by a uv that writes down what it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.core.order import Environment
from diamond.runtimes.site import has_torch_builds
from diamond.runtimes.venv import ensure_environment

UV = """\
#!/bin/sh
if [ "$1" = venv ]; then
  for last; do :; done
  mkdir -p "$last/bin"; ln -s /bin/true "$last/bin/python"; exit
fi
echo "${UV_TORCH_BACKEND:-none}" >>"$ASKED"
if [ -n "$UNREACHABLE" ] && [ -n "$UV_TORCH_BACKEND" ]; then
  echo "error: Failed to fetch: dns error" >&2; exit 2
fi
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without settings of its own for packages."""
    for name in ("PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    (tmp_path / "uv").write_text(UV)
    (tmp_path / "uv").chmod(0o755)
    monkeypatch.setenv("DIAMOND_UV", str(tmp_path / "uv"))
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    monkeypatch.setenv("UNREACHABLE", "")
    return tmp_path / "asked"


def make(tmp_path: Path, **fields: str) -> list[str]:
    said: list[str] = []
    environment = Environment(requirements=["torch"], **fields)  # type: ignore[arg-type]
    ensure_environment(
        environment, folder=tmp_path / "work", say=said.append, cancelled=lambda: False
    )
    return said


def test_a_job_without_gpus_gets_the_cpu_build_and_hears_of_it(asked: Path, tmp_path: Path) -> None:
    said = make(tmp_path, accelerator="cpu")
    assert asked.read_text() == "cpu\n"
    assert any("CPU build, because the job asks for no GPU" in line for line in said)
    make(tmp_path)
    assert asked.read_text() == "cpu\nnone\n", "one with GPUs is another environment"


def test_packages_of_the_sites_own_are_taken_as_they_are(
    asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    make(tmp_path, accelerator="cpu")
    assert asked.read_text() == "none\n"


def test_without_a_way_to_pytorchs_index_the_usual_build_is_taken(
    asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNREACHABLE", "1")
    said = make(tmp_path, accelerator="cpu")
    assert asked.read_text() == "cpu\nnone\n"
    assert any("cannot be reached" in line for line in said)


def test_a_lock_tells_whether_it_needs_pytorchs_index() -> None:
    assert has_torch_builds("numpy==2.1\ntorch==2.9.0+cpu \\\n  --hash=sha256:0\n")
    assert not has_torch_builds("numpy==2.1+x\ntorch==2.9.0\n")

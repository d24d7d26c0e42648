"""Crates held against their profiles by `roc-validator`, without internet."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from urllib3 import HTTPResponse

CONTEXTS = tuple(f"https://w3id.org/ro/crate/{version}/context" for version in ("1.1", "1.2"))
BIOSCHEMAS = "https://bioschemas.org"
RENAMED = {
    "terms/ComputationalWorkflow": "ComputationalWorkflow",
    "terms/FormalParameter": "FormalParameter",
    "terms/input": "properties/input",
    "terms/output": "properties/output",
}
PROFILES = ("process-run-crate-0.5", "workflow-run-crate-0.5", "provenance-run-crate-0.5")


class _Bundled(HTTPAdapter):  # type: ignore[misc]
    """Answers with the context that comes with `rocrate`: 1.3, which has all terms of 1.1. Four were named otherwise there."""

    def send(self, request: PreparedRequest, *_: Any, **__: Any) -> Response:
        content = (resources.files("rocrate") / "data" / "ro-crate.jsonld").read_bytes()
        for now, before in RENAMED.items():
            content = content.replace(
                f"{BIOSCHEMAS}/{now}".encode(), f"{BIOSCHEMAS}/{before}".encode()
            )
        headers = {"Content-Type": "application/ld+json"}
        raw = HTTPResponse(
            io.BytesIO(content), headers, 200, preload_content=False, request_url=request.url
        )
        return self.build_response(request, raw)


def seed_cache(folder: Path) -> Path:
    """What `--cache-path` takes."""
    cache = folder / "cache"
    session = CachedSession(str(cache), backend="sqlite", expire_after=-1)
    session.mount("https://", _Bundled())
    for context in CONTEXTS:
        session.get(context, headers={"Accept": "application/ld+json"})
    session.close()
    return cache


def faults(crate: Path, profile: str, cache: Path) -> list[str]:
    """Required checks of a profile that a crate (a folder or zip) does not pass."""
    report = cache.parent / "report.json"
    words = ["--disable-color", "-y", "validate", str(crate), "--profile-identifier", profile]
    words += ["--requirement-severity", "required", "--output-format", "json"]
    words += ["--output-file", str(report), "--offline", "--cache-path", str(cache)]
    program = "from rocrate_validator.cli import cli; cli()"
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False
    )
    if not report.exists():
        raise AssertionError(done.stdout + done.stderr)
    found = json.loads(report.read_text())
    report.unlink()
    assert found["passed"] is (not found["issues"])
    return [f"{one['check']['identifier']}: {one['message']}" for one in found["issues"]]

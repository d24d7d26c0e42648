"""A scan as a process of its own: niced on a login node, or a batch job. Reads a job file, writes progress and a result."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, List

from diamond.core.errors import DiamondError
from diamond.data import node_cache
from diamond.data.scanning import Progress, scan

MOST_NAMED = 100
NICE = 10


def main(arguments: List[str]) -> int:
    """`data scan FILE`, or `data cache PID MANIFEST SOURCE TARGET` on a node."""
    if len(arguments) == 5 and arguments[0] == "cache":
        return node_cache.main(arguments[1:])
    if len(arguments) != 2 or arguments[0] != "scan":
        print("usage: data scan FILE", file=sys.stderr)
        return 2
    job = json.loads(Path(arguments[1]).read_text())
    folder = Path(arguments[1]).parent
    os.nice(NICE)
    try:
        result = _scan(job, folder)
    except (DiamondError, OSError) as error:
        result = {"error": str(error)}
    _write(folder / "result.json", result)
    return 0


def _scan(job: Dict[str, Any], folder: Path) -> Dict[str, Any]:
    def report(progress: Progress) -> None:
        _write(folder / "progress.json", asdict(progress))

    scanned = scan(
        job["root"],
        manifest=folder / "manifest",
        state=Path(job["state"]),
        recheck=bool(job["recheck"]),
        threads=int(job.get("threads") or 0),
        report=report,
    )
    problems = [[one.path, one.why] for one in scanned.problems]
    return {
        **asdict(scanned.summary),
        "fingerprint": scanned.fingerprint,
        "is_settled": scanned.is_settled,
        "problems": problems[:MOST_NAMED],
        "problem_count": len(problems),
    }


def _write(file: Path, value: Dict[str, Any]) -> None:
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    aside.write_text(json.dumps(value))
    aside.replace(file)

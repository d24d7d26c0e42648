"""Work on data as a process of its own: niced on a login node, or a batch job. Reads a job file, writes progress and a result."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Callable, Dict, List

from diamond.core.errors import DiamondError
from diamond.data import node_cache
from diamond.data.scanning import Progress, scan

MOST_NAMED = 100
NICE = 10


def main(arguments: List[str]) -> int:
    """`data scan|import|preview FILE`, or `data cache PID MANIFEST SOURCE TARGET` on a node."""
    if len(arguments) == 5 and arguments[0] == "cache":
        return node_cache.main(arguments[1:])
    if len(arguments) != 2 or arguments[0] not in WORKS:
        print(f"usage: data {'|'.join(WORKS)} FILE", file=sys.stderr)
        return 2
    job = json.loads(Path(arguments[1]).read_text())
    folder = Path(arguments[1]).parent
    os.nice(NICE)
    try:
        result = WORKS[arguments[0]](job, folder)
    except DiamondError as error:
        result = {"error": error.message, "hint": error.hint}
    except OSError as error:
        result = {"error": str(error)}
    _write(folder / "result.json", result)
    return 0


def _scan(job: Dict[str, Any], folder: Path) -> Dict[str, Any]:
    scanned = scan(
        job["root"],
        manifest=folder / "manifest",
        state=Path(job["state"]),
        recheck=bool(job["recheck"]),
        threads=int(job.get("threads") or 0),
        report=lambda progress: _write(folder / "progress.json", asdict(progress)),
    )
    problems = [[one.path, one.why] for one in scanned.problems]
    return {
        **asdict(scanned.summary),
        "fingerprint": scanned.fingerprint,
        "is_settled": scanned.is_settled,
        "problems": problems[:MOST_NAMED],
        "problem_count": len(problems),
    }


def _import(job: Dict[str, Any], folder: Path) -> Dict[str, Any]:
    from diamond.data.sources.import_job import ReportTo, run_import
    from diamond.data.sources.items import SourceDown

    def report(progress: Progress) -> None:
        _write(folder / "progress.json", asdict(progress))

    try:
        return dict(run_import(job, ReportTo(report)))
    except SourceDown as error:
        hint = "What has come so far is kept: the same command continues."
        return {"error": str(error), "hint": hint}


def _preview(job: Dict[str, Any], folder: Path) -> Dict[str, Any]:
    from diamond.data.previews.preview_job import run_preview

    return run_preview(job, folder)


WORKS: Dict[str, Callable[[Dict[str, Any], Path], Dict[str, Any]]] = {
    "scan": _scan,
    "import": _import,
    "preview": _preview,
}


def _write(file: Path, value: Dict[str, Any]) -> None:
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    aside.write_text(json.dumps(value))
    aside.replace(file)

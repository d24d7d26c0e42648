"""Trials that share allocations: how busy their slots are, what a trial costs the service, and how soon a pruned one makes room."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from bench.claim import Claim, Findings, Options
from bench.claims.studies import PROGRAM
from bench.numbers import median
from bench.stack import Stack, slurm_stack
from bench.waiting import wait_for
from diamond.pilots.journal import Ended, read_entry
from diamond.pilots.json_lines import Tail

TRIALS, SLOTS, SECONDS = 640, 16, 2.0
LEAST_BUSY, MOST_SERVICE_MS = 0.95, 50.0
FREED, FREE_WITHIN = 20, 2.0
SHORT = (
    'echo "$1 $(date +%s.%N)" >>{place}/began; sleep {seconds}; '
    'echo "{{\\"step\\": 1, \\"loss\\": $1}}" >>$DIAMOND_METRICS; echo "$1 $(date +%s.%N)" >>{place}/ended'
)
ENDLESS = PROGRAM.replace(
    "value = ",
    "while not is_first and not (place / 'done').exists():\n    time.sleep(0.1)\nvalue = ",
).replace("        break\n", "        (place / 'done').touch()\n        break\n")
"""The bad ones begin to log once the good one has ended."""
TICK = os.sysconf("SC_CLK_TCK")


def measure(options: Options) -> Findings:
    findings = Findings()
    with slurm_stack(options.folder / "slurm", nodes=2, stamped=False) as stack:
        busy(findings, stack, options.samples(TRIALS), options.folder)
        freed(findings, stack, min(FREED, options.samples(FREED)), options.folder)
    return findings


def busy(findings: Findings, stack: Stack, count: int, folder: Path) -> None:
    """Of the time from the first begin to the last begin, when no slot need be empty."""
    place = folder / "short"
    place.mkdir()
    program = SHORT.format(place=place, seconds=SECONDS)
    client, pid = stack.service.client(), stack.service.pid
    before = cpu_seconds(pid)
    study = client.study(
        spec_of(
            ["sh", "-c", program, "trial", "{x}"],
            trials=count,
            parallel=SLOTS,
            pack=SLOTS,
            objective={"loss": "minimize"},
            space={"x": {"float": [0, 1]}},
        ),
        folder=folder,
        with_code=False,
    )
    wait_for(lambda: study.refresh().state == "done", within=120 + 10 * SECONDS * count / SLOTS)
    spent = 1000 * (cpu_seconds(pid) - before) / count
    assert study.counts["complete"] == study.raw["asked"] == count, study.raw
    pilots = client.transport.get("/api/v1/pilots")["items"]
    jobs = sum(pilot["allocations"] for pilot in pilots if pilot["study"] == study.id)
    findings.add(f"batch jobs for {count} trials", str(jobs))
    began, ended = times_in(place / "began"), times_in(place / "ended")
    assert len(began) == len(ended) == count, "each ran once"
    first, last = min(began.values()), max(began.values())
    inside = sum(min(ended[x], last) - min(began[x], last) for x in began)
    share = inside / (SLOTS * (last - first))
    rate = (count - SLOTS) / (last - first)
    ideal = SLOTS / SECONDS
    findings.add(
        f"slots busy, {SLOTS} slots, {count} trials of {SECONDS:g} s",
        f"{share:.3f}",
        f"≥ {LEAST_BUSY}",
        share >= LEAST_BUSY,
    )
    findings.add(
        "trials a second, against the ideal", f"{rate:.2f} of {ideal:.2f} ({rate / ideal:.3f})"
    )
    findings.add(
        "CPU time of the service for a trial",
        f"{spent:.1f} ms",
        f"< {MOST_SERVICE_MS:g} ms",
        spent < MOST_SERVICE_MS,
    )


def freed(findings: Findings, stack: Stack, count: int, folder: Path) -> None:
    """From the write of the deciding value to the end of the execution in its pilot's journal."""
    place = folder / "pruned"
    place.mkdir()
    client = stack.service.client()
    study = client.study(
        spec_of(
            [sys.executable, "-c", ENDLESS, "{lr}", str(place)],
            trials=count + 1,
            parallel=2,
            pack=2,
            objective={"accuracy": "maximize"},
            space={"lr": {"log": [1e-5, 1e-1]}},
            pruner={"asha": {"min": 2, "max": 10_000, "factor": 2}},
        ),
        folder=folder,
        with_code=False,
    )
    wait_for(lambda: study.refresh().state == "done", within=60 + 10 * count)
    ends = journal_ends(stack.agent.work)
    taken = []
    for trial in study.trials(state=["pruned"]):
        attempts = {attempt["id"] for attempt in client.task(trial["task"]).raw["attempts"]}
        decided = float((place / trial["task"]).read_text())
        taken += [ends[each] - decided for each in attempts if each in ends]
    middle = median(taken)
    findings.add(
        f"deciding value logged → place free in its pilot, median of {len(taken)}",
        f"{middle:.2f} s ({min(taken):.2f} to {max(taken):.2f})",
        f"≤ {FREE_WITHIN:g} s",
        middle <= FREE_WITHIN,
    )
    findings.note(
        "The pruned programs ignore SIGTERM and the stop flag, so each uses its whole second of grace."
    )


def spec_of(run: list[str], **study: Any) -> dict[str, Any]:
    return {
        "name": "packed",
        "run": run,
        "on": "cluster",
        "resources": {"memory": "100MB", "walltime": "10m"},
        "study": {"sampler": "random", **study},
    }


def journal_ends(work: Path) -> dict[str, float]:
    ends: dict[str, float] = {}
    for journal in work.glob("tasks/*/run/pilot/journal.jsonl"):
        for _, line in Tail(str(journal)).read():
            entry = read_entry(line)
            if isinstance(entry, Ended):
                ends[entry.id] = entry.at
    return ends


def times_in(file: Path) -> dict[str, float]:
    return {
        name: float(at) for name, at in (line.split() for line in file.read_text().splitlines())
    }


def cpu_seconds(pid: int) -> float:
    """Of a process and its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[n]) for n in (11, 12, 13, 14)) / TICK


CLAIM = Claim("studies-packed", "Studies: trials that share allocations", measure)

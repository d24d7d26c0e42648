"""A log line written on a node → an event-stream client."""

from __future__ import annotations

import contextlib
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.jobs import spec
from bench.numbers import median, seconds
from bench.stack import Service, local_agent, slurm_stack
from bench.waiting import wait_for
from bench.watching import Watcher

FULL_COUNT = 100
LINES_PER_TASK = 20
MOST = {"local": 0.5, "cluster": 1.5}
BODY = """\
for ((i = 0; i < $1; i++)); do
  sleep "$((RANDOM % 2)).$((RANDOM % 900 + 100))"
  printf '%s\\n' "$EPOCHREALTIME"
done"""


def measure(options: Options) -> Findings:
    rounds = max(1, options.samples(FULL_COUNT) // LINES_PER_TASK)
    delays: dict[str, list[float]] = {name: [] for name in MOST}
    with slurm_stack(options.folder) as stack, contextlib.ExitStack() as exits:
        exits.enter_context(local_agent(stack.service, options.folder / "laptop"))
        program = stack.stamps.program("lines", BODY)
        for _ in range(rounds):
            for name in MOST:
                delays[name] += one_task(stack.service, program, name)
    findings = Findings()
    for name, bar in MOST.items():
        where = "on this machine" if name == "local" else "on a Slurm node"
        holds = median(delays[name]) < bar
        findings.add(
            f"line written {where} → client", seconds(delays[name]), f"median < {bar} s", holds
        )
    return findings


def one_task(service: Service, program: Path, endpoint: str) -> list[float]:
    """How long each line of one task took to arrive."""
    client = service.client()
    asked = spec([str(program), str(LINES_PER_TASK)], on=endpoint)
    task = client.run(asked, folder=program.parent).task.id
    with contextlib.closing(Watcher(client, [task])) as watcher:
        wait_for(lambda: len(arrivals(watcher)) >= LINES_PER_TASK, within=120)
    return [arrived - written for written, arrived in arrivals(watcher)]


def arrivals(watcher: Watcher) -> list[tuple[float, float]]:
    """(written, arrived) of each whole line so far."""
    found, text = [], ""
    for arrived, data in list(watcher.logs):
        if data.get("stream") != "stdout":
            continue
        *whole, text = (text + data.get("text", "")).split("\n")
        found += [(float(line), arrived) for line in whole]
    return found


CLAIM = Claim("log-lines", "A log line written on a node → event-stream client", measure)

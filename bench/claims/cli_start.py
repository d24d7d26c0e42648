"""What `diamond tasks` costs beyond starting Python."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from bench.claim import Claim, Findings, Options
from bench.command import diamond_words
from bench.jobs import spec
from bench.numbers import median, seconds
from bench.stack import local_agent, started_service

FULL_COUNT = 40
TASKS = 50
MOST = 0.35


def measure(options: Options) -> Findings:
    with started_service(options.folder / "service") as service:
        with local_agent(service, options.folder / "agent"):
            for _ in range(TASKS):
                service.client().run(spec(["true"], on="local"), folder=options.folder)
        env = {**os.environ, **service.env}
        ours, bare = interleaved(env, options.samples(FULL_COUNT))
    findings = Findings()
    findings.add("`diamond tasks`", seconds(ours))
    findings.add("`python -c pass`", seconds(bare))
    more = median(ours) - median(bare)
    findings.add("difference", f"{more:+.3f} s", f"≤ {MOST} s", more <= MOST)
    return findings


def interleaved(env: Mapping[str, str], count: int) -> tuple[list[float], list[float]]:
    ours, bare = [], []
    for _ in range(count + 1):
        ours.append(timed([*diamond_words(), "tasks"], env))
        bare.append(timed([sys.executable, "-c", "pass"], env))
    return ours[1:], bare[1:]


def timed(words: Sequence[str], env: Mapping[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(words, env=env, check=True, capture_output=True)
    return time.perf_counter() - began


CLAIM = Claim("cli-start", "`diamond tasks` over `python -c pass`", measure)

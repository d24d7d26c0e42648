"""What Diamond adds to a start, compared with submitit, PSI/J and Parsl."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bench.claim import Claim, Findings, Options
from bench.command import diamond_words
from bench.jobs import PARTITION, spec
from bench.numbers import median, seconds
from bench.peers import peers_python, versions
from bench.stack import Stack, cluster_env, slurm_stack
from bench.stamps import Stamps, next_stamp, stamp_in, stamp_line
from diamond.sdk import Client

FULL_COUNT = 100
LONGEST_PAUSE_SECONDS = 2.0
ARMS_FOLDER = Path(__file__).parent.parent / "arms"
PEER_ARMS = {"submitit": "submitit_arm.py", "PSI/J": "psij_arm.py", "Parsl": "parsl_arm.py"}
MOST, MOST_OVER_PEERS, MOST_OVER_SDK = 0.25, 0.2, 0.6


class Arm(Protocol):
    def submit(self, stamp: Path) -> float:
        """Submit a job that stamps this file; returns when submit() was called."""


@dataclass
class Added:
    """What one arm added, sample by sample."""

    before: list[float] = field(default_factory=list)
    """From submit() to the exec of sbatch."""
    after: list[float] = field(default_factory=list)
    """From the node's prolog to the first line of the user's program."""

    @property
    def total(self) -> list[float]:
        return [one + other for one, other in zip(self.before, self.after, strict=True)]

    def words(self) -> str:
        parts = f"{median(self.before):.3f} before sbatch + {median(self.after):.3f} on the node"
        return f"{seconds(self.total)}: {parts}"


def measure(options: Options) -> Findings:
    python = peers_python(options.cache)
    with slurm_stack(options.folder) as stack, contextlib.ExitStack() as exits:
        program = stack.stamps.program("first-line", first_line_body())
        arms: dict[str, Arm] = {
            "Diamond": SdkArm(stack.service.client(), program),
            "diamond run": CliArm(stack, program, options.folder),
            **{
                name: exits.enter_context(peer_arm(python, file, stack, program, options.folder))
                for name, file in PEER_ARMS.items()
            },
        }
        added = sample(arms, stack.stamps, options.samples(FULL_COUNT))
    findings = judge(added)
    findings.note(f"{versions(python)}; Parsl only with its SlurmProvider, without pilots.")
    return findings


def sample(arms: Mapping[str, Arm], stamps: Stamps, count: int) -> dict[str, Added]:
    """Round by round, all arms in a new order; the first round is a warm-up and not counted."""
    added = {name: Added() for name in arms}
    for turn in range(count + 1):
        for name in random.sample(sorted(arms), len(arms)):
            time.sleep(random.uniform(0, LONGEST_PAUSE_SECONDS))
            before, after = one_start(arms[name], stamps, f"{turn}-{name.replace('/', '')}")
            if turn:
                added[name].before.append(before)
                added[name].after.append(after)
    return added


def one_start(arm: Arm, stamps: Stamps, label: str) -> tuple[float, float]:
    stamp = stamps.folder / f"first-{label.replace(' ', '-')}"
    sent, started = len(stamps.times("sbatch")), len(stamps.times("prolog"))
    called = arm.submit(stamp)
    sbatch = next_stamp(lambda: stamps.times("sbatch"), known=sent)
    prolog = next_stamp(lambda: stamps.times("prolog"), known=started)
    return sbatch - called, stamp_in(stamp) - prolog


def judge(added: Mapping[str, Added]) -> Findings:
    findings = Findings()
    ours = median(added["Diamond"].total)
    cli = median(added["diamond run"].total)
    findings.add("Diamond adds", added["Diamond"].words(), f"≤ {MOST} s", ours <= MOST)
    for name in PEER_ARMS:
        theirs = median(added[name].total)
        findings.add(f"{name} adds", added[name].words())
        if name == "submitit":
            findings.add("Diamond / submitit", f"{ours / theirs:.2f}", "< 1", ours < theirs)
        else:
            close = ours - theirs <= MOST_OVER_PEERS
            findings.add(
                f"Diamond − {name}", f"{ours - theirs:+.3f} s", f"≤ {MOST_OVER_PEERS} s", close
            )
    findings.add("`diamond run` adds", added["diamond run"].words())
    more = f"{cli - ours:+.3f} s"
    findings.add(
        "`diamond run` − Diamond", more, f"≤ {MOST_OVER_SDK} s", cli - ours <= MOST_OVER_SDK
    )
    return findings


def first_line_body() -> str:
    return stamp_line(Path("STAMP")).replace("'STAMP'", '"$1"')


@dataclass(frozen=True)
class SdkArm:
    client: Client
    program: Path

    def submit(self, stamp: Path) -> float:
        asked = spec([str(self.program), str(stamp)])
        called = time.time()
        self.client.run(asked, folder=stamp.parent)
        return called


@dataclass(frozen=True)
class CliArm:
    stack: Stack
    program: Path
    folder: Path

    def submit(self, stamp: Path) -> float:
        options = ["--on", "cluster", "--partition", PARTITION, "--time", "1h", "--json"]
        words = [*diamond_words(), "run", *options, "--", str(self.program), str(stamp)]
        env = {**os.environ, **self.stack.service.env}
        called = time.time()
        subprocess.run(words, env=env, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        return called


@dataclass(frozen=True)
class PeerArm:
    process: subprocess.Popen[str]

    def submit(self, stamp: Path) -> float:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{stamp}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


@contextlib.contextmanager
def peer_arm(
    python: Path, file: str, stack: Stack, program: Path, folder: Path
) -> Iterator[PeerArm]:
    """A peer's own process, ready before the first sample."""
    words = [str(python), str(ARMS_FOLDER / file), str(folder), str(program)]
    env = cluster_env(stack.cluster, stack.stamps)
    with subprocess.Popen(
        words, env=env, cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        if process.stdout.readline().strip() != "ready":
            raise SystemExit(f"bench: {file} did not start")
        try:
            yield PeerArm(process)
        finally:
            process.terminate()


CLAIM = Claim("starts", "What Diamond adds to a start", measure)

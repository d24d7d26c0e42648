"""What the record of a one-minute run costs: each step of its capture, as it runs in a job and in the service."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import diamond
from bench.claim import Claim, Findings, Options
from bench.numbers import median
from bench.stack import started_service
from diamond.service.entries.append import Addition, append
from diamond.service.platform.database.engine import Store
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings

sys.path.append(str(Path(__file__).parents[2] / "tests"))
FULL_ROUNDS = 5
RUN_SECONDS, MOST_SHARE = 60.0, 0.01
TASKS = 50
DATA_FILES, DATA_BYTES = 60, 1_000_000
"""About the most that is hashed inside a job: 64 files, 64 MB."""
SCRIPT = Path(diamond.__file__).parent / "launchers" / "batch.sh"
MACHINE = """\
from pathlib import Path
from diamond.training.facts import machine, note
note(machine(with_packages=True), Path({folder!r}))
"""
PROGRAM = """\
import time
before = time.process_time()
from diamond.training.facts import program
program()
print(time.process_time() - before)
"""


def measure(options: Options) -> Findings:
    findings, rounds = Findings(), options.samples(FULL_ROUNDS)
    folder = options.folder
    (folder / "data").mkdir()
    for number in range(DATA_FILES):
        (folder / "data" / f"{number}.bin").write_bytes(os.urandom(DATA_BYTES))
    steps: dict[str, Callable[[], float]] = {
        "the batch script: node, GPUs, packages": lambda: script_seconds(folder, data=""),
        "the batch script: digests of 60 MB of data": lambda: inputs_seconds(folder),
        "the sampler: machine and packages": lambda: _children(MACHINE.format(folder=str(folder))),
        "the program: its libraries and seeds": lambda: float(_output(PROGRAM)),
    }
    total = 0.0
    for name, step in steps.items():
        spent = median([step() for _ in range(rounds)])
        findings.add(f"{name}, CPU s", f"{spent:.3f}")
        total += spent
    spent = service_seconds(folder)
    findings.add(
        "the service: six entries, each in a transaction of its own, CPU s", f"{spent:.3f}"
    )
    share = (total + spent) / RUN_SECONDS
    bar = f"< {100 * MOST_SHARE:.0f} %"
    findings.add(
        "all of it, of a run of 60 s on one core", f"{100 * share:.2f} %", bar, share < MOST_SHARE
    )
    findings.note(
        "CPU seconds of each step by itself, the start of its process included where it has one of its own; "
        "the sampler and the service work beside the run, not before it. The packages are those of the bench's Python."
    )
    return findings


def script_seconds(folder: Path, *, data: str) -> float:
    """The functions of the real batch script, run as it runs them."""
    text = SCRIPT.read_text()
    names = ("diamond_fact", "diamond_note_facts", "diamond_note_inputs", "diamond_note_packages")
    functions = [_function(text, name) for name in names]
    calls = ["diamond_note_inputs"] if data else ["diamond_note_facts", "diamond_note_packages"]
    variables = {
        "PATH": os.environ["PATH"],
        "diamond_place": str(folder),
        "diamond_nodes": "n1",
        "diamond_inside": "",
        "DIAMOND_DATA": data,
        "VIRTUAL_ENV": sys.prefix,
    }
    return _cpu(["bash", "-c", "\n".join([*functions, *calls])], variables)


def inputs_seconds(folder: Path) -> float:
    return script_seconds(folder, data=str(folder / "data"))


def service_seconds(folder: Path) -> float:
    """Of one record, with the database on disk."""
    from support.records import sample_drafts

    with started_service(folder / "service") as service:
        owner = service.client().transport.get("/api/v1/me")["id"]
        url = Settings(home=Path(service.folder)).database

    async def write() -> float:
        store = Store(url, Notifier())
        began = time.process_time()
        for number in range(TASKS):
            task = f"t{number:012}"
            for draft in sample_drafts(task):
                await store.run(partial(append, additions=[Addition(task, owner, [draft])]))
        spent = time.process_time() - began
        await store.close()
        return spent / TASKS

    return asyncio.run(write())


def _function(text: str, name: str) -> str:
    found = re.search(rf"^{name}\(\) {{\n.*?^}}\n", text, re.MULTILINE | re.DOTALL)
    assert found is not None, name
    return found.group()


def _children(program: str) -> float:
    return _cpu([sys.executable, "-c", program], dict(os.environ))


def _cpu(words: list[str], variables: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, env=variables, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _output(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    return done.stdout.decode()


CLAIM = Claim("capture", "What the record of a one-minute run costs", measure)

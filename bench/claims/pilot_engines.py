"""No-op stages in one allocation: Diamond's pilot, with and without batch scripts, beside bare engines on the same two cores."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.numbers import median
from diamond.core.batch_systems import ScriptVariables
from diamond.core.order import Order
from diamond.launchers.script import Batch, render_script
from diamond.pilots.environment import ENGINES
from diamond.pilots.journal import Ended, Entry, Opened, Started, read_entry
from diamond.pilots.json_lines import Appender, Tail
from diamond.pilots.requests import Execution, Lean, Run, request_line
from diamond.pilots.runner_pipe import MAIN
from diamond.pilots.settings import PilotSettings, settings_text
from diamond.schedulers.pilot import PilotScheduler

COUNT, TURNS, CORES = 2000, 2, 2
SLOW_COUNT = 100
"""For arms of which a stage takes tens of milliseconds."""
ARM = Path(__file__).parents[1] / "arms" / "engine_arm.py"
OURS = {
    "Diamond's pilot (Dask)": ("dask", True),
    "the same, each stage with its batch script": ("dask", False),
    "Diamond's pilot (pipes)": ("direct", True),
}
BARE = {
    "bare Dask": ("dask", "peers"),
    "bare Parsl HTEX": ("parsl", "peers"),
    "bare Ray": ("ray", "peers"),
    "bare HyperQueue": ("hyperqueue", "peers"),
    "RADICAL-Pilot": ("radical", "radical"),
}
SLOW = ("the same, each stage with its batch script", "RADICAL-Pilot")
PACKAGES = {
    "peers": [*ENGINES["dask"], "parsl", "ray", "hyperqueue"],
    "radical": ["radical.pilot"],
}
PATIENCE = 150.0


@dataclass
class Taken:
    rates: list[float] = field(default_factory=list)
    ups: list[float] = field(default_factory=list)
    why_not: str = ""


def measure(options: Options) -> Findings:
    pythons = {name: python_with(options.cache, name) for name in PACKAGES}
    arms: dict[str, Callable[[int, Path], tuple[float, float]]] = {}
    for name, (engine, is_lean) in OURS.items():
        arms[name] = lambda count, folder, e=engine, lean=is_lean: ours(  # type: ignore[misc]
            pythons["peers"], e, count, folder, is_lean=lean
        )
    for name, (engine, place) in BARE.items():
        arms[name] = lambda count, folder, e=engine, p=place: bare(pythons[p], e, count, folder)  # type: ignore[misc]
    taken = {name: Taken() for name in arms}
    order = sorted(arms)
    for turn in range(TURNS):
        for name in random.sample(order, len(order)):
            count = options.samples(COUNT)
            count = min(count, SLOW_COUNT) if name in SLOW else count
            run_arm(taken[name], arms[name], count, options.folder / f"{turn}-{order.index(name)}")
    return judge(taken, options.samples(COUNT))


def run_arm(
    taken: Taken, arm: Callable[[int, Path], tuple[float, float]], count: int, folder: Path
) -> None:
    if taken.why_not:
        return
    folder.mkdir()
    try:
        up, seconds = arm(count, folder)
    except subprocess.TimeoutExpired:
        taken.why_not = f"nothing within {PATIENCE:.0f} s"
        return
    except (subprocess.SubprocessError, OSError, ValueError, IndexError):
        taken.why_not = "gave no result here"
        return
    taken.ups.append(up)
    taken.rates.append(count / seconds)


def judge(taken: dict[str, Taken], count: int) -> Findings:
    findings = Findings()
    for name, arm in taken.items():
        if arm.why_not or not arm.rates:
            findings.add(name, arm.why_not or "no sample")
            continue
        findings.add(name, f"{median(arm.rates):.0f} stages/s, first after {median(arm.ups):.1f} s")
    mine = taken["Diamond's pilot (Dask)"]
    dask, radical = taken["bare Dask"], taken["RADICAL-Pilot"]
    if mine.rates and dask.rates:
        ratio = median(mine.rates) / median(dask.rates)
        findings.add("pilot / bare Dask", f"{ratio:.2f}", "≥ 0.7", ratio >= 0.7)
    if mine.rates and radical.rates:
        ratio = median(mine.rates) / median(radical.rates)
        findings.add("pilot / RADICAL-Pilot", f"{ratio:.1f}", "≥ 10", ratio >= 10)
    if mine.ups:
        first = median(mine.ups)
        findings.add("first stage after the allocation began", f"{first:.1f} s", "< 2 s", first < 2)
    findings.note(
        f"{count} times /bin/true ({SLOW_COUNT} for the slow arms) on {CORES} cores; medians of {TURNS} rounds, arms in random "
        "order. Ours claims each stage durably, keeps its logs, facts and exit in its run directory, and speaks TLS; "
        "the bare engines do none of this."
    )
    return findings


def python_with(cache: Path, name: str, packages: Sequence[str] = ()) -> Path:
    folder = cache / f"pilot-{name}-py{sys.version_info[0]}{sys.version_info[1]}"
    python, done = folder / "bin" / "python", folder / "complete"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        words = [str(python), "-m", "pip", "install", "--quiet", *(packages or PACKAGES[name])]
        subprocess.run(words, check=True)
        done.touch()
    return python


def bare(python: Path, engine: str, count: int, folder: Path) -> tuple[float, float]:
    done = subprocess.run(
        [str(python), str(ARM), engine, str(count)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    said = json.loads(done.stdout.strip().splitlines()[-1])
    return float(said["up"]), float(said["seconds"])


def ours(
    python: Path, engine: str, count: int, folder: Path, *, is_lean: bool
) -> tuple[float, float]:
    """The program of a pilot as its batch script would start it; when, by its journal, and how long for all stages."""
    attempt, run = folder / "tasks/tp/attempts/ap", folder / "tasks/tp/run/pilot"
    for place in (attempt / "claim", run, folder / "inbox"):
        place.mkdir(parents=True)
    (attempt / "claim" / "owner").write_text("1 here 0\n")
    settings = PilotSettings(str(run), str(attempt), "tp", engine, idle_seconds=1, cores=CORES)
    (attempt / "pilot.json").write_text(settings_text(settings))
    requests = Appender(str(run / "requests.jsonl"))
    requests.write([stage(folder, n, is_lean=is_lean) for n in range(count)], durable=True)
    began = time.time()
    words = [str(python), "-E", "-s", MAIN, "run", str(attempt / "pilot.json")]
    subprocess.run(words, check=True, timeout=PATIENCE)
    entries = journal(run)
    opened = next(each.at for each in entries if isinstance(each, Opened))
    first = min(each.at for each in entries if isinstance(each, Started))
    ends = [each for each in entries if isinstance(each, Ended)]
    if len(ends) != count or any(each.code for each in ends):
        raise ValueError(f"{len(ends)} of {count} ended")
    return first - began, max(each.at for each in ends) - opened


def journal(run: Path) -> list[Entry]:
    tail, entries = Tail(str(run / "journal.jsonl")), []
    while lines := tail.read():
        entries += [entry for _, line in lines if (entry := read_entry(line)) is not None]
    return entries


def stage(folder: Path, number: int, *, is_lean: bool) -> dict[str, object]:
    """As the agent stages it."""
    task, attempt = f"t{number}", f"a{number}"
    place, run = folder / "tasks" / task / "attempts" / attempt, folder / "tasks" / task / "run"
    (place / "runs" / "1").mkdir(parents=True)
    run.mkdir()
    inbox = str(folder / "inbox")
    if not is_lean:
        (place / "script.sh").write_text(script(task, attempt, place, run, inbox))
    lean = Lean(task, ["/bin/true"], str(run), inbox) if is_lean else None
    return request_line(Run(Execution(attempt, str(place / "script.sh"), str(place), lean=lean)))


def script(task: str, attempt: str, place: Path, run: Path, inbox: str) -> str:
    order = Order("noop", argv=["/bin/true"])
    batch = Batch(
        task, attempt, 1, str(place), str(run), inbox, order, program=["env", "/bin/true"]
    )
    site = ScriptVariables(job_id="")
    return render_script(
        batch, directives=[], variables=PilotScheduler(run, _Nobody(), site).script_variables()
    )


class _Nobody:
    def is_over(self, pilot: str) -> bool:
        return False

    def fate(self, pilot: str, allocation: str) -> None:
        return None


CLAIM = Claim("pilot-engines", "No-op stages in one allocation", measure)

"""Studies: ask and tell through the service, nodes given back by pruning, and the page of 10,000 trials."""

from __future__ import annotations

import contextlib
import random
import sys
import time
from pathlib import Path
from typing import Any

import optuna

from bench.browser import chromium, seconds_until, signed_in
from bench.claim import Claim, Findings, Options
from bench.claims.task_list import DATABASES
from bench.numbers import median
from bench.stack import Stack, slurm_stack, started_service
from bench.waiting import wait_for
from diamond.sdk import Client

TRIALS = 1_000
LEAST_OF_BARE = 0.7
ROUND = 16
SHOWN = 10_000
OPENS_WITHIN = 1.0
FREED = 12
FREE_WITHIN = 10.0
SPACE = {"x": {"log": [1e-5, 1e-1]}, "width": {"choice": [32, 64, 128]}, "n": {"int": [1, 6]}}
DRAWN = "document.querySelectorAll('[data-chart=drawn]').length >= 1"
ROWS = "document.querySelectorAll('[role=table] [role=row]').length > 10"
PROGRAM = """\
import json, os, pathlib, signal, sys, time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
place = pathlib.Path(sys.argv[2])
is_first = not (place / "first").exists()
(place / "first").touch()
value = 0.9 if is_first else 0.5 - len(list(place.iterdir())) / 100
for step in range(1, 100_000):
    if step == 2:
        (place / os.environ["DIAMOND_TASK"]).write_text(str(time.time()))
    with open(os.environ["DIAMOND_METRICS"], "a") as file:
        file.write(json.dumps({"step": step, "accuracy": value}) + "\\n")
    if step == 3 and is_first:
        break
    time.sleep(0.5)
"""
"""The first trial is good and ends. Each later one is worse than all before, never ends, and ignores SIGTERM and the flag."""


def measure(options: Options) -> Findings:
    findings = Findings()
    for database, url_for in DATABASES.items():
        with url_for() as (url, _), started_service(options.folder / database, url) as service:
            ask_and_tell(findings, database, service.client(), options.samples(TRIALS))
    with slurm_stack(options.folder / "slurm", stamped=False) as stack:
        given_back(findings, stack, options.samples(FREED), options.folder)
    with contextlib.ExitStack() as exits:
        service = exits.enter_context(started_service(options.folder / "pages"))
        study = imported(service.client())
        context = exits.enter_context(signed_in(exits.enter_context(chromium()), service))
        page = context.new_page()
        for name, tab, condition in (
            ("overview", "", DRAWN),
            ("parallel coordinates", "?tab=parameters", DRAWN),
            ("table", "?tab=trials", ROWS),
        ):
            times = [seconds_until(page, f"/studies/{study}{tab}", condition) for _ in range(6)]
            opened = median(times[1:])
            words = f"{opened:.2f} s"
            findings.add(
                f"{SHOWN} trials, {name}", words, f"< {OPENS_WITHIN} s", opened < OPENS_WITHIN
            )
    return findings


def ask_and_tell(findings: Findings, database: str, client: Client, count: int) -> None:
    """In rounds of 16, as a study with 16 slots asks; and one at a time, where the way to the service counts most."""
    for sampler, together in (("tpe", ROUND), ("tpe", 1), ("random", ROUND)):
        bare = bare_seconds(sampler, count, together)
        ours = our_seconds(client, sampler, count, together)
        ratio = bare / ours
        words = f"{ratio:.2f} ({1000 * ours / count:.2f} ms over {1000 * bare / count:.2f} ms)"
        is_held = sampler == "tpe" and together == ROUND
        bar = (f"≥ {LEAST_OF_BARE}", ratio >= LEAST_OF_BARE) if is_held else ("", None)
        findings.add(f"{database}, {sampler}, {together} at a time, {count} trials", words, *bar)


def our_seconds(client: Client, sampler: str, count: int, together: int) -> float:
    options: dict[str, Any] = {}
    study = client.open_study(
        f"ask-{sampler}",
        {"y": "minimize"},
        SPACE,
        trials=count,
        sampler={sampler: options},
        seed=1,
    )
    path = f"/api/v1/studies/{study.id}/tell"
    began = time.perf_counter()
    asked = study.ask(together)
    while asked:
        told = [{"number": each["number"], "values": [value(each["params"])]} for each in asked]
        asked = client.transport.post(path, {"trials": told, "ask": together})["trials"]
    return time.perf_counter() - began


def bare_seconds(sampler: str, count: int, together: int) -> float:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    made: Any = optuna.samplers.RandomSampler(seed=1)
    if sampler == "tpe":
        made = optuna.samplers.TPESampler(seed=1, constant_liar=together > 1)
    study = optuna.create_study(sampler=made)
    began, done = time.perf_counter(), 0
    while done < count:
        trials = [study.ask() for _ in range(min(together, count - done))]
        for trial in trials:
            trial.suggest_float("x", 1e-5, 1e-1, log=True)
            trial.suggest_categorical("width", [32, 64, 128])
            trial.suggest_int("n", 1, 6)
        for trial in trials:
            study.tell(trial, value(trial.params))
        done += len(trials)
    return time.perf_counter() - began


def value(params: dict[str, Any]) -> float:
    return float(params["x"] * params["width"] + params["n"])


def given_back(findings: Findings, stack: Stack, count: int, folder: Path) -> None:
    """From the write of the deciding value to the job's absence from the queue, one trial after another."""
    place = folder / "decided"
    place.mkdir()
    client = stack.service.client()
    spec = {
        "name": "freed",
        "run": [sys.executable, "-c", PROGRAM, "{lr}", str(place)],
        "on": "cluster",
        "resources": {"memory": "100MB", "walltime": "10m"},
        "study": {
            "objective": {"accuracy": "maximize"},
            "space": {"lr": {"log": [1e-5, 1e-1]}},
            "sampler": "random",
            "pruner": {"asha": {"min": 2, "max": 10_000, "factor": 2}},
            "trials": count + 1,
            "parallel": 1,
        },
    }
    study = client.study(spec, folder=folder, with_code=False)
    taken: list[float] = []
    for number in range(1, count + 1):
        task = wait_for(lambda: task_of(study, number), within=120)  # noqa: B023
        written = place / str(task)
        wait_for(lambda: written.exists() and written.read_text(), within=120)  # noqa: B023
        job = client.task(str(task)).raw["native_id"]
        words = ("squeue", "--noheader", "--states=R,CG", "--jobs", job)
        wait_for(
            lambda: not stack.cluster.run(words, check=False).stdout.strip(),  # noqa: B023
            within=120,
            every=0.05,
        )
        taken.append(time.time() - float(written.read_text()))
    middle = median(taken)
    each = ", ".join(f"{seconds:.1f}" for seconds in sorted(taken))
    findings.add(
        "deciding value logged → node free, median",
        f"{middle:.1f} s ({each})",
        f"≤ {FREE_WITHIN} s",
        middle <= FREE_WITHIN,
    )
    findings.note("The programs ignore SIGTERM and the stop flag, so each uses its whole 5 s.")


def task_of(study: Any, number: int) -> str:
    """Of a trial that was started; '' before."""
    items = {item["number"]: item for item in study.trials(limit=50)}
    return str(items[number]["task"]) if number in items else ""


def imported(client: Client) -> str:
    """A study of 10,000 trials with 20 values each."""
    chance = random.Random(0)
    trials = []
    for _ in range(SHOWN):
        params = {
            "x": 10 ** chance.uniform(-5, -1),
            "width": chance.choice([32, 64, 128]),
            "n": chance.randint(1, 6),
        }
        steps = [(float(n), chance.random() + n / 20) for n in range(20)]
        end = {"state": "complete", "values": [value(params)]}
        trials.append({**end, "params": params, "steps": steps})
    space = [
        {"name": "x", "kind": "float", "low": 1e-5, "high": 1e-1, "log": True},
        {"name": "width", "kind": "choice", "choices": [32, 64, 128]},
        {"name": "n", "kind": "int", "low": 1, "high": 6},
    ]
    goal = {"y": "minimize"}
    body = {"name": "large", "objectives": goal, "space": space, "trials": trials}
    return client.import_study(body).id


CLAIM = Claim("studies", "Studies: ask and tell, nodes given back, 10,000 trials", measure)

"""Diamond's own builder, run inside a batch job: `python3 -m diamond.runtimes.builder fetch|run|shell build.json`.

`build.json` is written by the agent: what to build, and what it knows of this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any, Dict, List, Optional

from diamond.core.errors import BadRequest, Cancelled, DiamondError
from diamond.core.order import Build, build_from
from diamond.images.diagnosis import diagnose
from diamond.images.plan import BuildPlan, make_plan
from diamond.images.recipe import Recipe, recipe_data, recipe_from
from diamond.runtimes.abilities import abilities
from diamond.runtimes.adapters import choose_builder, likely_builder
from diamond.runtimes.base import Builder, Inside, NotBegun, Runtime
from diamond.runtimes.building import StepFailed, Work, build_image, find_image, open_builder
from diamond.runtimes.calls import Call, own_words
from diamond.runtimes.entering import program_script
from diamond.runtimes.fetching import fetch_wheels, python_of
from diamond.runtimes.image_folders import ImageFolders, read_json, write_json, write_whole
from diamond.runtimes.reporting import Report
from diamond.runtimes.resolving import Resolver
from diamond.runtimes.site import Site, read_site
from diamond.runtimes.squash_job import squash
from diamond.runtimes.store import find, verify
from diamond.runtimes.tools import fetch_uv, find_uv

FAILED, CANCELLED, CONTINUE = 1, 130, 75


def main(argv: Optional[List[str]] = None) -> int:
    arguments = _parser().parse_args(argv)
    if arguments.act == "probe":
        print(json.dumps(abilities(arguments.work, arguments.tmp)))
        return 0
    if arguments.act == "squash":
        return squash(arguments.file)
    stop = _Stop()
    report = Report(arguments.steps or _beside_metrics())
    try:
        task = read_task(arguments.file, report, stop)
        if arguments.act == "fetch":
            task.fetch()
        elif arguments.act == "run":
            task.run()
        elif arguments.act == "enter":
            task.write_enter(arguments)
        else:
            return task.shell(arguments.step)
    except Cancelled:
        report.say("cancelled; the steps before this one are kept")
        return CONTINUE if stop.is_time_up() else CANCELLED
    except DiamondError as error:
        report.say(f"{error.message}\n{error.hint}".strip())
        step = error.step if isinstance(error, NotBegun) else ""
        report.tell("refused", message=error.message, hint=error.hint, step=step)
        if not isinstance(error, StepFailed):
            report.blame(f"{error.message}\n{error.hint}".strip())
        return FAILED
    except OSError as error:
        diagnosis = diagnose([str(error)], FAILED)
        report.say(f"{error}\n{diagnosis.hint}")
        report.tell("refused", message=f"{diagnosis.message}: {error}", hint=diagnosis.hint)
        report.blame(f"{diagnosis.message}: {error}. {diagnosis.hint}")
        return FAILED
    return 0


@dataclass(frozen=True)
class BuildTask:
    """What one call of the builder works on."""

    file: Path
    build: Build
    image_folders: ImageFolders
    site: Site
    report: Report
    stop: _Stop
    name: str
    uv: str = ""
    """The uv that the agent knows of."""

    def fetch(self) -> None:
        """What needs the network: base, lock, wheels. Everything is remembered beside `build.json`."""
        recipe = self.recipe()
        fetch_wheels(recipe, self.runtime, self._work(self.runtime), self._call())

    def run(self) -> None:
        """Asked for again, an image is found before anybody tries out what this node can do."""
        recipe = self.recipe()
        likely = likely_builder(self.build.environment, self.build.runtime)
        if likely is None or not find_image(recipe, self._work(likely), self.report):
            build_image(recipe, self._work(self.runtime), self.report)

    def shell(self, step: str) -> int:
        """A shell in the state just before a step; what is changed there is thrown away."""
        recipe, runtime = self.recipe(), self.runtime
        work = replace(self._work(runtime), build=f"{self.name}-shell-{os.getpid()}")
        plan = make_plan(recipe, runtime.name)
        with open_builder(plan, work, self._call(), discards=True) as builder:
            _begin_before(builder, plan, step)
            print(builder.shell_notice(), file=sys.stderr, flush=True)
            command = builder.inside(["/bin/sh"], terminal=True)
            return subprocess.call(command, env={**os.environ, **builder.variables()})

    def write_enter(self, arguments: argparse.Namespace) -> None:
        """A script that starts a command inside the image that was built, for people and tests."""
        recipe, runtime = self.recipe(), self.runtime
        manifest = find(self.image_folders, recipe.identity, [runtime.format])
        if manifest is None:
            raise BadRequest("This image is not built yet", "Run the build first.")
        manifest = verify(self.image_folders, manifest)
        binds = [
            (str(place), str(place)) for place in (*arguments.bind, arguments.training) if place
        ]
        enter = runtime.enter(manifest, Inside(binds, str(arguments.folder or "")))
        if enter is None:
            own = " ".join(quote(f"{name}={value}") for name, value in manifest.variables.items())
            path = f"export PATH={quote(':'.join(manifest.path))}:$PATH\n" if manifest.path else ""
            cd = f"cd {quote(str(arguments.folder))} || exit\n" if arguments.folder else ""
            text = f'#!/bin/bash\n{path}{cd}exec env {own} "$@"\n'
        else:
            training = str(arguments.training or "")
            text = program_script(
                enter, manifest, training=training, names=arguments.variable, gpus=arguments.gpus
            )
        write_whole(arguments.script, text.encode())

    @cached_property
    def runtime(self) -> Runtime:
        """What builds here; found out by trying."""
        chosen, why = choose_builder(
            self.build.environment, self.build.runtime, self.image_folders.tmp
        )
        self.report.say(f"runtime: {why}")
        return chosen

    def recipe(self) -> Recipe:
        """Resolved once for each build; later calls read what was written then."""
        resolved = read_json(self._resolved)
        if resolved is not None:
            return recipe_from(resolved)
        environment = self.build.environment
        if likely_builder(environment, self.build.runtime) is None:
            self.runtime  # noqa: B018 -- says why nothing here can build it, before anything is fetched
        unlocked = bool(environment.requirements) and not environment.lock
        resolver = Resolver(
            self.image_folders, self.site, self._call(), self._uv() if unlocked else None
        )
        first = resolver.resolve_base(environment, self.build.base_digest)
        python = (environment.python or self._python_of(first)) if unlocked else ""
        recipe = resolver.with_lock(first, python, upgrade=self.build.upgrade)
        write_json(self._resolved, recipe_data(recipe))
        return recipe

    def _python_of(self, recipe: Recipe) -> str:
        return python_of(recipe, self.runtime, self._work(self.runtime), self._call())

    @property
    def _resolved(self) -> Path:
        return self.file.with_name("recipe.json")

    def _work(self, runtime: Runtime) -> Work:
        shell = [*own_words(), "shell", str(self.file)]
        return Work(
            image_folders=self.image_folders,
            site=self.site,
            runtime=runtime,
            uv=self._uv() if self.build.environment.requirements else self._find_uv(),
            build=self.name,
            cancelled=self.stop.is_asked,
            shell=shell,
        )

    def _call(self) -> Call:
        return Call(self.report.write, self.stop.is_asked, mask=self.site.secrets)

    def _find_uv(self) -> Optional[str]:
        return self.uv if os.access(self.uv, os.X_OK) else find_uv(self._tools)

    def _uv(self) -> Optional[str]:
        log = self.image_folders.tmp / f"diamond-uv-{os.getuid()}.log"
        return self._find_uv() or fetch_uv(
            self._tools, log=log, say=self.report.say, cancelled=self.stop.is_asked
        )

    @property
    def _tools(self) -> Path:
        return self.image_folders.root.parent


class _Stop:
    """A cancel sends TERM; before the time limit the job's stop flag appears, and the build is continued later."""

    def __init__(self) -> None:
        self._asked = False
        self._flag = os.environ.get("DIAMOND_STOP_FILE", "")
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def is_asked(self) -> bool:
        return self._asked or self.is_time_up()

    def is_time_up(self) -> bool:
        return bool(self._flag) and not self._asked and Path(self._flag).exists()

    def _ask(self, *_: Any) -> None:
        self._asked = True


def read_task(file: Path, report: Report, stop: _Stop) -> BuildTask:
    task: Optional[Dict[str, Any]] = read_json(file)
    if task is None:
        raise BadRequest(f"{file} is not there, or not a build", "It is written by the agent.")
    work = Path(task["work"])
    site = read_site(task.get("site") or {})
    tmp = Path(site.tmp or task.get("tmp") or "/tmp")
    image_folders = ImageFolders(work / "images", tmp)
    image_folders.make()
    build = build_from(task["build"])
    uv, name = str(task.get("uv") or ""), str(task["name"])
    return BuildTask(file.absolute(), build, image_folders, site, report, stop, name, uv)


def _begin_before(builder: Builder, plan: BuildPlan, name: str) -> None:
    step = plan.step(name)
    below = plan.steps[0] if step.kind == "base" else plan.below(step)
    if not builder.has(below.key):
        raise BadRequest(
            f"The state before {name} is not here any more",
            "Run the build again, then open the shell.",
        )
    builder.begin(below)


def _beside_metrics() -> Optional[Path]:
    """In a job, beside the metrics of this run, where the agent looks for it."""
    metrics = os.environ.get("DIAMOND_METRICS")
    return Path(metrics).with_name("steps.jsonl") if metrics else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="diamond-builder")
    acts = parser.add_subparsers(dest="act", required=True)
    for name, options in (
        ("fetch", "bring base, lock and wheels, where there is a network"),
        ("run", "build the image, or find it"),
        ("shell", "open a shell in the state just before a step"),
    ):
        act = acts.add_parser(name, help=options)
        act.add_argument("file", type=Path)
        act.add_argument("--steps", type=Path, help="a file for one line of JSON an event")
        if name == "shell":
            act.add_argument("step")
    probe = acts.add_parser("probe", help="say what this node can build and run with")
    probe.add_argument("work", type=Path)
    probe.add_argument("tmp", type=Path)
    squash_job = acts.add_parser("squash", help="pack an image from its layers; called by a build")
    squash_job.add_argument("file", type=Path)
    enter = acts.add_parser("enter", help="write a script that starts a command inside the image")
    enter.add_argument("file", type=Path)
    enter.add_argument("--script", type=Path, required=True)
    enter.add_argument("--bind", type=Path, action="append", default=[])
    enter.add_argument("--training", type=Path)
    enter.add_argument("--folder", type=Path)
    enter.add_argument("--gpus", default="")
    enter.add_argument("--variable", action="append", default=[], help="one that goes in too")
    enter.set_defaults(steps=None)
    return parser


if __name__ == "__main__":
    sys.exit(main())

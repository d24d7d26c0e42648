"""What of a build needs the network, done before it where there is one: the base, its Python, the lock's wheels."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import List

from diamond.core.errors import EnvironmentFailed
from diamond.images.diagnosis import CANNOT_START, START_HINT, diagnose
from diamond.images.plan import BASE, make_plan
from diamond.images.recipe import Recipe
from diamond.runtimes.base import NotBegun, Runtime
from diamond.runtimes.building import Work, open_builder
from diamond.runtimes.calls import Call
from diamond.runtimes.namespaces import remove_tree
from diamond.runtimes.resolving import site_variables
from diamond.runtimes.site import has_torch_builds
from diamond.runtimes.tools import own_python

STARTED = "diamond: inside"
PYTHON_SCRIPT = f"""\
echo "{STARTED}"
for one in /opt/venv/bin/python python3 python; do
  "$one" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null && exit
done
exit 0
"""


def python_of(recipe: Recipe, runtime: Runtime, work: Work, call: Call) -> str:
    """The version that the base brings; packages are locked for it."""
    if runtime.format == "venv":
        command = [own_python(), "-c", 'import sys; print("%d.%d" % sys.version_info[:2])']
        return (call.output(command) or "").strip()
    plan = make_plan(recipe, runtime.name)
    with open_builder(plan, work, call) as builder:
        builder.make_base()
        (work.scratch / "site" / "python.sh").write_text(PYTHON_SCRIPT, encoding="utf-8")
        call.last.clear()
        said = builder.read(plan.steps[0], "python.sh").splitlines()
    if STARTED not in said:
        raise cannot_start(runtime.name, list(call.last))
    version = said[-1].strip()
    if version == STARTED:
        raise NotBegun(
            BASE,
            f"The base {recipe.environment.base} has no Python, so packages cannot be chosen for it",
            "Choose a base with Python; or name it under `system:` and say which with `python: '3.11'`.",
        )
    return version


def cannot_start(runtime: str, lines: List[str]) -> NotBegun:
    """The container itself did not start: nothing is known of the base."""
    said = "\n".join(f"    {line}" for line in lines[-8:])
    diagnosis = diagnose(lines, 1, step=BASE)
    hint = diagnosis.hint if diagnosis.cause == CANNOT_START else START_HINT
    return NotBegun(BASE, f"{runtime} could not start a container on this machine:\n{said}", hint)


def fetch_wheels(recipe: Recipe, runtime: Runtime, work: Work, call: Call) -> None:
    """Bring the base, and the lock's wheels into uv's cache: the compute node may have no network.

    The wheels are those for the Python of the image, which may differ from this machine's own.
    """
    plan = make_plan(recipe, runtime.name)
    with open_builder(plan, work, call) as builder:
        if not builder.has(plan.steps[0].key):
            call.say(f"bringing the base {recipe.environment.base}")
            builder.make_base()
    if recipe.lock and work.uv:
        python = recipe.environment.python or _python_if_any(recipe, runtime, work, call)
        fill_cache(recipe, python, work, call)


def _python_if_any(recipe: Recipe, runtime: Runtime, work: Work, call: Call) -> str:
    try:
        return python_of(recipe, runtime, work, call)
    except EnvironmentFailed:
        return ""


def fill_cache(recipe: Recipe, python: str, work: Work, call: Call) -> None:
    """uv has no download command; an installation that is thrown away leaves the wheels in its cache."""
    target = work.image_folders.building / f"fetch-{os.getpid()}"
    lock = work.image_folders.building / f"fetch-{os.getpid()}.txt"
    lock.write_text(recipe.lock, encoding="utf-8")
    command = [str(work.uv), "pip", "install", "--quiet", "--require-hashes", "--no-deps"]
    command += ["--target", str(target), "--requirement", str(lock), "--python", own_python()]
    if python:
        command += ["--python-version", python]
    variables = site_variables(work.site, work.image_folders, recipe.environment.accelerator)
    if not has_torch_builds(recipe.lock):
        variables.pop("UV_TORCH_BACKEND", None)
    call.say("bringing the packages of the lock into uv's cache")
    try:
        if call.run(command, variables=variables, folder=work.image_folders.building, quietly=True):
            call.say("not all packages could be brought beforehand; the build will ask for them")
    finally:
        remove_tree(target)
        with suppress(FileNotFoundError):
            lock.unlink()

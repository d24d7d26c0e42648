"""A virtual environment from a requirements list: made once for each list, kept, and entered by the batch script."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, List, Mapping, Optional

from diamond.core.errors import EnvironmentFailed
from diamond.core.order import Environment, canonical
from diamond.images.accelerators import CPU, cpu_note
from diamond.runtimes.base import Entered
from diamond.runtimes.child import last_lines, run_child
from diamond.runtimes.failures import UNREACHABLE, explain
from diamond.runtimes.lock import hold_lock
from diamond.runtimes.pip_settings import pip_settings, uv_flags, uv_variables
from diamond.runtimes.site import read_site
from diamond.runtimes.tools import cache_variables, fetch_uv, find_uv, own_python

Say = Callable[[str], None]
Cancelled = Callable[[], bool]


def ensure_environment(
    environment: Environment, *, folder: Path, say: Say, cancelled: Cancelled
) -> Entered:
    """Make the environment ready under `folder`, or find it there.

    Safe to call from several threads and processes at once: one builds, the others wait. A build that was
    killed starts from scratch. Raises `EnvironmentFailed` with the installer's last lines, or `core.errors.Cancelled`.
    """
    if not environment.requirements and not environment.python:
        return Entered()
    folder = folder.absolute()
    if environment.accelerator and not _torch_backend(environment):
        environment = replace(
            environment, accelerator=""
        )  # the site's own packages are what it chose
    home = folder / "environments" / environment_digest(environment)
    if not _is_usable(home):
        _ensure_built(environment, home=home, folder=folder, say=say, cancelled=cancelled)
    return _entered(home, environment)


def environment_digest(environment: Environment) -> str:
    """The name of an environment's folder: equal lists, Python and kind of machine share one."""
    facts = {
        "requirements": sorted({line.strip() for line in environment.requirements if line.strip()}),
        "python": environment.python or ".".join(platform.python_version_tuple()[:2]),
        "machine": f"{platform.system()}-{platform.machine()}",
    }
    if environment.accelerator:
        facts["accelerator"] = environment.accelerator
    return hashlib.sha256(canonical(facts)).hexdigest()[:32]


@dataclass(frozen=True)
class Build:
    """One build on its way. `lock` is inherited by the installer, so that nobody builds beside an orphan."""

    environment: Environment
    home: Path
    folder: Path
    say: Say
    cancelled: Cancelled
    lock: int

    @property
    def venv(self) -> Path:
        return self.home / "venv"

    @property
    def log(self) -> Path:
        return self.home / "build.log"

    @property
    def list_file(self) -> Path:
        return self.home / "requirements.txt"


def build_with_uv(build: Build, uv: str) -> None:
    """The fast way. A Python version that the machine lacks is fetched by uv, where it can."""
    python = build.environment.python or own_python()
    _run(build, [uv, "venv", "--quiet", "--python", python, str(build.venv)])
    if build.environment.requirements:
        interpreter = str(build.venv / "bin" / "python")
        listed = [*uv_flags(pip_settings()), "--requirement", str(build.list_file)]
        _install(build, [uv, "pip", "install", "--python", interpreter, *listed])


def _install(build: Build, command: List[str]) -> None:
    """With the builds of PyTorch that fit, if their index can be reached from here."""
    backend = _torch_backend(build.environment)
    if not backend:
        _run(build, command)
        return
    build.say(cpu_note("the job asks for no GPU") if backend == CPU else f"PyTorch for {backend}")
    try:
        _run(build, command, {"UV_TORCH_BACKEND": backend})
    except EnvironmentFailed as error:
        if not error.message.startswith(UNREACHABLE):
            raise
        build.say("PyTorch's own package index cannot be reached; taking the package index's build")
        _run(build, command)


def _torch_backend(environment: Environment) -> str:
    """uv's name for it; '' where the site has its own packages, or nobody chose."""
    return read_site({}).accelerated(environment.accelerator)[1]


def build_with_pip(build: Build) -> None:
    """The slow way, where uv cannot be had; pip reads its own settings."""
    _run(build, [_system_python(build.environment.python), "-m", "venv", str(build.venv)])
    if build.environment.requirements:
        pip = [str(build.venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        _run(
            build, [*pip, "install", "--progress-bar", "off", "--requirement", str(build.list_file)]
        )


def _ensure_built(
    environment: Environment, *, home: Path, folder: Path, say: Say, cancelled: Cancelled
) -> None:
    home.mkdir(parents=True, exist_ok=True)
    lock_file = home.with_name(f"{home.name}.lock")

    def waiting() -> None:
        say("waiting for another build of the same environment")

    with hold_lock(lock_file, waiting=waiting, cancelled=cancelled) as lock:
        if _is_usable(home):
            return
        build = Build(environment, home, folder, say, cancelled, lock)
        _build(build)


def _build(build: Build) -> None:
    (build.home / "complete").unlink(missing_ok=True)
    shutil.rmtree(build.venv, ignore_errors=True)
    build.log.write_bytes(b"")
    build.list_file.write_text("\n".join(build.environment.requirements) + "\n", encoding="utf-8")
    build.say(
        f"making an environment with {', '.join(build.environment.requirements) or 'Python alone'}"
    )
    uv = _uv(build)
    if uv:
        build_with_uv(build, uv)
    else:
        build_with_pip(build)
    _mark_complete(build.home)


def _uv(build: Build) -> Optional[str]:
    return find_uv(build.folder) or fetch_uv(
        build.folder, log=build.log, say=build.say, cancelled=build.cancelled
    )


def _run(build: Build, command: List[str], more: Optional[Mapping[str, str]] = None) -> None:
    own = {name: value for name, value in os.environ.items() if name.startswith("UV_")}
    variables = {**uv_variables(pip_settings()), **own, **cache_variables(build.folder)}
    variables.update(more or {})
    code = run_child(
        command,
        log=build.log,
        say=lambda line: _say_progress(build.say, line),
        cancelled=build.cancelled,
        variables=variables,
        keep_open=[build.lock],
    )
    if code:
        raise explain(last_lines(build.log), log=str(build.log))


def _say_progress(say: Say, line: str) -> None:
    """What only the log needs to hold is left out."""
    if line.strip() and not line.startswith(_DULL):
        say(line.strip())


_DULL = (" + ", " - ", " ~ ", "Requirement already", "Using Python")


def _system_python(version: str) -> str:
    program = shutil.which(f"python{version}") if version else own_python()
    if not program:
        raise EnvironmentFailed(
            f"Python {version} is not on the machine, and uv, which could fetch it, is not there either",
            "Leave out `python:` to take the machine's own.",
        )
    return program


def _mark_complete(home: Path) -> None:
    aside = home / "complete.part"
    aside.write_text(platform.node() + "\n", encoding="utf-8")
    aside.replace(home / "complete")


def _is_usable(home: Path) -> bool:
    """Marked complete, and the Python it links to is still there (sites remove old ones)."""
    return (home / "complete").is_file() and os.access(home / "venv" / "bin" / "python", os.X_OK)


def _entered(home: Path, environment: Environment) -> Entered:
    venv = home / "venv"
    return Entered(exported={"VIRTUAL_ENV": str(venv)}, path=[str(venv / "bin")])

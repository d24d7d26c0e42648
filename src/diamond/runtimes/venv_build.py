"""A virtual environment by the same steps: made in its final place, copied as the layer of each step.

A copy is moved to another place when a changed recipe starts from it, so it must not know its own path.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from diamond.core.errors import EnvironmentFailed
from diamond.images.plan import COMMAND, Step
from diamond.runtimes.base import BuildContext, Enter, Inside, Probe
from diamond.runtimes.image_folders import read_json, short, write_json
from diamond.runtimes.manifests import ImageManifest
from diamond.runtimes.site import step_file
from diamond.runtimes.tools import own_python


class Venv:
    name = "venv"
    format = "venv"
    binds_archives = False

    def probe(self, tmp: Path) -> Probe:
        return Probe("1", builds=True, runs=True, why="no container: the machine's own Python")

    def builder(self, context: BuildContext) -> VenvBuilder:
        return VenvBuilder(context)

    def enter(self, manifest: ImageManifest, inside: Inside) -> Optional[Enter]:
        return None


class VenvBuilder:
    """The last layer is the environment itself, so that the usual one (packages, no commands) is made once and never copied."""

    def __init__(self, context: BuildContext) -> None:
        self._context = context
        self._layers = context.image_folders.layers / "venv"
        self._layers.mkdir(parents=True, exist_ok=True)
        name = short(context.plan.identity)
        # Never the place of the environment itself: jobs may be running from it.
        self._home = (context.scratch if context.discards else context.image_folders.venvs) / name
        self._is_open = False
        self._at = ""
        self._lent: Optional[Step] = None
        """The step whose layer is the working state itself."""

    @property
    def venv(self) -> Path:
        return self._home / "venv"

    def route(self) -> str:
        return f"no container: a virtual environment in {self._home}"

    def has(self, key: str) -> bool:
        return self._is_base(key) or self._folder(key).is_dir()

    def make_base(self) -> None:
        """The machine's own Python is there already."""

    def begin(self, step: Step) -> None:
        if self._is_open and self._at == step.key:
            return
        self.abandon()
        shutil.rmtree(self._home, ignore_errors=True)
        self._home.mkdir(parents=True)
        self._is_open, self._at = True, step.key
        if self._is_base(step.key):
            self.venv.mkdir()
            return
        source = self._folder(step.key)
        self._copy(source, self.venv)
        move_scripts(self.venv, str(self._layer_note(step.key).get("made_at", "")))

    def run(self, step: Step) -> int:
        self._at = ""
        script = self._context.inside.path / "steps" / step_file(step)
        folder = self.venv if step.kind == COMMAND else self._context.scratch
        command = _started_in(folder, ["/bin/sh", "-eu", str(script)])
        return self._context.call.run(command, variables=self.variables())

    def inside(self, command: Sequence[str], *, terminal: bool = False) -> List[str]:
        """In the environment's folder: it is what a layer keeps, so a relative file is there for the next command."""
        return _started_in(self.venv, command)

    def shell_notice(self) -> str:
        return (
            f"You are in {self.venv}, a copy of the environment before the step, which is deleted when you leave.\n"
            "There is no container: files outside of this folder are your real ones."
        )

    def read(self, top: Step, script: str) -> str:
        if not self._is_open:
            self.begin(top)
        command = self.inside(["/bin/sh", str(self._context.inside.path / script)])
        return self._context.call.output(command, variables=self.variables()) or ""

    def native(self, top: Step) -> str:
        return ""

    def keep(self, step: Step) -> None:
        """The working state stays open: the next step continues in it."""
        layer = self._layers / short(step.key)
        shutil.rmtree(layer, ignore_errors=True)
        layer.mkdir(parents=True)
        folder = layer / "venv"
        if step == self._context.plan.top:
            folder, self._lent = self.venv, step
        else:
            self._copy(self.venv, folder)
        note = {"key": step.key, "made_at": str(self.venv), "folder": str(folder)}
        write_json(layer / "layer.json", note)
        self._at = step.key

    def abandon(self) -> None:
        if not self._is_open:
            return
        if self._lent is not None:
            self._give_back(self._lent)
        shutil.rmtree(self._home, ignore_errors=True)
        self._is_open, self._at = False, ""

    def pack(self, top: Step, target: Path) -> None:
        """Nothing is packed: a virtual environment lives where it was made, and is never moved."""
        if not self._is_open:
            self.begin(top)
        self._is_open = False

    def remove(self, key: str) -> None:
        shutil.rmtree(self._layers / short(key), ignore_errors=True)

    def _give_back(self, step: Step) -> None:
        """The build ends without an image: what was made becomes a layer like the others."""
        layer = self._layers / short(step.key)
        self.venv.rename(layer / "venv")
        write_json(
            layer / "layer.json", {**self._layer_note(step.key), "folder": str(layer / "venv")}
        )
        self._lent = None

    def _layer_note(self, key: str) -> Dict[str, str]:
        return read_json(self._layers / short(key) / "layer.json") or {}

    def _folder(self, key: str) -> Path:
        return Path(self._layer_note(key).get("folder", "/nowhere"))

    def variables(self) -> Dict[str, str]:
        """A Python that the machine lacks is fetched by uv, where it can."""
        context = self._context
        given = {
            "diamond_bare": "1",
            "diamond_site": str(context.inside.path),
            "diamond_venv": str(self.venv),
            "VIRTUAL_ENV": str(self.venv),
            "PATH": f"{self.venv}/bin:{os.environ.get('PATH', os.defpath)}",
            "UV_PYTHON_DOWNLOADS": "automatic",
            "UV_PYTHON_INSTALL_DIR": str(context.image_folders.root.parent / "pythons"),
            "PYTHONNOUSERSITE": "1",
        }
        return (
            given
            if context.plan.recipe.environment.python
            else {**given, "UV_PYTHON": own_python()}
        )

    def _copy(self, source: Path, target: Path) -> None:
        """A true copy, cloned where the file system can: with hard links a later step could change an earlier layer."""
        command = ["cp", "-a", "--reflink=auto", str(source), str(target)]
        if self._context.call.run(command):
            raise EnvironmentFailed(
                "The environment could not be copied:\n    " + self._context.call.last[-1],
                "Free some room in the endpoint's work folder.",
            )

    def _is_base(self, key: str) -> bool:
        return key == self._context.plan.steps[0].key


def _started_in(folder: Path, command: Sequence[str]) -> List[str]:
    """A person's own settings change nothing."""
    enter = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', str(folder)]
    return [*enter, "/usr/bin/env", "-u", "PYTHONPATH", "-u", "PYTHONHOME", *command]


def move_scripts(venv: Path, made_at: str) -> None:
    """Programs that a person's command installed name the Python of the place where they were made."""
    if not made_at or made_at == str(venv) or not (venv / "bin").is_dir():
        return
    for program in (venv / "bin").iterdir():
        if program.is_symlink() or not program.is_file():
            continue
        content = program.read_bytes()
        head, mark, rest = content.partition(b"\n")
        if head.startswith(b"#!") and made_at.encode() in head:
            moved = head.replace(made_at.encode(), os.fsencode(venv))
            program.write_bytes(moved + mark + rest)

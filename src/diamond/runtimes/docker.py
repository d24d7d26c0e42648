"""Docker, by podman's words: its daemon runs the containers, as root unless it was set up otherwise."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from shlex import quote
from typing import List, Sequence

from diamond.images.scripts import SITE
from diamond.runtimes.apptainer import version_of
from diamond.runtimes.base import BuildContext, Probe
from diamond.runtimes.podman import PLACE, START, WATCH, Podman, PodmanBuilder

ANSWER_SECONDS = 20.0
_TELL = "diamond_run='echo \"$$\" >/tmp/'${diamond_place##*/}/pid'\n'$diamond_run\n"
"""Docker writes no file with the program's number, but shares the machine's numbers (`--pid host`): the program tells its own."""
_GIVE_BACK = "find {place} -user 0 -exec chown -h {owner} {{}} + 2>/dev/null || true"


class Docker(Podman):
    name = "docker"
    nvidia = ("--gpus", "all")

    def probe(self, tmp: Path) -> Probe:
        version = version_of(self.name)
        if not version:
            return Probe(why="docker is not on this node's PATH")
        said = _output(["version", "--format", "{{.Server.Version}}"])
        if not said:
            return Probe(version, why="its daemon does not answer you on this node")
        return Probe(version, builds=True, runs=True, why="one commit for each step")

    def builder(self, context: BuildContext) -> DockerBuilder:
        return DockerBuilder(context)

    def _as_oneself(self) -> List[str]:
        """In a rootless daemon, root is the user."""
        return ["--user", "0:0" if _is_rootless() else f"{os.getuid()}:{os.getgid()}"]

    def _place(self) -> str:
        return PLACE + "\n" + _TELL

    def _start(self, at: int) -> str:
        return START.format(at=at, more="", watch=quote(WATCH))


class DockerBuilder(PodmanBuilder):
    name = "docker"
    removing = ("rm", "--force")
    committing = ("commit",)
    saving = ("save",)

    def abandon(self) -> None:
        was_open = self._is_open
        super().abandon()
        if was_open and not _is_rootless():
            self._give_back()

    def _give_back(self) -> None:
        """What a step wrote into the package cache belongs to root of the machine, who cannot be asked to remove it."""
        owner = f"{os.getuid()}:{os.getgid()}"
        script = _GIVE_BACK.format(place=SITE, owner=owner)
        self._image, image = self.tag_of(self._context.plan.steps[0].key), self._image
        self._quiet(self.inside(["/bin/sh", "-c", script]))
        self._image = image


def _is_rootless() -> bool:
    return "rootless" in _output(["info", "--format", "{{.SecurityOptions}}"])


def _output(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            ["docker", *command],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=ANSWER_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""

"""Apptainer, and SingularityCE by the same words: one overlay folder for each step, packed once, run as squashfs.

Apptainer itself knows no layers (apptainer#2483); an overlay folder for each step gives cache, logs and a debugger.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from diamond.core.errors import EnvironmentFailed
from diamond.images.bases import Base
from diamond.images.plan import Step
from diamond.images.scripts import SITE
from diamond.runtimes.addresses import is_plain_http
from diamond.runtimes.base import BuildContext, Enter, Inside, Probe
from diamond.runtimes.bases import base_file, unpacked, unsquash, untar
from diamond.runtimes.calls import own_words
from diamond.runtimes.failures import packing_failed
from diamond.runtimes.image_folders import read_json, short, write_json
from diamond.runtimes.manifests import ImageManifest
from diamond.runtimes.namespaces import (
    as_root,
    has_namespaces,
    has_sub_ids,
    remove_tree,
    takes_overlays,
)
from diamond.runtimes.sif import squashfs_start
from diamond.runtimes.site import step_file
from diamond.runtimes.squash_job import SquashJob

_VERSION = re.compile(r"\d+(?:\.\d+)+")
_ENTER = """\
cd "$0"
mkdir -p root
mount -t overlay overlay -o "lowerdir=$1,upperdir=overlay/upper,workdir=overlay/work,userxattr" root
shift
exec "$@"
"""
_PACK = """\
mkdir merged
mount -t overlay overlay -o "lowerdir=$1,userxattr" merged
shift
exec "$@"
"""


class Apptainer:
    format = "squashfs"
    binds_archives = True

    def __init__(self, name: str = "apptainer") -> None:
        self.name = name

    def probe(self, tmp: Path) -> Probe:
        version = version_of(self.name)
        if not version:
            return Probe(why=f"{self.name} is not on this node's PATH")
        if not shutil.which("mksquashfs"):
            return Probe(version, runs=True, why="mksquashfs is missing, so nothing can be packed")
        why = "one overlay folder for each step"
        if not has_namespaces() or not takes_overlays(tmp):
            why = "one sandbox, copied after each step: overlays cannot be mounted here"
        return Probe(version, builds=True, runs=True, why=why)

    def builder(self, context: BuildContext) -> OverlayBuilder | SandboxBuilder:
        overlays = context.site.overlay and has_namespaces()
        if overlays and takes_overlays(context.image_folders.layers):
            return OverlayBuilder(self.name, context)
        return SandboxBuilder(self.name, context)

    def enter(self, manifest: ImageManifest, inside: Inside) -> Optional[Enter]:
        """`--contain` keeps the host's /tmp, /dev and home out; only allowed variables go in."""
        command = [self.name, "-q", "exec", "--cleanenv", "--contain", "--no-home", "--no-umask"]
        command += ["--no-eval"]
        for source, target in inside.binds:
            command += bind_words(source, target)
        for path in inside.read_only:
            command += bind_words(path, path, "ro")
        for file, target in inside.archives:
            command += bind_words(file, target, "image-src=/")
        command += ["--pwd", inside.folder] if inside.folder else []
        prefix = f"{self.name.upper()}ENV_"
        return Enter(
            words=[*command, manifest.file],
            at=3,
            pass_on=f'export "{prefix}$name=${{!name}}"',
            tmp='--bind "$diamond_tmp:/tmp" --bind "$diamond_tmp:/var/tmp"',
            gpu_words={"nvidia": ["--nv"], "amd": ["--rocm"]},
        )


class _Shared(ABC):
    """What both ways of building have in common."""

    def __init__(self, name: str, context: BuildContext) -> None:
        self._name, self._context = name, context
        self._layers = context.image_folders.layers / "apptainer"
        self._layers.mkdir(parents=True, exist_ok=True)
        self._base = context.image_folders.bases / short(context.plan.recipe.base_digest) / "rootfs"
        self._working: Optional[Path] = None

    @abstractmethod
    def inside(self, command: Sequence[str], *, terminal: bool = False) -> List[str]: ...

    @abstractmethod
    def begin(self, step: Step) -> None: ...

    def make_base(self) -> None:
        context = self._context
        unpacked(context.plan.recipe, context.image_folders, context.call, self._unpack)

    def run(self, step: Step) -> int:
        command = ["/bin/sh", "-eu", f"{SITE}/steps/{step_file(step)}"]
        return self._context.call.run(self.inside(command), variables=self.variables())

    def read(self, top: Step, script: str) -> str:
        if self._working is None:
            self.begin(top)
        command = self.inside(["/bin/sh", f"{SITE}/{script}"])
        return self._context.call.output(command, variables=self._folders()) or ""

    def shell_notice(self) -> str:
        return "Changes to the image are discarded when you leave."

    def native(self, top: Step) -> str:
        return ""

    def abandon(self) -> None:
        if self._working is not None:
            remove_tree(self._working)
            self._working = None

    def remove(self, key: str) -> None:
        remove_tree(self._layers / short(key))

    def _is_base(self, key: str) -> bool:
        return key == self._context.plan.steps[0].key

    def _unpack(self, base: Base, target: Path) -> int:
        context = self._context
        if base.kind == "rootfs":
            return untar(base_file(context.image_folders, base), target, context.call)
        if base.kind == "image":
            return unsquash(base_file(context.image_folders, base), target, context.call)
        command = [self._name, "build", "--sandbox", "--fakeroot"]
        if base.kind in ("docker", "oras"):
            address = f"{base.kind}://{base.repository}@{context.plan.recipe.base_digest}"
            command += ["--no-https"] if is_plain_http(base, context.site.insecure) else []
        elif base.kind == "sif":
            address = str(base_file(context.image_folders, base))
            if self._unsquash_sif(Path(address), target):
                return 0
        else:
            address = f"{base.kind}:{base_file(context.image_folders, base)}"
        return context.call.run([*command, str(target), address], variables=self._folders())

    def _unsquash_sif(self, file: Path, target: Path) -> bool:
        """In a third of the time that apptainer takes; what only apptainer can read (an encrypted one) is left to it."""
        start = squashfs_start(file)
        if start is None or unsquash(file, target, self._context.call, start=start):
            remove_tree(target)
            return False
        return True

    def variables(self) -> Dict[str, str]:
        """For the program itself; `--cleanenv` lets none of them in, so steps read the site's from a file."""
        return self._folders()

    def _folders(self) -> Dict[str, str]:
        """Its cache and temporary files fill a home folder otherwise (apptainer#1380)."""
        prefix, context = self._name.upper(), self._context
        cache = Path(context.site.cache or context.image_folders.cache) / "apptainer"
        cache.mkdir(parents=True, exist_ok=True)
        return {f"{prefix}_TMPDIR": str(context.scratch), f"{prefix}_CACHEDIR": str(cache)}

    def _exec(self, *, fakeroot: bool = True) -> List[str]:
        """`--pid`: whatever a step leaves running ends with it."""
        tmp = self._context.scratch / "tmp"
        tmp.mkdir(exist_ok=True)
        tmp.chmod(0o1777)
        command = [self._name, "-q", "exec", *(["--fakeroot"] if fakeroot else [])]
        command += [
            "--pid",
            "--cleanenv",
            "--no-home",
            "--no-eval",
            "--no-umask",
            "--no-mount",
            "tmp,home,cwd,hostfs,bind-paths",
            "--pwd",
            "/",
        ]
        for source, target in [*self._context.inside.binds, (str(tmp), "/tmp")]:
            command += bind_words(source, target)
        return command

    def _squash(self, command: Sequence[str]) -> None:
        if self._context.call.run(command, folder=self._context.scratch, quietly=True):
            raise packing_failed(list(self._context.call.last))


class OverlayBuilder(_Shared):
    """A layer is an overlay folder and the key of the one below it; the base is an unpacked folder."""

    def route(self) -> str:
        return f"{self._name}, one overlay folder for each step in {self._layers}"

    def has(self, key: str) -> bool:
        """With all layers below it: some may have been removed to make room."""
        while not self._is_base(key):
            layer = read_json(self._layers / short(key) / "layer.json")
            if layer is None:
                return False
            key = str(layer["below"])
        return (self._base.parent / "base.json").is_file()

    def begin(self, step: Step) -> None:
        self.abandon()
        self._below = step.key
        self._working = self._context.scratch / "overlay"
        remove_tree(self._working)
        for name in ("upper", "work"):
            (self._working / name).mkdir(parents=True)

    def inside(self, arguments: Sequence[str], *, terminal: bool = False) -> List[str]:
        """Apptainer (1.4) mounts overlays without `userxattr`: a new folder then cannot be renamed beside older ones (EXDEV),
        which dpkg does for each package. So the overlay is mounted here, and entered as a sandbox.
        """
        if not has_sub_ids():
            return self._by_apptainers_overlay(arguments)
        enter = ["sh", "-euc", _ENTER, str(self._context.scratch), self._linked(self._below)]
        command = self._exec(fakeroot=False)
        return as_root([*enter, *command, "--writable", "root", *arguments], mounts=True)

    def _by_apptainers_overlay(self, arguments: Sequence[str]) -> List[str]:
        """Without ids of one's own `--fakeroot` lends them. Of several read-only overlays the last is the uppermost."""
        command = [*self._exec(), "--overlay", str(self._working)]
        for layer in reversed(self._chain(self._below)):
            command += ["--overlay", f"{layer}:ro"]
        return [*command, str(self._base), *arguments]

    def keep(self, step: Step) -> None:
        assert self._working is not None
        layer = self._layers / short(step.key)
        remove_tree(layer)
        remove_tree(self._working / "work")
        (self._working / "work").mkdir()
        self._working.rename(layer)
        self._working = None
        write_json(layer / "layer.json", {"key": step.key, "below": self._below})

    def pack(self, top: Step, target: Path) -> None:
        """From the merged overlay and the layers as they were packed before. An overlay to read from needs two folders."""
        here, folders = self._context.scratch, self._folders_of(top.key)
        (here / "empty").mkdir(exist_ok=True)
        lower = f"{self._linked(top.key)}:empty"
        site, ending = self._context.site, f"packed.{self._context.site.compression}.sqfs"
        job = SquashJob(
            tree="merged",
            folders=[str(folder) for folder in folders],
            packed=[str(folder.parent / ending) for folder in folders],
            target=str(target),
            words=site.squashfs_words(),
        )
        job.write(here / "squash.json")
        command = ["sh", "-euc", _PACK, "pack", lower, *own_words()]
        self._squash(as_root([*command, "squash", "squash.json"], mounts=True))

    def _linked(self, key: str) -> str:
        """What is below, as mount options name it: by short relative names, since they hold 4096 bytes."""
        below = self._context.scratch / "below"
        remove_tree(below)
        below.mkdir()
        folders = self._folders_of(key)
        for number, folder in enumerate(folders):
            (below / str(number)).symlink_to(folder)
        return ":".join(f"below/{number}" for number in range(len(folders)))

    def _folders_of(self, key: str) -> List[Path]:
        """What makes up the state after a step, uppermost first; the base comes last."""
        return [*(layer / "upper" for layer in self._chain(key)), self._base]

    def _chain(self, key: str) -> List[Path]:
        """The layers from `key` down to the base, uppermost first."""
        chain = []
        while not self._is_base(key):
            layer = self._layers / short(key)
            chain.append(layer)
            key = str((read_json(layer / "layer.json") or {})["below"])
        return chain


class SandboxBuilder(_Shared):
    """Where overlays cannot be mounted: one folder is written to, and copied as the layer of each step."""

    def route(self) -> str:
        return f"{self._name}, one sandbox, copied after each step into {self._layers} (overlays cannot be mounted here)"

    def has(self, key: str) -> bool:
        if self._is_base(key):
            return (self._base.parent / "base.json").is_file()
        return (self._layers / short(key) / "sandbox.json").is_file()

    def begin(self, step: Step) -> None:
        self.abandon()
        self._working = self._context.scratch / "sandbox"
        self._copy(self._folder(step.key), self._working)

    def inside(self, command: Sequence[str], *, terminal: bool = False) -> List[str]:
        return [*self._exec(), "--writable", str(self._working), *command]

    def keep(self, step: Step) -> None:
        assert self._working is not None
        layer = self._layers / short(step.key)
        remove_tree(layer)
        layer.mkdir()
        self._working.rename(layer / "rootfs")
        self._working = None
        write_json(layer / "sandbox.json", {"key": step.key})

    def pack(self, top: Step, target: Path) -> None:
        command = ["mksquashfs", str(self._folder(top.key)), str(target)]
        command += ["-noappend", "-no-progress", "-quiet", *self._context.site.squashfs_words()]
        self._squash(as_root(command) if has_namespaces() else command)

    def _folder(self, key: str) -> Path:
        return self._base if self._is_base(key) else self._layers / short(key) / "rootfs"

    def _copy(self, source: Path, target: Path) -> None:
        remove_tree(target)
        command = ["cp", "-a", "--reflink=auto", str(source), str(target)]
        if self._context.call.run(as_root(command) if has_namespaces() else command):
            raise EnvironmentFailed(
                "The state after a step could not be copied:\n    " + self._context.call.last[-1],
                "Free some room in the endpoint's work folder.",
            )


def bind_words(source: str, target: str, option: str = "") -> List[str]:
    """`--bind` reads colons and commas as its own; such a path goes by `--mount`, whose fields may be quoted."""
    if not set(source + target) & set(':,"'):
        return ["--bind", ":".join(filter(None, [source, target, option]))]
    fields = [f"src={source}", f"dst={target}", *([option] if option else [])]
    quoted = ['"' + field.replace('"', '""') + '"' for field in fields]
    return ["--mount", ",".join(["type=bind", *quoted])]


def version_of(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = _VERSION.search(done.stdout + done.stderr) if done.returncode == 0 else None
    return match.group() if match else ""

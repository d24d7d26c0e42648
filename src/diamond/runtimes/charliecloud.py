"""Charliecloud: ch-image's own build cache keeps the steps, each an instruction of a growing Dockerfile."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from diamond.core.errors import EnvironmentFailed
from diamond.images.bases import read_base
from diamond.images.plan import Step
from diamond.images.scripts import SITE
from diamond.runtimes.apptainer import version_of
from diamond.runtimes.base import BuildContext, Enter, Inside, Probe
from diamond.runtimes.bases import (
    NEEDED_FILES,
    NEEDED_FOLDERS,
    base_file,
    check_platform,
    failed_base,
    unsquash,
    untar,
)
from diamond.runtimes.failures import packing_failed
from diamond.runtimes.image_folders import short, write_json
from diamond.runtimes.lock import hold_lock
from diamond.runtimes.manifests import ImageManifest
from diamond.runtimes.namespaces import has_namespaces, remove_tree
from diamond.runtimes.site import step_file

_EXIT = re.compile(r"RUN command exited with (\d+)")
_DULL = re.compile(
    rb"^ *\d+[.*] (?:FROM|RUN)|^warning: --force|^hint: --force|^grown in |^copying image from cache"
)


_PLACE = """\
export USER=${USER:-$(id -un)} diamond_mount=$diamond_tmp/diamond-mount-$UID
mkdir -p "$diamond_mount"
"""
_MOUNT = """\
file=$0 place=$diamond_mount words=()
named=
mount -t tmpfs tmpfs "$place" && mkdir "$place"/{image,upper,work,root} || exit 125
squashfuse_ll -f "$file" "$place/image" >/dev/null 2>&1 &
fuse=$! tries=500
until mountpoint -q "$place/image" || [ $((tries -= 1)) -eq 0 ]; do sleep 0.01; done
mount -t overlay overlay -o "lowerdir=$place/image,upperdir=$place/upper,workdir=$place/work,userxattr" "$place/root" || exit 125
for word in "$@"; do
  [ "$word" != IMAGE ] || { [ -n "$named" ] || word=$place/root; named=1; }
  words+=("$word")
done
trap : TERM INT USR1 USR2
"${words[@]}"
code=$?
kill "$fuse"
exit "$code"
"""


class Charliecloud:
    name = "charliecloud"
    format = "squashfs"
    binds_archives = False

    def probe(self, tmp: Path) -> Probe:
        version = version_of_ch_run()
        if not version:
            return Probe(why="ch-run is not on this node's PATH")
        if not shutil.which("ch-image") or not shutil.which("mksquashfs"):
            return Probe(version, runs=True, why="ch-image or mksquashfs is missing")
        if not has_namespaces():
            return Probe(version, why="user namespaces are switched off here")
        return Probe(version, builds=True, runs=True, why="ch-image's own build cache")

    def builder(self, context: BuildContext) -> CharliecloudBuilder:
        return CharliecloudBuilder(context)

    def enter(self, manifest: ImageManifest, inside: Inside) -> Optional[Enter]:
        """ch-run hands on all variables of the machine; so they are wiped out, and the allowed ones set again.

        It makes no image_folders to bind on in a read-only image (0.31), so the squashfs is mounted under an overlay first.
        """
        mounting = ["unshare", "--map-root-user", "--mount", "bash", "-c", _MOUNT, manifest.file]
        user = ["--uid", str(os.getuid()), "--gid", str(os.getgid())]
        command = [*mounting, "ch-run", "--write", *user, "--unset-env=*", "--env-no-expand"]
        at = len(command)
        for source, target in [*inside.binds, *((path, path) for path in inside.read_only)]:
            command += ["--bind", f"{source}:{target}"]
        command += ["--cd", inside.folder] if inside.folder else []
        return Enter(
            words=[*command, "IMAGE", "--"],
            at=at,
            pass_on=f'diamond_words=("${{diamond_words[@]:0:{at}}}" "--set-env=$name=${{!name}}" "${{diamond_words[@]:{at}}}")',
            before=_PLACE,
        )


class CharliecloudBuilder:
    def __init__(self, context: BuildContext) -> None:
        self._context = context
        self._layers = context.image_folders.layers / "charliecloud"
        self._layers.mkdir(parents=True, exist_ok=True)
        self._name = f"diamond-{context.scratch.name}"
        self._base = f"diamond-base-{short(context.plan.steps[0].key)}"
        self._steps: List[Step] = []
        self._is_built = False

    def route(self) -> str:
        return "charliecloud, ch-image with its build cache"

    def has(self, key: str) -> bool:
        return (self._layers / f"{short(key)}.json").is_file()

    def make_base(self) -> None:
        key = self._context.plan.steps[0].key
        if self.has(key):
            return
        self._import_base()
        write_json(self._layers / f"{short(key)}.json", {"key": key})

    def begin(self, step: Step) -> None:
        """The instructions up to `step` are in the cache; they are named again with the next one."""
        self._steps, self._is_built = self._upto(step), False
        (self._layers / f"{short(step.key)}.json").touch()

    def run(self, step: Step) -> int:
        """`--force` stands in for the rights that a package manager believes to need."""
        self._steps = [*self._steps, step]
        code = self._build()
        exits = [_EXIT.search(line) for line in self._context.call.last] if code else []
        return next((int(match[1]) for match in reversed(exits) if match), code)

    def inside(self, arguments: Sequence[str], *, terminal: bool = False) -> List[str]:
        """On the image as built so far. An interactive shell reads the file that ENV names."""
        if not self._is_built:
            self._build(quietly=True)
        command = ["ch-run", "--write", "--uid", "0", "--gid", "0", "--unset-env=*"]
        for source, target in self._context.inside.binds:
            command += ["--bind", f"{source}:{target}"]
        command += [f"--set-env=ENV={SITE}/site.env"]
        command.append(
            "--set-env=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        )
        return [*command, str(self._folder(self._name)), "--", *arguments]

    def read(self, top: Step, script: str) -> str:
        self.begin(top)
        command = self.inside(["/bin/sh", f"{SITE}/{script}"])
        return self._context.call.output(command, variables=self.variables()) or ""

    def shell_notice(self) -> str:
        return "Changes to the image are discarded when you leave."

    def native(self, top: Step) -> str:
        return ""

    def keep(self, step: Step) -> None:
        write_json(self._layers / f"{short(step.key)}.json", {"key": step.key})

    def abandon(self) -> None:
        """A failed instruction leaves nothing in the cache; the image itself is made again from it."""
        self._steps, self._is_built = [], False
        remove_tree(self._folder(self._name))

    def pack(self, top: Step, target: Path) -> None:
        """From ch-image's own folder: `ch-convert` would unpack and pack once more."""
        if not self._is_built or self._steps != self._upto(top):
            self.begin(top)
            if self._build(quietly=True):
                raise packing_failed(list(self._context.call.last))
        command = ["mksquashfs", str(self._folder(self._name)), str(target), "-all-root"]
        command += ["-noappend", "-no-progress", "-quiet", *self._context.site.squashfs_words()]
        if self._context.call.run(command, quietly=True):
            raise packing_failed(list(self._context.call.last))

    def remove(self, key: str) -> None:
        (self._layers / f"{short(key)}.json").unlink(missing_ok=True)

    def _upto(self, step: Step) -> List[Step]:
        steps = list(self._context.plan.steps)
        return [earlier for earlier in steps[: steps.index(step) + 1] if earlier.changes]

    def _build(self, *, quietly: bool = False) -> int:
        file = self._context.scratch / "Dockerfile"
        lines = [f"FROM {self._base}"]
        for step in self._steps:
            command = ["/bin/sh", "-eu", f"{SITE}/steps/{step_file(step)}"]
            lines.append(f"RUN {json.dumps(command)}")
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = ["build", "--force", "--tag", self._name, "--file", str(file)]
        for source, target in self._context.inside.binds:
            command += ["--bind", f"{source}:{target}"]
        code = self._ch_image([*command, str(self._context.scratch / "context")], quietly=quietly)
        self._is_built = code == 0
        return code

    def _import_base(self) -> None:
        context, recipe = self._context, self._context.plan.recipe
        base = read_base(recipe.environment.base)
        if base.kind == "docker":
            name = f"{base.repository}@{recipe.base_digest}"
            if self._ch_image(["pull", name, self._base]):
                raise failed_base(base.reference, list(context.call.last))
            return
        rootfs = context.scratch / "rootfs"
        file = base_file(context.image_folders, base)
        unpack = untar if base.kind == "rootfs" else unsquash
        if base.kind not in ("rootfs", "sif", "image"):
            raise EnvironmentFailed(
                f"charliecloud cannot build on {base.reference}",
                "Name a registry image, a squashfs file or a tar of a root file system.",
            )
        if unpack(file, rootfs, context.call, owners=False):
            raise failed_base(base.reference, list(context.call.last))
        _complete(rootfs)
        check_platform(rootfs, recipe.platform, base.reference)
        code = self._ch_image(["import", str(rootfs), self._base], quietly=True)
        remove_tree(rootfs)
        if code:
            raise failed_base(base.reference, list(context.call.last))

    def _ch_image(self, arguments: Sequence[str], *, quietly: bool = False) -> int:
        (self._context.scratch / "context").mkdir(exist_ok=True)
        command = ["ch-image", "--storage", str(self._storage()), *arguments]
        call = self._context.call
        lock = self._layers / "storage.lock"
        with hold_lock(lock, waiting=lambda: None, cancelled=call.cancelled):
            return call.run(command, variables=self.variables(), quietly=quietly, leave_out=_DULL)

    def variables(self) -> Dict[str, str]:
        """Its cache is a git repository, which needs to know who commits; and it must find the system's Python."""
        path = os.pathsep.join(["/usr/bin", "/bin", os.environ.get("PATH", "")])
        who = {"GIT_AUTHOR_NAME": "diamond", "GIT_COMMITTER_NAME": "diamond"}
        mail = {"GIT_AUTHOR_EMAIL": "diamond@localhost", "GIT_COMMITTER_EMAIL": "diamond@localhost"}
        user = os.environ.get("USER") or str(os.getuid())
        return {**who, **mail, "PATH": path, "USER": user}

    def _storage(self) -> Path:
        return self._context.image_folders.root / "charliecloud"

    def _folder(self, name: str) -> Path:
        return self._storage() / "img" / name


def version_of_ch_run() -> str:
    os.environ.setdefault("USER", str(os.getuid()))
    return version_of("ch-run")


def _complete(rootfs: Path) -> None:
    """ch-run binds over these, and does not start without them."""
    for name in NEEDED_FOLDERS:
        (rootfs / name).mkdir(parents=True, exist_ok=True)
    for name in NEEDED_FILES:
        (rootfs / name).touch()

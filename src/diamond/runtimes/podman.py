"""Podman: each step is a container, committed as its layer. Docker by the same words is in `docker.py`."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import tarfile
from pathlib import Path
from shlex import join, quote
from typing import Dict, List, Optional, Sequence

from diamond.core.errors import EnvironmentFailed
from diamond.images.bases import read_base
from diamond.images.plan import Step, has_venv
from diamond.images.rendering import docker_change
from diamond.images.scripts import DEFAULT_PATH, SITE, VENV
from diamond.runtimes.addresses import is_plain_http
from diamond.runtimes.apptainer import version_of
from diamond.runtimes.base import BuildContext, Enter, Inside, Probe
from diamond.runtimes.bases import base_file, failed_base
from diamond.runtimes.failures import packing_failed
from diamond.runtimes.image_folders import short
from diamond.runtimes.manifests import ImageManifest
from diamond.runtimes.namespaces import takes_overlays
from diamond.runtimes.site import step_file

MAX_COMMANDS = 100
LAYERS = "localhost/diamond-layers"
WORKING = "localhost/diamond-working"
AMD = ("--device", "/dev/kfd", "--device", "/dev/dri")
_LOAD = """\
if ! {program} image inspect {native} >/dev/null 2>&1; then
  {program} load --quiet --input {file} >/dev/null || exit 125
fi"""

PLACE = """
diamond_place=$(mktemp -d "$diamond_tmp/diamond-podman-XXXXXX") || exit 125
diamond_run='trap : TERM INT USR1 USR2
"$@"
echo "$?" >/tmp/'${diamond_place##*/}/ended"""
START = """\
set -- "${{@:1:{at}}}" --sig-proxy=false {more} "${{@:{at} + 1}}"
diamond_told=
diamond_read() {{ diamond_value=; {{ read -r diamond_value <"$diamond_place/$1"; }} 2>/dev/null; [ -n "$diamond_value" ]; }}
diamond_runs() {{ diamond_read pid && kill -0 "$diamond_value" 2>/dev/null; }}
diamond_tell() {{
  diamond_runs || return
  readlink "/proc/$diamond_value/ns/mnt" >"$diamond_place/space"
  kill -s "$diamond_told" -- "-$diamond_value"
  diamond_told=
}}
for name in TERM INT USR1 USR2; do trap "diamond_told=$name; diamond_tell" "$name"; done
exec 9> >(exec setsid bash -c {watch} "$diamond_place" >/dev/null 2>&1)
set -m
( trap : TERM INT USR1 USR2; "$@" 9>&-; echo "$?" >"$diamond_place/code" ) 9>&- &
diamond_client=$!
set +m
wait "$diamond_client"
while kill -0 "$diamond_client" 2>/dev/null || diamond_runs; do
  [ -z "$diamond_told" ] || diamond_tell
  sleep 0.1
done
diamond_read ended || {{ diamond_read code && [ "$diamond_value" != 0 ]; }} || diamond_value=137
exit "$diamond_value"
"""
"""conmon takes a container out of the job's process tree: a signal to the job would not reach the program, and a job that
is killed would leave it behind; and podman (4.3) itself ends with 0 on SIGTERM. So signals go to the program's
own group, its exit code is written down inside (without that, a 0 of podman's is not believed), and who watches sees the
end of this script and kills what still runs in the container, which is known by its mount namespace."""
WATCH = """\
trap "" TERM INT USR1 USR2
read -r _
{ read -r first <"$0/pid"; } 2>/dev/null
{ read -r space <"$0/space"; } 2>/dev/null || space=$(readlink "/proc/${first:-none}/ns/mnt")
case $space in '' | "$(readlink /proc/self/ns/mnt)") set -- ;; *) set -- /proc/[0-9]* ;; esac
for one; do [ "$(readlink "$one/ns/mnt")" != "$space" ] || kill -s KILL "${one#/proc/}"; done
rm -rf -- "$0"
"""


class Podman:
    name = "podman"
    format = "docker-archive"
    binds_archives = False
    nvidia: Sequence[str] = ("--device", "nvidia.com/gpu=all")

    def probe(self, tmp: Path) -> Probe:
        version = version_of(self.name)
        if not version:
            return Probe(why=f"{self.name} is not on this node's PATH")
        return Probe(version, builds=True, runs=True, why="one commit for each step")

    def builder(self, context: BuildContext) -> PodmanBuilder:
        return PodmanBuilder(context)

    def enter(self, manifest: ImageManifest, inside: Inside) -> Optional[Enter]:
        """The image is loaded on nodes that do not have it; the program runs as the person. Its id is read from the file."""
        native = image_id(manifest)
        program = [self.name, *storage_words(self.name, Path(manifest.file).parents[1])]
        command = [*program, "run", "--rm", "--network", "host", "--pid", "host"]
        command += ["--volume", "/dev/shm:/dev/shm", "--entrypoint", ""]
        command += self._as_oneself()
        for source, target in inside.binds:
            command += volume_words(source, target)
        for path in inside.read_only:
            command += volume_words(path, path, "ro")
        command += ["--workdir", inside.folder] if inside.folder else []
        at = len(program) + 1
        loading = _LOAD.format(
            program=join(program), native=quote(native), file=quote(manifest.file)
        )
        return Enter(
            words=[*command, native],
            at=at,
            pass_on=f'diamond_words=("${{diamond_words[@]:0:{at}}}" --env "$name" "${{diamond_words[@]:{at}}}")',
            before=loading + self._place(),
            tmp='--volume "$diamond_tmp:/tmp"',
            gpu_words={"nvidia": self.nvidia, "amd": AMD},
            start=self._start(at),
        )

    def _as_oneself(self) -> List[str]:
        user = ["--user", f"{os.getuid()}:{os.getgid()}"]
        return [*user, *(["--userns", "keep-id"] if os.geteuid() else [])]

    def _place(self) -> str:
        """Shell text that makes a folder in which the container tells of itself."""
        return PLACE

    def _start(self, at: int) -> str:
        return START.format(at=at, more='--pidfile "$diamond_place/pid"', watch=quote(WATCH))


class PodmanBuilder:
    """Each step runs in its own container, which is then committed."""

    name = "podman"
    removing: Sequence[str] = ("rm", "--force", "--time", "0")
    committing: Sequence[str] = ("commit", "--quiet")
    saving: Sequence[str] = ("save", "--quiet", "--format", "docker-archive")

    def __init__(self, context: BuildContext) -> None:
        self._context = context
        self._program = [self.name, *storage_words(self.name, context.image_folders.root)]
        self._mark = f"diamond-{_hashed(context.image_folders.root)}-"
        """How the names of containers begin; a build's folder follows. A daemon may serve several people."""
        self._container, self._swept = f"{self._mark}{context.scratch.name}", False
        self._image = ""
        """What the next step starts from."""
        self._is_open = False
        """Whether a container that ended is waiting to be kept."""
        commands = len(context.plan.recipe.environment.commands)
        if commands > MAX_COMMANDS:
            raise EnvironmentFailed(
                f"{self.name} cannot stack {commands} commands: an image holds at most 127 layers",
                f"Join some, so that there are at most {MAX_COMMANDS}; or build with apptainer.",
            )

    def route(self) -> str:
        return f"{self.name}, one commit for each step"

    def tag_of(self, key: str) -> str:
        return f"{layers_name(self.name, self._context.image_folders.root)}:{short(key)}"

    def has(self, key: str) -> bool:
        return self.tag_of(key) in self._tags()

    def make_base(self) -> None:
        """Whatever the base is, it ends as a local image under the tag of the base's key."""
        plan, call = self._context.plan, self._context.call
        base = read_base(plan.recipe.environment.base)
        tag = self.tag_of(plan.steps[0].key)
        if base.kind == "rootfs":
            command = ["import", str(base_file(self._context.image_folders, base)), tag]
        else:
            command = ["tag", self._fetch(), tag]
        if call.run([*self._program, *command], quietly=True):
            raise failed_base(base.reference, list(call.last))

    def begin(self, step: Step) -> None:
        self.abandon()
        self._image = self.tag_of(step.key)

    def run(self, step: Step) -> int:
        if self._is_open:
            self._commit(f"{WORKING}:{self._container}")
        self._sweep()
        self._is_open = True
        script = f"{SITE}/steps/{step_file(step)}"
        command = self._run(["--name", self._container], ["/bin/sh", "-eu", script])
        return self._context.call.run(command, variables=self.variables())

    def inside(self, command: Sequence[str], *, terminal: bool = False) -> List[str]:
        """Docker refuses a terminal where there is none."""
        talking = ["--interactive", *(["--tty"] if sys.stdin.isatty() else [])]
        return self._run(["--rm", *(talking if terminal else [])], command)

    def read(self, top: Step, script: str) -> str:
        self.begin(top)
        command = self.inside(["/bin/sh", f"{SITE}/{script}"])
        return self._context.call.output(command, variables=self.variables()) or ""

    def variables(self) -> Dict[str, str]:
        return {}

    def keep(self, step: Step) -> None:
        self._commit(self.tag_of(step.key))

    def abandon(self) -> None:
        """Also ends a container whose client was killed."""
        if self._is_open:
            self._quiet([*self._program, *self.removing, self._container])
            self._is_open = False
        working = f"{WORKING}:{self._container}"
        if self._image == working:
            self._quiet([*self._program, "rmi", "--force", working])
            self._image = ""

    def pack(self, top: Step, target: Path) -> None:
        """Not compressed: it is on the cluster's own disk, and gzip takes longer than the rest of a rebuild."""
        command = [*self._program, *self.saving, "--output", str(target), self.native(top)]
        if self._context.call.run(command, quietly=True):
            raise packing_failed(list(self._context.call.last))

    def shell_notice(self) -> str:
        return "Changes to the image are discarded when you leave."

    def native(self, top: Step) -> str:
        """The id of the image, which is the same wherever the archive is loaded."""
        command = [*self._program, "image", "inspect", "--format", "{{.Id}}", self.tag_of(top.key)]
        return (self._quiet(command) or "").strip()

    def remove(self, key: str) -> None:
        self._quiet([*self._program, "rmi", self.tag_of(key)])

    def _fetch(self) -> str:
        """A local name for a base that is not a plain root file system."""
        plan, call = self._context.plan, self._context.call
        base = read_base(plan.recipe.environment.base)
        if base.kind == "docker":
            name = f"{base.repository}@{plan.recipe.base_digest}"
            command = [*self._program, "pull", "--quiet"]
            if self.name == "podman" and is_plain_http(base, self._context.site.insecure):
                command.append("--tls-verify=false")
            if call.run([*command, name], quietly=True):
                raise failed_base(base.reference, list(call.last))
            return name
        if base.kind in ("oci-archive", "docker-archive", "image"):
            file = str(base_file(self._context.image_folders, base))
            said = call.output([*self._program, "load", "--input", file])
            if said is None:
                raise failed_base(base.reference, list(call.last))
            return said.strip().splitlines()[-1].split(": ", 1)[-1].strip()
        raise EnvironmentFailed(
            f"{self.name} cannot build on {base.reference}",
            "Name a registry image, an archive or a root file system, or build with apptainer.",
        )

    def _run(self, options: Sequence[str], arguments: Sequence[str]) -> List[str]:
        """No variable is given: what a container is started with is committed with it."""
        command = [*self._program, "run", *options, "--network", "host", "--user", "0"]
        command += ["--workdir", "/", "--entrypoint", arguments[0]]
        for source, target in self._context.inside.binds:
            command += volume_words(source, target)
        return [*command, self._image, *arguments[1:]]

    def _commit(self, tag: str) -> None:
        command = [*self._program, *self.committing]
        for change in self._changes():
            command += ["--change", change]
        if self._context.call.run([*command, self._container, tag], quietly=True):
            raise packing_failed(list(self._context.call.last))
        self.abandon()
        self._image = tag

    def _sweep(self) -> None:
        """A container outlives a builder that was killed: those of this node whose build has no folder any more go."""
        if self._swept:
            return
        self._swept = True
        listing = ["ps", "--all", "--filter", f"name=^{self._mark}{platform.node()}[.]"]
        names = (self._quiet([*self._program, *listing, "--format", "{{.Names}}"]) or "").split()
        building = self._context.image_folders.building
        left = [name for name in names if not (building / name[len(self._mark) :]).exists()]
        if left:
            self._quiet([*self._program, *self.removing, *left])
            self._quiet([*self._program, "rmi", "--force", *(f"{WORKING}:{name}" for name in left)])

    def _tags(self) -> List[str]:
        said = self._quiet([*self._program, "images", "--format", "{{.Repository}}:{{.Tag}}"])
        return (said or "").split()

    def _changes(self) -> List[str]:
        environment = self._context.plan.recipe.environment
        variables: Dict[str, str] = dict(environment.variables)
        if has_venv(environment):
            variables.setdefault("PATH", f"{VENV}/bin:{DEFAULT_PATH}")
            variables.setdefault("VIRTUAL_ENV", VENV)
        changes = [docker_change(name, value) for name, value in variables.items()]
        return [*changes, "ENTRYPOINT []", 'CMD ["/bin/sh"]']

    def _quiet(self, command: Sequence[str]) -> Optional[str]:
        """An answer, without a word in the log and also while the build is being cancelled."""
        done = subprocess.run(
            list(command), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        return done.stdout if done.returncode == 0 else None


def image_id(manifest: ImageManifest) -> str:
    """The id by which podman and docker know the image in an archive: the digest of its configuration.

    A manifest that came from elsewhere could name any other image.
    """
    if manifest.is_from_here and manifest.native:
        return manifest.native
    try:
        with tarfile.open(manifest.file) as archive:
            listing = json.loads(_member(archive, "manifest.json"))
            return hashlib.sha256(_member(archive, str(listing[0]["Config"]))).hexdigest()
    except (OSError, tarfile.TarError, ValueError, LookupError, TypeError) as error:
        raise EnvironmentFailed(
            f"The image file {Path(manifest.file).name} is not an archive of one image ({error})",
            "Build it again, or fetch it again.",
        ) from error


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    member = archive.extractfile(name)
    if member is None:
        raise LookupError(f"{name} is not a file")
    return member.read()


def layers_name(name: str, root: Path) -> str:
    """The repository of a work folder's layers. Docker's daemon may serve several people, and each prunes their own."""
    return LAYERS if name == "podman" else f"{LAYERS}-{_hashed(root)}"


def storage_words(name: str, root: Path) -> List[str]:
    """Podman keeps images in the home folder otherwise; docker's daemon keeps its own."""
    if name != "podman":
        return []
    place = root / "oci"
    if not place.exists() and not takes_overlays(root):
        place = Path(os.environ.get("TMPDIR", "/tmp")) / f"diamond-oci-{os.getuid()}"
    running = Path("/tmp") / f"diamond-oci-{os.getuid()}-{_hashed(place)}"
    return ["--root", str(place), "--runroot", str(running)]


def volume_words(source: str, target: str, option: str = "") -> List[str]:
    """`-v` reads colons as its own; `--mount` takes commas only in quotes."""
    if not set(source + target) & set(':,"'):
        return ["--volume", ":".join(filter(None, [source, target, option]))]
    quoted = [
        '"' + part.replace('"', '""') + '"' for part in (f"source={source}", f"target={target}")
    ]
    return ["--mount", ",".join(["type=bind", *quoted, *([option] if option else [])])]


def _hashed(place: Path) -> str:
    return hashlib.sha256(str(place).encode()).hexdigest()[:8]

"""Images in the agent: a build is a task whose program is Diamond's own builder; a task inside an image gets `enter.sh`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from diamond.agent.disk import write_json, write_whole
from diamond.agent.folders import Folders
from diamond.agent.site.bundle import builder_file
from diamond.agent.site.profile import Profile
from diamond.core.errors import EnvironmentFailed
from diamond.core.order import Build, Image, Order
from diamond.images.bases import REGISTRIES, read_base
from diamond.runtimes.adapters import choose_runner
from diamond.runtimes.base import Entered, Inside, TreeFolders
from diamond.runtimes.child import last_lines, run_child
from diamond.runtimes.entering import enter_script
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.manifests import VERSION, ImageManifest
from diamond.runtimes.sharing import group_folders, shared_folders, take_shared_file
from diamond.runtimes.store import find, find_file, verify
from diamond.runtimes.tools import find_uv, own_python

CANCELLED = 130
SHOWN_LINES = 200


class AttemptFiles(Protocol):
    """What an image needs to know of an attempt's folder (`tasks.folders.AttemptFolder`)."""

    @property
    def attempt(self) -> str: ...
    @property
    def path(self) -> Path: ...
    @property
    def run_dir(self) -> Path: ...
    def task_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Images:
    folders: Folders
    profile: Callable[[], Profile]
    runs_on_this_node: bool = False
    """Whether jobs run where the agent runs."""
    job_variables: Sequence[str] = ()
    """Patterns of the batch system's own variables, which go into an image too."""

    def build_command(
        self,
        folder: AttemptFiles,
        build: Build,
        *,
        say: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> list[str]:
        """Make a build ready; returns the command that runs it.

        What needs the network is fetched here, on the login node, unless compute nodes are known to have one.
        """
        file = self._write(folder, build)
        command = [own_python(), builder_file(self.folders.work / "builder"), "build"]
        for act in self._before(build):
            log = folder.path / f"{act}.log"
            code = run_child(
                [*command, act, str(file)], log=log, say=say, cancelled=cancelled, variables={}
            )
            if code:
                raise EnvironmentFailed("\n".join(last_lines(log, SHOWN_LINES)))
        return [*command, "run", str(file)]

    def enter(
        self,
        folder: AttemptFiles,
        order: Order,
        *,
        data: Mapping[str, str],
        training: str,
        trees: TreeFolders | None = None,
    ) -> Entered:
        """Find and verify the image, and write `enter.sh`. Raises `EnvironmentFailed`, `ImageChanged`."""
        assert order.image is not None
        manifest = self.find(order.image, is_signed="signature" in folder.task_json())
        tmp = self.folders.tmp
        trees = trees or TreeFolders()
        runner = choose_runner(manifest.format, tmp, self._wanted("run_with"))
        mounts = [] if runner.binds_archives else trees.mounts
        inside = Inside(
            self._binds(folder, data, training),
            str(folder.run_dir),
            read_only=[*trees.plain, *(place for _, place in mounts)],
            archives=trees.mounts if runner.binds_archives else (),
        )
        enter = runner.enter(manifest, inside)
        if enter is None:
            return Entered(variables=manifest.variables, path=manifest.path, mounts=trees.mounts)
        gpus = self._gpus() if order.resources.gpus_per_node else ""
        names = self.job_variables
        text = enter_script(enter, manifest, training=training, names=names, gpus=gpus)
        script = folder.path / "enter.sh"
        write_whole(script, text.encode(), mode=0o700)
        prefix = ["bash", str(script)]
        return Entered(
            variables=manifest.variables, path=manifest.path, prefix=prefix, mounts=mounts
        )

    def find(self, image: Image, *, is_signed: bool = False) -> ImageManifest:
        """Exactly the file that the order names, verified; variables and PATH are those of the order, not of the manifest.

        A virtual environment has no file: it is what this agent itself has made from the recipe.
        """
        if image.format == "venv":
            manifest = find(self._image_folders, image.identity, ["venv"])
            if manifest is None:
                raise EnvironmentFailed(
                    f"The environment {image.identity[:19]}… is not on this machine",
                    "Build it here again: diamond image build.",
                )
            return manifest
        if not image.sha256:
            raise EnvironmentFailed(
                f"The order names no file of the image {image.identity[:19]}…",
                "Submit it again: an image is run by the digest of its file.",
            )
        manifest = find_file(self._image_folders, image.sha256) or self.shared_file(image.sha256)
        if manifest is None:
            raise EnvironmentFailed(
                f"The image file {image.sha256[:19]}… is not on this machine",
                "Build it here, or copy it here: diamond image copy.",
            )
        verified = verify(self._image_folders, manifest)
        if verified.version < VERSION and not (image.path or image.variables or is_signed):
            # A chain that began before orders named these: it continues with what was recorded then.
            return verified
        return replace(verified, variables=dict(image.variables), path=list(image.path))

    def shared_file(self, sha256: str) -> ImageManifest | None:
        """Others' file with this digest, where the site names folders of a group or of all."""
        sha256 = sha256.rpartition(":")[2]
        folders = shared_folders(self._site.get("shared"))
        return take_shared_file(
            group_folders(folders, self._image_folders), self._image_folders, sha256
        )

    @property
    def insecure(self) -> list[str]:
        """Registries that speak http."""
        return [str(each) for each in self._site.get("insecure") or []]

    @property
    def _image_folders(self) -> ImageFolders:
        return ImageFolders(self.folders.work / "images", self.folders.tmp)

    def _write(self, folder: AttemptFiles, build: Build) -> Path:
        """The base and lock that the first attempt resolved stay those of the task."""
        wanted = build.runtime or self._wanted("runtime")
        described = {
            "version": 1,
            "name": folder.attempt,
            "build": asdict(replace(build, runtime=wanted)),
            "work": str(self.folders.work),
            "tmp": str(self.folders.tmp),
            "site": self._site,
            "uv": find_uv(self.folders.work) or "",
        }
        file = folder.run_dir / "build.json"
        write_json(file, described)
        return file

    def _before(self, build: Build) -> list[str]:
        """What is done on the login node before the job."""
        if self._site.get("where") == "login":
            return ["run"]
        base = read_base(build.environment.base)
        needs_network = bool(build.environment.requirements) or base.kind in REGISTRIES
        internet = self.profile().facts.get("internet")
        compute = internet.get("compute") if isinstance(internet, dict) else None
        return ["fetch"] if needs_network and not compute and not self.runs_on_this_node else []

    @property
    def _site(self) -> dict[str, Any]:
        value = self.profile().facts.get("build")
        return value if isinstance(value, dict) else {}

    def _wanted(self, name: str) -> str:
        return str(self._site.get(name) or "")

    def _gpus(self) -> str:
        return str(self.profile().facts.get("accelerator") or "auto")

    def _binds(
        self, folder: AttemptFiles, data: Mapping[str, str], training: str
    ) -> list[tuple[str, str]]:
        """The task's own folder, its data and the training library; a path is the same inside and outside."""
        task = str(folder.path.parent.parent)
        inbox = str(self.folders.inbox)
        return [(place, place) for place in (task, inbox, training, *data.values()) if place]

"""Making an attempt ready: code, environment, data, secrets, and at last the script."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from diamond import core, frames, pilots
from diamond.agent.data.places import TreePlaces
from diamond.agent.data.use import ready_tree
from diamond.agent.disk import write_whole
from diamond.agent.folders import Folders
from diamond.agent.images.enter import Images
from diamond.agent.link.carriers import Declined, Link, message_bytes
from diamond.agent.site.bundle import builder_file
from diamond.agent.site.profile import Profile
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.pilots import lean_of, pilot_command, pilot_settings
from diamond.agent.tasks.ranks import (
    default_variables,
    nodes_to_leave_out,
    ranks_program,
    write_launch,
)
from diamond.agent.tasks.takeover import take_over
from diamond.code.checkout import blob_path, checkout, missing_blobs, unpack_blobs
from diamond.core.agent_messages import FetchBlobs
from diamond.core.artifacts import plain_digest
from diamond.core.decoding import encode
from diamond.core.errors import (
    Cancelled,
    DataChanged,
    DiamondError,
    EnvironmentFailed,
    ImageChanged,
    NotFound,
)
from diamond.core.order import Build, Code, Order
from diamond.core.protocol import Person, read_task_request
from diamond.core.redact import without_credentials
from diamond.core.task import Reason
from diamond.data.node_cache import cache_folder
from diamond.images.accelerators import for_cpu, needs_choice
from diamond.launchers import ranks, starters
from diamond.launchers.script import Batch, Started, render_script, start_program
from diamond.pilots.settings import settings_text
from diamond.runtimes.base import Entered, TreeFolders
from diamond.runtimes.below import below
from diamond.runtimes.child import last_lines, run_child
from diamond.runtimes.tools import own_python
from diamond.runtimes.venv import ensure_environment
from diamond.schedulers.base import Scheduler, Submission, abilities_of
from diamond.schedulers.pilot import LEAN_FILE
from diamond.schedulers.routed import variables_for
from diamond.training.install import install_training

Say = Callable[[str, str], None]
"""Called with what is being made ready (code, environment, data) and a line for the user."""

_COMMIT = re.compile(r"[0-9A-Za-z][0-9A-Za-z._/-]*")
_MODULE_FUNCTION = """\
if ! type module >/dev/null 2>&1; then
  for file in /etc/profile.d/modules.sh /etc/profile.d/lmod.sh /etc/profile.d/z00_lmod.sh; do
    [ ! -r "$file" ] || { . "$file"; break; }
  done
fi
"""


class StageFailed(Exception):
    """It cannot be made ready; `reason` is a Reason value."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message

    @classmethod
    def unforeseen(cls) -> StageFailed:
        """For a bug in Diamond; the traceback is in the agent's log."""
        return cls(Reason.REFUSED, "the agent failed while preparing it; see its agent.log")


@dataclass(frozen=True)
class Stager:
    """Everything that staging needs to know of this machine."""

    folders: Folders
    scheduler: Scheduler
    link: Link
    profile: Callable[[], Profile]

    def stage(self, folder: AttemptFolder, *, say: Say, cancelled: Callable[[], bool]) -> None:
        """Leave the attempt ready to be submitted; doing it again is fine.

        Raises `StageFailed` with the reason, or `core.errors.Cancelled`.
        """
        order = folder.order()
        try:
            take_over(folder)
            self._lay_out_code(folder, order.code, say=say, cancelled=cancelled)
            paths = _data_paths(order.data)
            trees = self._trees(folder, order)
            _require_all(paths, self._missing_secrets(order))
            data = _link_data({**paths, **trees.paths}, folder)
            order = self._with_builder(folder, order, say=say, cancelled=cancelled)
            order = self._with_pilot(folder, order)
            entered = self._environment(folder, order, paths, trees, say=say, cancelled=cancelled)
            entered = self._with_caches(entered, trees)
            _require_one_node(order, entered)
            self._write_script(folder, order, entered=entered, data=data)
        except OSError as error:
            raise StageFailed(
                Reason.DISK, f"{error.strerror or error}: {error.filename or ''}"
            ) from error
        except (Cancelled, StageFailed):
            raise
        except NotFound as error:
            raise StageFailed(Reason.DATA, _message(error)) from error
        except DiamondError as error:
            raise StageFailed(Reason.REFUSED, _message(error)) from error

    def submission(self, folder: AttemptFolder) -> Submission:
        order = folder.order()
        return _submission(folder, order)

    def script(
        self, folder: AttemptFolder, order: Order, *, entered: Entered, data: Mapping[str, str]
    ) -> str:
        """The text of the batch script."""
        return self._render(self._batch(folder, order, entered=entered, data=data), folder)

    def _batch(
        self, folder: AttemptFolder, order: Order, *, entered: Entered, data: Mapping[str, str]
    ) -> Batch:
        profile = self.profile()
        training = _training(self.folders.work / "training")
        started = start_program(order, str(folder.path), entered=entered, training=training)
        return Batch(
            task=folder.task,
            attempt=folder.attempt,
            number=folder.number,
            folder=str(folder.path),
            run_dir=str(folder.run_dir),
            inbox=str(self.folders.inbox),
            order=order,
            secret_store=str(self.folders.secrets),
            training=training,
            entered=entered,
            data=data,
            modules=profile.modules,
            program=started.words,
            with_variables=started.with_variables,
            ranks=ranks_program(order, training),
            defaults=default_variables(profile),
            after=str(folder.path.parent / folder.after) if folder.is_early else "",
        )

    def _render(self, batch: Batch, folder: AttemptFolder) -> str:
        submission = _submission(folder, batch.order)
        directives = self.scheduler.directives(submission, self.profile().flags)
        variables = variables_for(self.scheduler, batch.order.placement)
        return render_script(batch, directives=directives, variables=variables)

    def _write_script(
        self, folder: AttemptFolder, order: Order, *, entered: Entered, data: Mapping[str, str]
    ) -> None:
        batch = self._batch(folder, order, entered=entered, data=data)
        script = self._render(batch, folder)
        training = _training(self.folders.work / "training")
        started = start_program(order, str(folder.path), entered=entered, training=training)
        self._write_launch(folder, order, entered, started)
        params = json.dumps(order.params, ensure_ascii=False).encode()
        write_whole(folder.path / "params.json", params)
        for name, text in started.files.items():
            write_whole(folder.path / name, text.encode(), mode=0o600)
        modules = self.profile().modules
        if modules:
            lines = _MODULE_FUNCTION + "\n".join(modules) + "\n"
            write_whole(folder.path / "modules.sh", lines.encode())
        lean = lean_of(batch, order)
        if lean is not None:
            write_whole(folder.path / LEAN_FILE, json.dumps(encode(lean)).encode())
        write_whole(folder.path / "script.sh", script.encode(), mode=0o700)

    def _write_launch(
        self, folder: AttemptFolder, order: Order, entered: Entered, started: Started
    ) -> None:
        program = ranks_program(order, _training(self.folders.work / "training"))
        if program:
            write_launch(
                folder,
                order,
                entered=entered,
                started=started,
                profile=self.profile(),
                program=program,
                starter=self._starter(order),
            )

    def _starter(self, order: Order) -> str:
        """On one node of a pilot ranks are simply forked: whatever starts processes elsewhere would only cost time."""
        if order.placement.pilot and order.resources.nodes == 1:
            return ""
        return variables_for(self.scheduler, order.placement).starter

    def _lay_out_code(
        self, folder: AttemptFolder, code: Code | None, *, say: Say, cancelled: Callable[[], bool]
    ) -> None:
        """Once for each task: a later attempt finds the program's own files beside the code."""
        done = folder.run_dir.parent / "code"
        if code is None or done.exists():
            return
        try:
            if code.snapshot:
                self._check_out(code.snapshot.rpartition(":")[2], folder.run_dir, say)
            else:
                _clone(code, folder, say=say, cancelled=cancelled)
        except Cancelled:
            raise
        except Declined as error:
            raise StageFailed(
                Reason.CODE, f"the service did not send the code ({error})"
            ) from error
        except DiamondError as error:
            raise StageFailed(Reason.CODE, _message(error)) from error
        write_whole(done, f"{code.snapshot or code.git_commit}\n".encode())

    def _check_out(self, digest: str, target: Path, say: Say) -> None:
        blobs = self.folders.blobs
        if not blob_path(blobs, digest).is_file():
            self._fetch([digest])
        manifest = blob_path(blobs, digest).read_bytes()
        missing = missing_blobs(manifest, blobs)
        if missing:
            count = "one file" if len(missing) == 1 else f"{len(missing)} files"
            say("code", f"fetching {count}")
            self._fetch(missing)
        checkout(manifest, blobs, target)

    def _fetch(self, digests: list[str]) -> None:
        for start in range(0, len(digests), 1000):
            wanted = [f"sha256:{each}" for each in digests[start : start + 1000]]
            with self.link.fetch("blobs", message_bytes(FetchBlobs(wanted))) as stream:
                unpack_blobs(stream, self.folders.blobs)

    def images(self) -> Images:
        return Images(
            self.folders,
            self.profile,
            runs_on_this_node=abilities_of(self.scheduler).runs_on_this_node,
            job_variables=self.scheduler.script_variables().names,
        )

    def _with_builder(
        self, folder: AttemptFolder, order: Order, *, say: Say, cancelled: Callable[[], bool]
    ) -> Order:
        """A build's program is Diamond's own."""
        if order.build is None:
            return order
        images = self.images()
        self._fetch_inputs(order.build)

        def report(line: str) -> None:
            say("environment", line)

        try:
            command = images.build_command(folder, order.build, say=report, cancelled=cancelled)
        except EnvironmentFailed as error:
            raise StageFailed(Reason.ENVIRONMENT, _message(error)) from error
        return replace(order, argv=command, command="")

    def _with_pilot(self, folder: AttemptFolder, order: Order) -> Order:
        """A pilot's program is Diamond's own, and what it needs to know is beside its script."""
        if order.pilot is None:
            return order
        starter = self.scheduler.script_variables().starter
        settings = pilot_settings(folder, order, order.pilot, self.profile(), starter=starter)
        write_whole(folder.path / "pilot.json", settings_text(settings).encode())
        return replace(order, argv=pilot_command(folder, _pilots(self.folders.work / "training")))

    def _fetch_inputs(self, build: Build) -> None:
        """Files that the environment lays into the image are sent as blobs, like code."""
        digests = [file.digest.split(":")[-1] for file in build.environment.files if file.digest]
        missing = [each for each in digests if not blob_path(self.folders.blobs, each).is_file()]
        if missing:
            self._fetch(missing)

    def _environment(
        self,
        folder: AttemptFolder,
        order: Order,
        data: Mapping[str, str],
        trees: TreeFolders,
        *,
        say: Say,
        cancelled: Callable[[], bool],
    ) -> Entered:
        if order.image is not None:
            return self._image(folder, order, data, trees)
        if order.environment is None:
            return Entered(mounts=trees.mounts)

        def report(line: str) -> None:
            say("environment", line)

        environment = order.environment
        if not order.resources.gpus_per_node and needs_choice(environment):
            environment = for_cpu(environment)
        try:
            made = ensure_environment(
                environment, folder=self.folders.work, say=report, cancelled=cancelled
            )
            return replace(made, mounts=trees.mounts)
        except EnvironmentFailed as error:
            raise StageFailed(Reason.ENVIRONMENT, _message(error)) from error

    def _image(
        self,
        folder: AttemptFolder,
        order: Order,
        data: Mapping[str, str],
        trees: TreeFolders,
    ) -> Entered:
        training = _training(self.folders.work / "training")
        try:
            return self.images().enter(folder, order, data=data, training=training, trees=trees)
        except (EnvironmentFailed, ImageChanged, NotFound) as error:
            raise StageFailed(Reason.ENVIRONMENT, _message(error)) from error

    def _trees(self, folder: AttemptFolder, order: Order) -> TreeFolders:
        """Where each tree of the order is read here; checked now, before each start."""
        places, found = TreePlaces(self.folders), TreeFolders()
        for name, tree in order.trees.items():
            try:
                path = ready_tree(places, tree)
            except (DataChanged, NotFound) as error:
                raise StageFailed(Reason.DATA, f"the data {name!r}: {_message(error)}") from error
            if tree.layout == "archive":
                shown = below(folder.path, "mounts", name)
                shown.mkdir(parents=True, exist_ok=True, mode=0o700)
                found.archives[str(shown)] = path
                path = str(shown)
            elif tree.cache == "node":
                digest = plain_digest(tree.digest)
                cached = str(below(cache_folder(self.folders.tmp), digest))
                found.caches.append((str(places.manifest(digest)), path, cached))
                path = cached
            found.paths[name] = path
        return found

    def _with_caches(self, entered: Entered, trees: TreeFolders) -> Entered:
        if not trees.caches:
            return entered
        builder = builder_file(self.folders.work / "builder")
        filler = [own_python(), builder, "data", "cache"]
        return replace(entered, caches=trees.caches, filler=filler)

    def _missing_secrets(self, order: Order) -> list[str]:
        return [name for name in order.secrets if not (self.folders.secrets / name).is_file()]


@lru_cache
def _training(place: Path) -> str:
    return install_training(place, also=[ranks, starters, frames])


@lru_cache
def _pilots(place: Path) -> str:
    return install_training(place, also=[core, pilots, ranks, starters])


def _submission(folder: AttemptFolder, order: Order) -> Submission:
    return Submission(
        name=folder.job_name,
        script=folder.path / "script.sh",
        folder=folder.path,
        resources=order.resources,
        placement=order.placement,
        exclude=nodes_to_leave_out(folder) if folder.number > 1 else (),
        comment=_comment(_person(folder)),
    )


def _person(folder: AttemptFolder) -> Person | None:
    """None also for a look at the script of a task that was never made."""
    written = folder.task_json()
    return read_task_request(written).person if written else None


def _comment(person: Person | None) -> str:
    """The real person behind a job of a community account, in letters that every batch system accepts."""
    if person is None:
        return ""
    comment = f"diamond:{person.id}:{person.name}"
    return re.sub(r"[^A-Za-z0-9._@:-]+", "_", comment)[:200]


def _data_paths(data: Mapping[str, str]) -> dict[str, str]:
    """Each name with its path here."""
    return {name: str(Path(os.path.expandvars(path)).expanduser()) for name, path in data.items()}


def _require_all(paths: Mapping[str, str], secrets: list[str]) -> None:
    """All of it at once."""
    away = [(name, path) for name, path in paths.items() if not Path(path).exists()]
    missing = [f"the data {name!r} is not there: {path}" for name, path in away]
    missing += [
        f"the secret {name} is not set here. Set it with: diamond secret set {name} --on ENDPOINT"
        for name in secrets
    ]
    if missing:
        raise StageFailed(Reason.DATA if away else Reason.SECRET, "; ".join(missing))


def _require_one_node(order: Order, entered: Entered) -> None:
    """The batch script mounts archives and fills caches on its own node alone."""
    if entered.caches and order.resources.nodes > 1:
        raise StageFailed(
            Reason.DATA,
            "data is cached on the node's own disk for jobs on one node only: leave out `cache: node`",
        )
    if entered.mounts and order.resources.nodes > 1:
        raise StageFailed(
            Reason.DATA,
            "an archive on several nodes needs an Apptainer image, which mounts it on each: "
            "run it in one, or use `layout: files`",
        )


def _link_data(paths: Mapping[str, str], folder: AttemptFolder) -> Mapping[str, str]:
    """Links in the attempt's `data` folder lead to them."""
    place = folder.path / "data"
    if paths:
        place.mkdir(mode=0o700, exist_ok=True)
    for name, path in paths.items():
        link = place / name
        if not link.is_symlink():
            link.symlink_to(path)
    return paths


def _clone(code: Code, folder: AttemptFolder, *, say: Say, cancelled: Callable[[], bool]) -> None:
    """Clone elsewhere with the user's own rights, then move it to where the program runs."""
    if not _COMMIT.fullmatch(code.git_commit):
        raise StageFailed(Reason.CODE, f"{code.git_commit!r} is not a commit")
    aside = folder.run_dir.parent / "code.new"
    shutil.rmtree(aside, ignore_errors=True)
    say("code", f"cloning {without_credentials(code.git_url)}")
    _git(["clone", "--quiet", "--no-checkout", "--", code.git_url, str(aside)], folder, cancelled)
    _git(
        ["-C", str(aside), "checkout", "--quiet", "--detach", code.git_commit, "--"],
        folder,
        cancelled,
    )
    if any(folder.run_dir.iterdir()):
        raise StageFailed(Reason.CODE, f"{folder.run_dir} is not empty")
    folder.run_dir.rmdir()
    aside.rename(folder.run_dir)


def _git(arguments: list[str], folder: AttemptFolder, cancelled: Callable[[], bool]) -> None:
    log = folder.path / "code.log"
    variables = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "https:http:ssh:git:file"}
    code = run_child(
        ["git", *arguments], log=log, say=lambda _: None, cancelled=cancelled, variables=variables
    )
    if code:
        message = "git: " + " / ".join(last_lines(log, 3))
        raise StageFailed(Reason.CODE, without_credentials(message))


def _message(error: DiamondError) -> str:
    return f"{error.message} {error.hint}".strip()

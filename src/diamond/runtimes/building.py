"""One build: what is in the cache is not run, each step is kept as it succeeds, and a failure tells its cause."""

from __future__ import annotations

import os
import platform
import pwd
import time
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, ContextManager, Iterator, List, Optional, Sequence

from diamond.core.errors import Cancelled, EnvironmentFailed
from diamond.images.diagnosis import diagnose
from diamond.images.inventory import INVENTORY
from diamond.images.plan import BASE, PACK, TEST, BuildPlan, Step, make_plan
from diamond.images.recipe import Recipe, recipe_data
from diamond.images.rendering import form_for, render
from diamond.runtimes import store
from diamond.runtimes.base import BuildContext, Builder, Runtime
from diamond.runtimes.calls import Call
from diamond.runtimes.image_folders import ImageFolders, short
from diamond.runtimes.image_test import run_test
from diamond.runtimes.lock import hold_lock
from diamond.runtimes.manifests import ImageManifest, manifest_data
from diamond.runtimes.namespaces import remove_tree
from diamond.runtimes.packing import finished
from diamond.runtimes.reporting import Report
from diamond.runtimes.sharing import group_folders, share, take_shared, writable_shared_folder
from diamond.runtimes.site import Site, lay_out_site
from diamond.runtimes.step_times import remember_time, whole_time

OWN_LAYERS = 24
"""So many steps have a layer each; of more, some share one: overlays cannot be stacked without end."""
SHOWN_LINES = 15


class StepFailed(EnvironmentFailed):
    """A step ended with an error."""

    def __init__(self, step: Step, exit_code: int, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.step, self.exit_code = step, exit_code


@dataclass(frozen=True)
class Work:
    """Everything that a build needs to know of this machine."""

    image_folders: ImageFolders
    site: Site
    runtime: Runtime
    uv: Optional[str] = None
    build: str = ""
    """A unique name: the attempt's id."""
    cancelled: Callable[[], bool] = lambda: False
    shell: Sequence[str] = ()
    """The command that opens a shell before a step, whose name follows."""

    @property
    def scratch(self) -> Path:
        """The host is part of the name: whether a build is alive can only be seen on its own node."""
        return self.image_folders.building / f"{platform.node()}.{self.build or os.getpid()}"


def build_image(recipe: Recipe, work: Work, report: Report) -> ImageManifest:
    """Find the image of a recipe, or build it. Of many processes that ask at once one builds, the others wait.

    Raises `StepFailed`, `EnvironmentFailed` or `Cancelled`; only complete layers are left behind then.
    """
    known = find_image(recipe, work, report)
    if known is None:
        plan = make_plan(recipe, work.runtime.name)
        lock = work.image_folders.identities / f"{short(plan.identity)}.{work.runtime.format}.lock"

        def waiting() -> None:
            report.say("another build of the same image is at work; waiting for it")

        with ExitStack() as locks:
            locks.enter_context(hold_lock(lock, waiting=waiting, cancelled=work.cancelled))
            locks.enter_context(_group_lock(work, lock.name, waiting))
            known = find_image(recipe, work, report)
            return known or _Build(plan, work, report).run()
    return known


def find_image(recipe: Recipe, work: Work, report: Report) -> Optional[ImageManifest]:
    """Report the image of a recipe that is already here, in the user's own store or the group's."""
    work.image_folders.make()
    formats = [work.runtime.format]
    shared = store.find(work.image_folders, recipe.identity, formats)
    if shared is None:
        image_folders = group_folders(work.site.shared, work.image_folders)
        shared = take_shared(image_folders, work.image_folders, recipe.identity, formats)
    if shared is not None:
        report.tell("image", record=manifest_data(shared), reused=True, recipe=recipe_data(recipe))
        report.say(f"the image is here already: {shared.file}")
    return shared


@contextmanager
def open_builder(
    plan: BuildPlan, work: Work, call: Call, *, discards: bool = False
) -> Iterator[Builder]:
    """A builder with its own scratch folder, which is removed at the end."""
    sweep(work.image_folders)
    scratch, lock = work.scratch, _lock_of(work.scratch)
    with ExitStack() as stack:
        stack.callback(lock.unlink, missing_ok=True)
        stack.enter_context(hold_lock(lock, waiting=_silent, cancelled=work.cancelled))
        stack.callback(remove_tree, scratch)
        remove_tree(scratch)
        scratch.mkdir()
        site = scratch / "site"
        inside = lay_out_site(
            work.site, plan, folder=site, image_folders=work.image_folders, uv=work.uv
        )
        (site / "inventory.sh").write_text(INVENTORY, encoding="utf-8")
        context = BuildContext(plan, work.image_folders, work.site, inside, scratch, call, discards)
        builder = work.runtime.builder(context)
        stack.callback(builder.abandon)
        yield builder


def sweep(image_folders: ImageFolders) -> None:
    """Remove what builds of this node left behind that were killed."""
    for scratch in image_folders.building.glob(f"{platform.node()}.*"):
        if scratch.is_dir() and not _is_alive(scratch):
            remove_tree(scratch)
            _lock_of(scratch).unlink(missing_ok=True)


def has_own_layer(number: int, count: int) -> bool:
    """Whether the `number`th of `count` changing steps (from 1) gets a layer: the first ones, powers of two and halves
    between, and the last. It depends on `count` for the last alone, so that a longer recipe finds the layers again."""
    if number <= OWN_LAYERS or number == count:
        return True
    power = 1 << (number.bit_length() - 1)
    return number in (power, power + power // 2)


class _Build:
    def __init__(self, plan: BuildPlan, work: Work, report: Report) -> None:
        self._plan, self._work, self._report = plan, work, report
        self._begun = time.time()
        self._call = Call(report.write, work.cancelled, mask=work.site.secrets)

    def run(self) -> ImageManifest:
        with open_builder(self._plan, self._work, self._call) as builder:
            self._announce(builder)
            self._run_steps(builder)
            manifest = self._pack(builder, self._work.scratch)
            self._test(manifest)
            return self._keep(manifest)

    def _announce(self, builder: Builder) -> None:
        plan, route = self._plan, builder.route()
        self._report.say(f"image {plan.identity}\nroute: {route}")
        self._report.tell(
            "plan",
            identity=plan.identity,
            runtime=self._work.runtime.name,
            route=route,
            steps=[
                {"name": step.name, "title": step.title, "key": step.key} for step in plan.steps
            ],
            definition=render(plan.recipe, form_for(self._work.runtime.name)),
        )

    def _run_steps(self, builder: Builder) -> None:
        """Begin behind the last step whose layer is there."""
        steps = self._plan.steps[: self._plan.steps.index(self._plan.step(PACK))]
        changing = [step for step in steps if step.changes]
        done = max((n for n, step in enumerate(steps) if builder.has(step.key)), default=-1)
        if done > 0 and not builder.has(steps[0].key):
            done = -1
        for step in steps[: done + 1]:
            self._report.cached(step)
        kept, is_open = steps[max(done, 0)], False
        for step in steps[done + 1 :]:
            number = changing.index(step) + 1 if step.changes else 0
            keeps = step.changes and has_own_layer(number, len(changing))
            is_open = self._one(builder, step, kept, is_open=is_open, keeps=keeps)
            kept = step if keeps or step.kind == BASE else kept

    def _one(self, builder: Builder, step: Step, kept: Step, *, is_open: bool, keeps: bool) -> bool:
        """Run one step on the layer of `kept`, or in the working state that is open; returns whether one is open then.

        Builds that share a beginning make it once: the second waits for the layer and finds it.
        """
        lock = self._work.image_folders.layers / f"{short(step.key)}.lock"
        with hold_lock(lock, waiting=self._say_waiting, cancelled=self._work.cancelled):
            if (keeps or step.kind == BASE) and not is_open and builder.has(step.key):
                self._report.cached(step)
                return False
            self._report.started(step)
            begun = time.monotonic()
            code = self._run_step(builder, step, kept, is_open=is_open, keeps=keeps)
            remember_time(self._work.image_folders, step, time.monotonic() - begun)
        self._report.ended(step, code)
        if code:
            raise self._failure(step, code, list(self._call.last))
        return step.kind != BASE and not keeps

    def _run_step(
        self, builder: Builder, step: Step, kept: Step, *, is_open: bool, keeps: bool
    ) -> int:
        self._call.last.clear()
        try:
            if step.kind == BASE:
                builder.make_base()
                return 0
            if not is_open:
                builder.begin(kept)
            code = builder.run(step)
            if keeps and not code:
                builder.keep(step)
            return code
        except (EnvironmentFailed, OSError) as error:
            raise self._broken(step, error) from error

    def _pack(self, builder: Builder, scratch: Path) -> ImageManifest:
        step, begun = self._plan.step(PACK), time.monotonic()
        self._report.started(step)
        self._call.last.clear()
        try:
            manifest = finished(
                builder, self._plan, self._work.runtime, self._work.image_folders, scratch
            )
            remember_time(self._work.image_folders, step, time.monotonic() - begun)
        except (EnvironmentFailed, OSError) as error:
            raise self._broken(step, error) from error
        self._report.ended(step, 0)
        return manifest

    def _test(self, manifest: ImageManifest) -> None:
        """Without a file there is nothing to enter: such a test has run among the other steps."""
        if self._plan.steps[-1].kind != TEST:
            return
        step, work, begun = self._plan.steps[-1], self._work, time.monotonic()
        self._report.started(step)
        self._call.last.clear()
        try:
            code = run_test(
                step,
                manifest,
                work.runtime,
                image_folders=work.image_folders,
                scratch=work.scratch,
                call=self._call,
            )
        except (EnvironmentFailed, OSError) as error:
            raise self._broken(step, error) from error
        remember_time(work.image_folders, step, time.monotonic() - begun)
        self._report.ended(step, code)
        if code:
            raise self._failure(step, code, list(self._call.last))

    def _keep(self, manifest: ImageManifest) -> ImageManifest:
        try:
            manifest = _built(manifest, self._plan, self._work, self._begun)
            manifest = self._shared(store.keep_manifest(self._work.image_folders, manifest))
        except (EnvironmentFailed, OSError) as error:
            raise self._broken(self._plan.step(PACK), error) from error
        self._report.say(f"image {manifest.sha256} in {manifest.file}")
        note = {"record": manifest_data(manifest), "recipe": recipe_data(self._plan.recipe)}
        self._report.tell("image", reused=False, **note)
        return manifest

    def _shared(self, manifest: ImageManifest) -> ImageManifest:
        """The one file is where the group looks; without one, where it is."""
        group = writable_shared_folder(self._work.site.shared, self._work.image_folders)
        return share(group, self._work.image_folders, manifest) if group else manifest

    def _broken(self, step: Step, error: Exception) -> StepFailed:
        """A step that did not end by itself: Diamond has words for it, or the machine has (a full disk)."""
        known = error if isinstance(error, EnvironmentFailed) else None
        lines = known.message.splitlines() if known else [*self._call.last, str(error)]
        self._report.say(known.message if known else str(error))
        self._report.ended(step, 1)
        return self._failure(step, 1, lines, known)

    def _failure(
        self, step: Step, code: int, lines: List[str], error: Optional[EnvironmentFailed] = None
    ) -> StepFailed:
        """Of the step's own ending, or of one that Diamond itself has words for."""
        cause = diagnose(lines, code, step=step.name)
        if error is not None:
            cause = replace(cause, message=error.message.splitlines()[0], hint=error.hint)
        shell = [*self._work.shell, step.name] if self._work.shell else []
        self._report.tell(
            "failed",
            step=step.name,
            at=time.time(),
            exit_code=code,
            last_lines=lines[-SHOWN_LINES:],
            cause=cause.cause,
            message=cause.message,
            hint=cause.hint,
            shell=shell,
        )
        self._report.say(
            f"==> {step.name} failed (exit code {code}): {cause.message}\n    {cause.hint}"
        )
        where = "" if step.name in cause.message else f"step {step.name} failed: "
        self._report.blame(f"{where}{cause.message}. {cause.hint}".strip())
        return StepFailed(step, code, cause.message, cause.hint)

    def _say_waiting(self) -> None:
        self._report.say("another build is making the same step; waiting for it")


def _group_lock(work: Work, name: str, waiting: Callable[[], None]) -> ContextManager[object]:
    """Of all people of the group one builds."""
    group = writable_shared_folder(work.site.shared, work.image_folders)
    if group is None:
        return nullcontext()
    lock = group.identities / name
    return hold_lock(lock, waiting=waiting, cancelled=work.cancelled, mode=0o660)


def _built(manifest: ImageManifest, plan: BuildPlan, work: Work, begun: float) -> ImageManifest:
    now = time.time()
    seconds = now - begun
    facts = {
        "at": now,
        "seconds": round(seconds, 3),
        "whole_seconds": round(max(seconds, whole_time(work.image_folders, plan)), 3),
        "host": platform.node(),
        "user": pwd.getpwuid(os.getuid()).pw_name,
        "build": work.build,
    }
    return replace(manifest, built=facts)


def _lock_of(scratch: Path) -> Path:
    return scratch.with_name(f"{scratch.name}.lock")


def _is_alive(scratch: Path) -> bool:
    try:
        with hold_lock(_lock_of(scratch), waiting=_silent, cancelled=lambda: True):
            return False
    except Cancelled:
        return True


def _silent() -> None:
    """Called while waiting for a lock; says nothing."""

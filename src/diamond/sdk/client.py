"""The Python client: used by the CLI, notebooks and scripts.

Modules that only some calls need are imported there, because `diamond tasks` must start fast.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from diamond.core.errors import DiamondError, NotFound
from diamond.sdk.client_config import diamond_home, find_address
from diamond.sdk.data_calls import DataCalls
from diamond.sdk.event_stream import EventStream, StreamEvent
from diamond.sdk.follower import Follower
from diamond.sdk.listing import Listing
from diamond.sdk.logs import STREAMS, LogPart, LogReader
from diamond.sdk.model_calls import ModelCalls
from diamond.sdk.models import Endpoint, Job, Task, job_from_json, model_from_json
from diamond.sdk.pipeline_calls import PipelineCalls, spec_file_in
from diamond.sdk.record_calls import RecordCalls
from diamond.sdk.transport import API, Transport, path_segment

if TYPE_CHECKING:
    from diamond.sdk.bulk import BulkAction
    from diamond.sdk.code_selection import CodeSelection
    from diamond.sdk.pipelines import Pipeline

Spec = str | Path | Mapping[str, Any] | Sequence[str]
Settings = Sequence[str] | Mapping[str, Any]


class Client(ModelCalls, RecordCalls, DataCalls, PipelineCalls):
    """A client of one service. Every method raises the classes of `diamond.core.errors`.

    Without arguments it uses `$DIAMOND_URL` and `$DIAMOND_TOKEN`, or the service on this machine.
    """

    def __init__(self, url: str | None = None, token: str | None = None) -> None:
        super().__init__(Transport(find_address(url, token)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.transport.close()

    def run(
        self,
        spec: Spec,
        *,
        on: str | None = None,
        set: Settings = (),
        wait: bool = False,
        folder: Path | None = None,
        with_code: bool = True,
        goal: Mapping[str, Any] | None = None,
        project: str = "",
        sign: bool = False,
        say: Callable[[str], None] = lambda message: None,
    ) -> Job:
        """Submit a job: the path of a spec, a mapping, or a command as a list.

        In `run`, `{lr}` is the param lr, and `{resume:--resume %}` appears only when there is a checkpoint.
        `folder` is the base of a relative `code:` (default: the spec's folder, or the current one).
        `project`: share with its members. `sign`: sign with the key of `diamond key create`.
        With a `goal`, as in `plan`, the task shows the plan next to what actually happens.
        Raises `InvalidSpec` with all faults before anything is uploaded; `say` receives progress messages.
        """
        prepared, base = self._spec(spec, on, set, folder, with_code=with_code)
        body, notes = self._request(prepared, base, say, with_code=with_code, project=project)
        body |= {"goal": dict(goal)} if goal else {}
        body |= {"signature": self._signed(body)} if sign else {}
        job = _job(self.transport.post(f"{API}/jobs", body, creates=True), notes)
        return self._finished(job) if wait else job

    def run_pipeline(
        self,
        pipeline: str | Path | Mapping[str, Any] | Pipeline,
        *,
        on: str | None = None,
        set: Settings = (),
        force: Sequence[str] = (),
        start_from: Sequence[str] = (),
        folder: Path | None = None,
        with_code: bool = True,
        project: str = "",
        only_check: bool = False,
        spec_file: str | Path = "",
        say: Callable[[str], None] = lambda message: None,
    ) -> dict[str, Any]:
        """Submit a pipeline: the path of a spec with `pipeline:`, a mapping, or a `diamond.sdk.pipelines.Pipeline`.

        Stages that were done before are not run again, except those in `force`, and those in `start_from` with all that
        depend on them. `only_check`: find its faults and submit nothing. `spec_file`: where a mapping was
        read from. `wait_pipeline` waits for the end.
        """
        from diamond.sdk.code_selection import precheck, upload_code

        given = pipeline if isinstance(pipeline, str | Path | Mapping) else pipeline.spec
        prepared, base = self._spec(given, on, set, folder, with_code=with_code)
        checked = precheck(
            self.transport,
            prepared,
            base,
            with_code=with_code,
            project=project,
            call="pipelines/check",
        )
        if only_check:
            return checked
        choose = partial(self._code, prepared, base, with_code=with_code)
        code = upload_code(self.transport, choose, say, project)
        for note in code.messages:
            say(note)
        body: dict[str, Any] = {
            "spec": prepared,
            "project": project,
            "force": list(force),
            "start_from": list(start_from),
            "spec_file": spec_file_in(spec_file or given, prepared.get("code"), base),
        }
        body |= {"code": code.body} if code.body else {}
        return dict(self.transport.post(f"{API}/pipelines", body, creates=True))

    def tune(
        self, model: str, *, on: str | None = None, set: Settings = (), wait: bool = False
    ) -> Job:
        """Run again what made a version, with that version in `$DIAMOND_DATA/weights`."""
        found = self.model_tuning(model)
        if not found["spec"].get("run"):
            raise NotFound(
                f"The run that made {model} is not known to you",
                "Write a spec yourself; `diamond model tune MODEL` prints its first lines.",
            )
        spec, _ = self._spec(found["spec"], on, set, None, with_code=True)
        body = {"spec": spec, **({"code": found["code"]} if found["code"] else {})}
        job = _job(self.transport.post(f"{API}/jobs", body, creates=True), [])
        return self._finished(job) if wait else job

    def run_recipe(
        self, name: str, *, on: str | None = None, set: Settings = (), wait: bool = False
    ) -> Job:
        """Submit the job of a recipe; the service already has its code."""
        spec, _ = self._spec(self.recipe(name)["spec"], on, set, None, with_code=True)
        body = {"spec": spec, "recipe": name}
        job = _job(self.transport.post(f"{API}/jobs", body, creates=True), [])
        return self._finished(job) if wait else job

    def check(
        self,
        spec: Spec,
        *,
        on: str | None = None,
        set: Settings = (),
        script: bool = False,
        folder: Path | None = None,
        with_code: bool = True,
        project: str = "",
    ) -> Any:
        """Check a spec without submitting or uploading anything: `{"order", "endpoint", "warnings", "code"}`."""
        from diamond.sdk.code_selection import precheck

        prepared, base = self._spec(spec, on, set, folder, with_code=with_code)
        prepared = self._with_environment(prepared, base, send=False)
        answer = precheck(
            self.transport, prepared, base, script=script, with_code=with_code, project=project
        )
        code = self._code(prepared, base, with_code=with_code)
        return {**answer, "warnings": [*code.notes, *answer["warnings"]], "code": code.body}

    def plan(
        self,
        spec: Spec,
        goal: Mapping[str, Any],
        *,
        on: str | None = None,
        set: Settings = (),
        project: str = "",
    ) -> dict[str, Any]:
        """Estimate attempts, finish time and cost of reaching a goal; nothing is submitted.

        The goal: `steps` (or `epochs`, `samples`, `batch`), and `step_seconds` or `like` (a task that logged its steps, or a scale).
        """
        from diamond.sdk.code_selection import without_code_folder

        prepared, _ = self._spec(spec, on, set, None, with_code=True)
        body = {"spec": without_code_folder(prepared), "goal": dict(goal), "project": project}
        return dict(self.transport.post(f"{API}/plans", body))

    def scale(
        self,
        spec: Spec,
        wanted: Mapping[str, Any] | None = None,
        *,
        on: str | None = None,
        set: Settings = (),
        folder: Path | None = None,
        say: Callable[[str], None] = lambda message: None,
    ) -> dict[str, Any]:
        """Start short probe runs of a spec: `{"nodes": [1, 2, 4], "goal": "soonest"}`, or `{"tune": True}`.

        `wait_scale` returns their results.
        """
        prepared, base = self._spec(spec, on, set, folder, with_code=True)
        body, notes = self._request(prepared, base, say, with_code=True)
        for note in notes:
            say(note)
        return dict(self.transport.post(f"{API}/scales", {**body, **(wanted or {})}, creates=True))

    def job(self, job: str) -> Job:
        return job_from_json(self.transport.get(f"{API}/jobs/{path_segment(job)}"))

    def tasks(
        self,
        *,
        state: Sequence[str] = (),
        endpoint: str = "",
        name: str = "",
        search: str = "",
        tag: str = "",
        kind: str = "",
        job: str = "",
        since: float | None = None,
        sort: str = "",
        limit: int | None = None,
        cursor: str = "",
    ) -> Listing[Task]:
        """Tasks, newest first, fetched page by page; at most `limit`, starting at the `cursor` of an earlier list."""
        query = {
            "state": list(state),
            "endpoint": endpoint,
            "name": name,
            "search": search,
            "tag": tag,
            "kind": kind,
            "job": job,
            "since": since,
            "sort": sort,
        }
        return self.pages(f"{API}/tasks", query, limit, cursor).of(partial(model_from_json, Task))

    def task(self, task: str) -> Task:
        """Look up by task id, job id or a unique prefix."""
        return model_from_json(Task, self.transport.get(_path(task)))

    def cancel(self, task: str) -> Task:
        """Cancel a task. Doing it twice, or too late, is fine."""
        return model_from_json(Task, self.transport.post(_path(task, "cancel")))

    def retry(self, task: str) -> Task:
        """Run the same order again as a new task, and return that."""
        return model_from_json(Task, self.transport.post(_path(task, "retry"), creates=True))

    def diagnosis(self, task: str) -> dict[str, Any]:
        """Why a task failed and what to do; `fix` is the change with which `Client.fix` would run it again."""
        return dict(self.transport.get(_path(task, "diagnosis")))

    def fix(self, task: str) -> Task:
        """Run a failed task again with the change that its diagnosis offers, and return the new task."""
        return model_from_json(Task, self.transport.post(_path(task, "fix"), creates=True))

    def cancel_matching(
        self,
        *,
        state: Sequence[str] = (),
        endpoint: str = "",
        name: str = "",
        search: str = "",
        tag: str = "",
    ) -> BulkAction:
        """All open tasks that match; `.count` is their number, `for outcome in ….go():` cancels them."""
        filters = {"endpoint": endpoint, "name": name, "search": search, "tag": tag}
        return self._matching("cancel", state, filters)

    def retry_matching(
        self,
        *,
        state: Sequence[str] = (),
        endpoint: str = "",
        name: str = "",
        search: str = "",
        tag: str = "",
    ) -> BulkAction:
        """All ended tasks that match (default: failed and cancelled); `.go()` runs them again."""
        filters = {"endpoint": endpoint, "name": name, "search": search, "tag": tag}
        return self._matching("retry", state, filters)

    def annotate(
        self,
        task: str,
        *,
        name: str | None = None,
        note: str | None = None,
        tags: Sequence[str] | None = None,
        add_tags: Sequence[str] = (),
        remove_tags: Sequence[str] = (),
    ) -> Task:
        """Rename a task, write a note or change its tags; what is left out stays. `tags` replaces all of them."""
        changes: dict[str, Any] = {"add_tags": list(add_tags), "remove_tags": list(remove_tags)}
        changes |= {} if name is None else {"name": name}
        changes |= {} if note is None else {"note": note}
        changes |= {} if tags is None else {"tags": list(tags)}
        return model_from_json(Task, self.transport.send("PATCH", _path(task), changes))

    def summaries(self, tasks: Sequence[str]) -> list[dict[str, Any]]:
        """For each task its progress with the seconds left, and the last, lowest and highest value of each metric."""
        return list(self.transport.get(f"{API}/metrics/summaries", {"task": list(tasks)})["items"])

    def resume(self, task: str, *, budget: str = "", attempts: int | None = None) -> Task:
        """Continue a task: the same task if it has not ended, else a new one that starts where it stopped."""
        wanted: dict[str, Any] = {"budget": budget} if budget else {}
        if attempts is not None:
            wanted["attempts"] = attempts
        return model_from_json(
            Task, self.transport.post(_path(task, "resume"), wanted, creates=True)
        )

    def wait(self, task: str, *, timeout: float | None = None) -> Task:
        """Wait for the task to end. Raises `TimeoutError` after `timeout` seconds; the task keeps running."""
        if timeout is not None:
            return self._wait_until(task, time.monotonic() + timeout)
        current = self.task(task)
        for event in self.events():
            if event.kind == "connected" or event.data.get("id") == current.id:
                current = self.task(current.id)
            if current.is_final:
                return current
        return current

    def _wait_until(self, task: str, end: float) -> Task:
        """By polling: a silent event stream would not return in time."""
        pause = 0.1
        while not (current := self.task(task)).is_final:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"{current.id} is still {current.state}")
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 1.0)
        return current

    def history(self, task: str) -> list[dict[str, Any]]:
        """All events of a task, oldest first."""
        return list(self.pages(_path(task, "history"), {}, None))

    def logs(
        self,
        task: str,
        *,
        follow: bool = False,
        streams: tuple[str, ...] = STREAMS,
        attempt: str = "",
        run: int | None = None,
        tail_bytes: int | None = None,
        rank: int = 0,
    ) -> Iterator[LogPart]:
        """The log so far; with `follow` until the task ends. Rank 0 includes the lines of all ranks."""
        if not follow:
            reader = LogReader(self.transport, self.task(task).id, streams, rank)
            return reader.stored(attempt=attempt, run=run, tail_bytes=tail_bytes)
        follower = self.follow(task, streams=streams, tail_bytes=tail_bytes, rank=rank)
        return (part for part in follower if isinstance(part, LogPart))

    def follow(
        self,
        task: str,
        *,
        streams: tuple[str, ...] = STREAMS,
        tail_bytes: int | None = None,
        rank: int = 0,
        on_lost: Callable[[DiamondError], None] | None = None,
        on_endpoint: Callable[[Endpoint], None] | None = None,
    ) -> Follower:
        """Changes, log parts and notes of a task as they happen, until it ends.

        `on_lost` is called for each lost connection, `on_endpoint` for each change of an endpoint.
        """
        return Follower(
            self.transport,
            self.task(task).id,
            streams=streams,
            tail_bytes=tail_bytes,
            rank=rank,
            on_lost=on_lost,
            on_endpoint=on_endpoint,
        )

    def log_streams(self, task: str) -> list[dict[str, Any]]:
        return LogReader(self.transport, self.task(task).id).streams()

    def events(
        self,
        watch: Sequence[str] = (),
        *,
        after: str = "now",
        on_lost: Callable[[DiamondError], None] | None = None,
    ) -> Iterator[StreamEvent]:
        """All events from now on, without end, plus logs and metrics of the tasks in `watch`."""
        return iter(EventStream(self.transport, list(watch), after=after, on_lost=on_lost))

    def metrics(self, task: str, *, name: str = "", points: int = 1000) -> list[dict[str, Any]]:
        query = {"name": name, "points": points}
        return list(self.transport.get(_path(task, "metrics"), query)["items"])

    def usage(self, task: str) -> list[dict[str, Any]]:
        return list(self.transport.get(_path(task, "usage"))["items"])

    def files(self, task: str, path: str = "") -> list[dict[str, Any]]:
        """The content of one folder in the run directory."""
        from diamond.sdk.listing import Listing

        return list(Listing[dict[str, Any]](self.transport, _path(task, "files"), {"path": path}))

    def media(self, task: str) -> list[dict[str, Any]]:
        """Pictures and tables that the script logged with W&B or MLflow; fetch one by its `path` with `get`."""
        return list(self.transport.get(_path(task, "media"))["items"])

    def get(
        self,
        task: str,
        path: str,
        dest: Path | str | None = None,
        *,
        say: Callable[[str], None] = lambda message: None,
    ) -> list[Path]:
        """Download a file or a whole folder; an interrupted download resumes where it stopped.

        `say` receives a message for each skipped entry of a folder, such as a link or a pipe.
        """
        from diamond.sdk.downloads import destination_for, download, download_folder

        task_id = self.task(task).id
        path = "" if path.strip("/") == "." else path
        target = None if dest is None else Path(dest)
        as_folder = str(dest or "").endswith("/")
        if not self._is_folder(task_id, path):
            file = destination_for(path, target, folder=as_folder)
            return [download(self.transport, task_id, path, file)]
        name = path.rstrip("/").rsplit("/", 1)[-1]
        top = target if target is not None else Path(name or task_id)
        files = self._files_below(task_id, path.strip("/"), say)
        return download_folder(self.transport, task_id, files, top, say)

    def script(self, task: str) -> str:
        """The batch script as it was submitted."""
        return self.transport.call("GET", _path(task, "script")).body.decode()

    def report(self, task: str) -> Any:
        return self.transport.get(_path(task, "report"))

    def _matching(
        self, action: str, state: Sequence[str], filters: Mapping[str, str]
    ) -> BulkAction:
        from diamond.sdk.bulk import BulkAction

        return BulkAction(self.transport, action, {"state": list(state), **filters})

    def _spec(
        self,
        spec: Spec,
        on: str | None,
        settings: Settings,
        folder: Path | None,
        *,
        with_code: bool,
    ) -> tuple[dict[str, Any], Path]:
        """The complete spec, and the base folder of its paths."""
        from diamond.sdk.specs import with_settings

        prepared, base = read_spec(spec)
        prepared = with_settings(prepared, settings)
        if on is not None:
            prepared["on"] = on
        if not with_code:
            prepared.pop("code", None)
        return prepared, folder or base

    def _with_environment(
        self, spec: dict[str, Any], folder: Path, *, send: bool = True
    ) -> dict[str, Any]:
        """Upload the files that an inline environment adds to its image."""
        if not _has_files(spec):
            return spec
        return {**spec, "environment": self.with_files(spec["environment"], folder, send=send)}

    def request_body(
        self, spec: Spec, *, say: Callable[[str], None] = lambda message: None
    ) -> dict[str, Any]:
        """Upload the code and return `spec` and `code` for a request; nothing is submitted."""
        prepared, base = self._spec(spec, None, (), None, with_code=True)
        from diamond.sdk.code_selection import upload_code

        code = upload_code(self.transport, partial(self._code, prepared, base, with_code=True), say)
        return {"spec": prepared, **({"code": code.body} if code.body else {})}

    def _request(
        self,
        spec: dict[str, Any],
        base: Path,
        say: Callable[[str], None],
        *,
        with_code: bool,
        project: str = "",
    ) -> tuple[dict[str, Any], list[str]]:
        """Upload the code; returns the body of the request and notes for the user."""
        from diamond.sdk.code_selection import (
            precheck,
            require_unrestricted,
            upload_code,
            will_upload,
        )

        if project and _has_files(spec):
            require_unrestricted(self.transport, project)
        prepared = self._with_environment(spec, base)
        if with_code and will_upload(prepared, base):
            precheck(self.transport, prepared, base, project=project)
        choose = partial(self._code, prepared, base, with_code=with_code)
        if with_code and project and will_upload(prepared, base):
            require_unrestricted(self.transport, project)
        code = upload_code(self.transport, choose, say, project)
        body = {"spec": prepared, **({"code": code.body} if code.body else {})}
        return body | ({"project": project} if project else {}), code.messages

    def _signed(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Sign the order that the service would run; the agent rejects anything else."""
        from diamond.sdk.signing_key import sign_order

        asked = {name: value for name, value in body.items() if name != "goal"}
        return sign_order(self.transport.post(f"{API}/jobs/check", asked)["order"])

    def _code(self, spec: Mapping[str, Any], base: Path, *, with_code: bool) -> CodeSelection:
        from diamond.sdk.code_selection import CodeSelection, choose_code

        if not with_code:
            return CodeSelection()
        return choose_code(spec, base, cache=diamond_home() / "cache")

    def _finished(self, job: Job) -> Job:
        tasks = [self.wait(task.id) for task in job.tasks]
        return job_from_json(job.raw, [task.raw for task in tasks])

    def _is_folder(self, task: str, path: str) -> bool:
        clean = path.strip("/")
        if not clean:
            return True
        parent, _, name = clean.rpartition("/")
        for entry in self.files(task, parent):
            if str(entry["path"]).rstrip("/").rsplit("/", 1)[-1] == name:
                return bool(entry.get("kind") == "folder")
        raise NotFound(f"{task} has no file {path!r}", f"List its files: diamond files {task}")

    def _files_below(
        self, task: str, path: str, say: Callable[[str], None]
    ) -> Iterator[tuple[str, str]]:
        """Each file below a folder, with its relative path."""
        pending = [""]
        while pending:
            here = pending.pop()
            for entry in self.files(task, "/".join(part for part in (path, here) if part)):
                name = str(entry["path"]).rstrip("/").rsplit("/", 1)[-1]
                relative = f"{here}/{name}" if here else name
                if entry.get("kind") == "folder":
                    pending.append(relative)
                elif entry.get("kind") == "file":
                    yield (f"{path}/{relative}" if path else relative), relative
                else:
                    say(f"Skipped: {relative} (a link, which is not followed)")


def read_spec(spec: Spec) -> tuple[dict[str, Any], Path]:
    """The spec as a mapping, and the base folder of its paths."""
    from diamond.sdk.specs import load_spec, spec_from_command, with_name

    if isinstance(spec, str | Path):
        path = Path(spec)
        file = path / "diamond.yaml" if path.is_dir() else path
        folder = file.absolute().parent
        return with_name(load_spec(file), folder.name), folder
    if isinstance(spec, Mapping):
        return with_name(spec), Path.cwd()
    return spec_from_command(list(spec)), Path.cwd()


def _path(task: str, *more: str) -> str:
    return "/".join([f"{API}/tasks/{path_segment(task)}", *more])


def _job(answer: Mapping[str, Any], notes: list[str]) -> Job:
    warnings = [*notes, *(answer.get("warnings") or [])]
    return job_from_json({**answer["job"], "warnings": warnings}, list(answer["tasks"]))


def _has_files(spec: Mapping[str, Any]) -> bool:
    """Whether its environment adds local files to the image."""
    environment = spec.get("environment")
    return isinstance(environment, Mapping) and bool(environment.get("files"))

"""The Python door to Diamond: what the CLI, a notebook or a script calls.

What only some calls need is imported there: `diamond tasks` is typed often and must answer at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from diamond.core.errors import DiamondError, NotFound
from diamond.sdk.client_config import diamond_home, find_address
from diamond.sdk.event_stream import EventStream, StreamEvent
from diamond.sdk.follower import Follower
from diamond.sdk.listing import Listing
from diamond.sdk.logs import STREAMS, LogPart, LogReader
from diamond.sdk.models import Endpoint, Job, Task, job_from_json, model_from_json
from diamond.sdk.scale_calls import ScaleCalls
from diamond.sdk.transport import API, Transport, path_segment

if TYPE_CHECKING:
    from diamond.sdk.bulk import BulkAction
    from diamond.sdk.code_selection import CodeSelection

Spec = str | Path | Mapping[str, Any] | Sequence[str]
Settings = Sequence[str] | Mapping[str, Any]


class Client(ScaleCalls):
    """Speaks to one service; every method raises the classes of `diamond.core.errors`.

    Without arguments: `$DIAMOND_URL` and `$DIAMOND_TOKEN`, or the service that runs on this machine.
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
        say: Callable[[str], None] = lambda words: None,
    ) -> Job:
        """Ask for a job: a spec's path, a mapping, or the words of a command.

        `folder` is where a relative `code:` begins (default: the spec's folder, or the current one).
        `project`: whose members see it. `sign`: with the key of `diamond key create`. With a `goal`, as in `plan`, the task shows what was foretold beside what happens.
        Raises `InvalidSpec` with all faults, before anything travels; `say` hears what does.
        """
        made, place = self._spec(spec, on, set, folder, with_code=with_code)
        body, words = self._request(made, place, say, with_code=with_code, project=project)
        body |= {"goal": dict(goal)} if goal else {}
        body |= {"signature": self._signed(body)} if sign else {}
        job = _job(self.transport.post(f"{API}/jobs", body, creates=True), words)
        return self._finished(job) if wait else job

    def run_recipe(
        self, name: str, *, on: str | None = None, set: Settings = (), wait: bool = False
    ) -> Job:
        """Ask for a recipe's job; its code is at the service already."""
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
        """What a spec would become: `{"order", "endpoint", "warnings", "code"}`; nothing is asked for or sent."""
        from diamond.sdk.code_selection import precheck

        made, place = self._spec(spec, on, set, folder, with_code=with_code)
        made = self._with_environment(made, place, send=False)
        answer = precheck(
            self.transport, made, place, script=script, with_code=with_code, project=project
        )
        code = self._code(made, place, with_code=with_code)
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
        """How many attempts a spec takes to reach a goal, until when, at what cost; nothing is asked for or sent.

        The goal: `steps` (or `epochs`, `samples`, `batch`), and `step_seconds` or `like` (a task that logged its steps, or a scale).
        """
        from diamond.sdk.code_selection import without_code_folder

        made, _ = self._spec(spec, on, set, None, with_code=True)
        body = {"spec": without_code_folder(made), "goal": dict(goal), "project": project}
        return dict(self.transport.post(f"{API}/plans", body))

    def scale(
        self,
        spec: Spec,
        wanted: Mapping[str, Any] | None = None,
        *,
        on: str | None = None,
        set: Settings = (),
        folder: Path | None = None,
        say: Callable[[str], None] = lambda words: None,
    ) -> dict[str, Any]:
        """Begin short probe runs of a spec: `{"nodes": [1, 2, 4], "goal": "soonest"}`, or `{"tune": True}`.

        `wait_scale` gives what they told.
        """
        made, place = self._spec(spec, on, set, folder, with_code=True)
        body, words = self._request(made, place, say, with_code=True)
        for word in words:
            say(word)
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
        kind: str = "",
        job: str = "",
        since: float | None = None,
        sort: str = "",
        limit: int | None = None,
        cursor: str = "",
    ) -> Listing[Task]:
        """Tasks, newest first, page by page as they are asked for; at most `limit`, from a `cursor` of an earlier list."""
        query = {
            "state": list(state),
            "endpoint": endpoint,
            "name": name,
            "search": search,
            "kind": kind,
            "job": job,
            "since": since,
            "sort": sort,
        }
        return self.pages(f"{API}/tasks", query, limit, cursor).of(partial(model_from_json, Task))

    def task(self, task: str) -> Task:
        """By task id, job id or a unique beginning of one."""
        return model_from_json(Task, self.transport.get(_path(task)))

    def cancel(self, task: str) -> Task:
        """Ask for the end; asking twice, or too late, is fine."""
        return model_from_json(Task, self.transport.post(_path(task, "cancel")))

    def retry(self, task: str) -> Task:
        """The new task that does the same again."""
        return model_from_json(Task, self.transport.post(_path(task, "retry"), creates=True))

    def cancel_matching(
        self, *, state: Sequence[str] = (), endpoint: str = "", name: str = "", search: str = ""
    ) -> BulkAction:
        """All open tasks that match, counted; `for outcome in ….go():` cancels them."""
        return self._matching("cancel", state, endpoint, name, search)

    def retry_matching(
        self, *, state: Sequence[str] = (), endpoint: str = "", name: str = "", search: str = ""
    ) -> BulkAction:
        """All ended tasks that match (without `state`: failed and cancelled ones); `.go()` runs them again."""
        return self._matching("retry", state, endpoint, name, search)

    def resume(self, task: str, *, budget: str = "", attempts: int | None = None) -> Task:
        """Let it go on: the task itself while it has not ended, else a new one where it stopped."""
        wanted: dict[str, Any] = {"budget": budget} if budget else {}
        if attempts is not None:
            wanted["attempts"] = attempts
        return model_from_json(
            Task, self.transport.post(_path(task, "resume"), wanted, creates=True)
        )

    def wait(self, task: str, *, timeout: float | None = None) -> Task:
        """The task when it has ended; `TimeoutError` after `timeout` seconds, the task goes on."""
        if timeout is not None:
            return self._wait_until(task, time.monotonic() + timeout)
        found = self.task(task)
        for event in self.events():
            if event.kind == "connected" or event.data.get("id") == found.id:
                found = self.task(found.id)
            if found.is_final:
                return found
        return found

    def _wait_until(self, task: str, end: float) -> Task:
        """By asking: a stream on which nothing happens would not come back in time."""
        pause = 0.1
        while not (found := self.task(task)).is_final:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"{found.id} is still {found.state}")
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 1.0)
        return found

    def history(self, task: str) -> list[dict[str, Any]]:
        """All that was learned about a task, oldest first."""
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
        """The log so far; with `follow` until the task has ended. Rank 0: with the lines of all ranks."""
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
        """The task's changes, log parts and notes as they happen, until it has ended.

        `on_lost` hears of each lost connection, `on_endpoint` of each change of a machine.
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
        """Everything that happens from now on, without end; logs and metrics of the tasks in `watch` too."""
        return iter(EventStream(self.transport, list(watch), after=after, on_lost=on_lost))

    def metrics(self, task: str, *, name: str = "", points: int = 1000) -> list[dict[str, Any]]:
        query = {"name": name, "points": points}
        return list(self.transport.get(_path(task, "metrics"), query)["items"])

    def usage(self, task: str) -> list[dict[str, Any]]:
        return list(self.transport.get(_path(task, "usage"))["items"])

    def files(self, task: str, path: str = "") -> list[dict[str, Any]]:
        """One folder of the run directory."""
        from diamond.sdk.listing import Listing

        return list(Listing[dict[str, Any]](self.transport, _path(task, "files"), {"path": path}))

    def get(
        self,
        task: str,
        path: str,
        dest: Path | str | None = None,
        *,
        say: Callable[[str], None] = lambda words: None,
    ) -> list[Path]:
        """Fetch a file, or a folder with all in it; a broken fetch goes on where it stopped.

        `say` hears what of a folder is left out: links, pipes and the like.
        """
        from diamond.sdk.downloads import destination_for, download, download_folder

        found = self.task(task).id
        path = "" if path.strip("/") == "." else path
        goal = None if dest is None else Path(dest)
        as_folder = str(dest or "").endswith("/")
        if not self._is_folder(found, path):
            place = destination_for(path, goal, folder=as_folder)
            return [download(self.transport, found, path, place)]
        name = path.rstrip("/").rsplit("/", 1)[-1]
        top = goal if goal is not None else Path(name or found)
        files = self._below(found, path.strip("/"), say)
        return download_folder(self.transport, found, files, top, say)

    def script(self, task: str) -> str:
        """The batch script as it was handed to the batch system."""
        return self.transport.call("GET", _path(task, "script")).body.decode()

    def report(self, task: str) -> Any:
        return self.transport.get(_path(task, "report"))

    def _matching(
        self, act: str, state: Sequence[str], endpoint: str, name: str, search: str
    ) -> BulkAction:
        from diamond.sdk.bulk import BulkAction

        filters = {"state": list(state), "endpoint": endpoint, "name": name, "search": search}
        return BulkAction(self.transport, act, filters)

    def _spec(
        self,
        spec: Spec,
        on: str | None,
        settings: Settings,
        folder: Path | None,
        *,
        with_code: bool,
    ) -> tuple[dict[str, Any], Path]:
        """The whole spec, and the folder where its paths begin."""
        from diamond.sdk.specs import with_settings

        made, base = read_spec(spec)
        made = with_settings(made, settings)
        if on is not None:
            made["on"] = on
        if not with_code:
            made.pop("code", None)
        return made, folder or base

    def _with_environment(
        self, spec: dict[str, Any], folder: Path, *, send: bool = True
    ) -> dict[str, Any]:
        """Files that an inline environment lays into its image are sent."""
        if not _has_files(spec):
            return spec
        return {**spec, "environment": self.with_files(spec["environment"], folder, send=send)}

    def request_body(
        self, spec: Spec, *, say: Callable[[str], None] = lambda words: None
    ) -> dict[str, Any]:
        """`spec` and `code` as a request carries them; the code has been sent, and nothing is asked for."""
        made, place = self._spec(spec, None, (), None, with_code=True)
        code = self._code(made, place, with_code=True)
        if code.snapshot:
            from diamond.sdk.uploads import upload_snapshot

            upload_snapshot(self.transport, code.snapshot, say)
        return {"spec": made, **({"code": code.body} if code.body else {})}

    def _request(
        self,
        spec: dict[str, Any],
        place: Path,
        say: Callable[[str], None],
        *,
        with_code: bool,
        project: str = "",
    ) -> tuple[dict[str, Any], list[str]]:
        """The body of a request once its code has been sent, and words for the person."""
        from diamond.sdk.code_selection import precheck, require_unrestricted, will_upload
        from diamond.sdk.uploads import upload_snapshot

        if project and _has_files(spec):
            require_unrestricted(self.transport, project)
        made = self._with_environment(spec, place)
        if with_code and will_upload(made, place):
            precheck(self.transport, made, place, project=project)
        code = self._code(made, place, with_code=with_code)
        if code.snapshot and project:
            require_unrestricted(self.transport, project)
        if code.snapshot:
            upload_snapshot(self.transport, code.snapshot, say, project)
        body = {"spec": made, **({"code": code.body} if code.body else {})}
        return body | ({"project": project} if project else {}), code.words

    def _signed(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """What the service would run, signed here; it refuses to run anything else."""
        from diamond.sdk.signing_key import sign_order

        asked = {name: value for name, value in body.items() if name != "goal"}
        return sign_order(self.transport.post(f"{API}/jobs/check", asked)["order"])

    def _code(self, spec: Mapping[str, Any], place: Path, *, with_code: bool) -> CodeSelection:
        from diamond.sdk.code_selection import CodeSelection, choose_code

        if not with_code:
            return CodeSelection()
        return choose_code(spec, place, cache=diamond_home() / "cache")

    def _finished(self, job: Job) -> Job:
        tasks = [self.wait(task.id) for task in job.tasks]
        return job_from_json(job.raw, [task.raw for task in tasks])

    def _is_folder(self, task: str, path: str) -> bool:
        clean = path.strip("/")
        if not clean:
            return True
        parent, _, name = clean.rpartition("/")
        for one in self.files(task, parent):
            if str(one["path"]).rstrip("/").rsplit("/", 1)[-1] == name:
                return bool(one.get("kind") == "folder")
        raise NotFound(f"{task} has no file {path!r}", f"List them with: diamond files {task}")

    def _below(self, task: str, path: str, say: Callable[[str], None]) -> Iterator[tuple[str, str]]:
        """Each file under a folder, with its path from there."""
        pending = [""]
        while pending:
            here = pending.pop()
            for one in self.files(task, "/".join(part for part in (path, here) if part)):
                name = str(one["path"]).rstrip("/").rsplit("/", 1)[-1]
                relative = f"{here}/{name}" if here else name
                if one.get("kind") == "folder":
                    pending.append(relative)
                elif one.get("kind") == "file":
                    yield (f"{path}/{relative}" if path else relative), relative
                else:
                    say(f"Left out: {relative} (a link, which is not followed)")


def read_spec(spec: Spec) -> tuple[dict[str, Any], Path]:
    """The mapping that a spec stands for, and the folder where its paths begin."""
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
    """Whether it lays files of this machine into its image."""
    environment = spec.get("environment")
    return isinstance(environment, Mapping) and bool(environment.get("files"))

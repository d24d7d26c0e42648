"""Answers to requests of the service: somebody waits for each of them."""

from __future__ import annotations

import json
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union
from urllib.parse import quote

from diamond.agent.folders import Folders
from diamond.agent.guard.policy import Policy
from diamond.agent.guard.secrets import delete_secret, list_secrets, set_secret
from diamond.agent.link.carriers import Declined, Link, LinkDown
from diamond.agent.output.digests import Digests
from diamond.agent.output.files import list_files, read_file, stat_file
from diamond.agent.output.logs import LOGS, RECORDS, rank_log
from diamond.agent.output.media import list_media
from diamond.agent.output.report import report
from diamond.agent.site.browsing import browse, read_mounts, starting_points
from diamond.agent.site.profile import load_profile
from diamond.agent.tasks.cleaning import usage
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.staging import Stager
from diamond.agent.tasks.takeover import home_of
from diamond.code.searching import Question, find_lines, line_rest
from diamond.core.errors import BadRequest, DiamondError
from diamond.core.protocol import (
    BrowseFolder,
    DeleteSecret,
    ListFiles,
    ListMedia,
    ListSecrets,
    PruneImages,
    ReadFile,
    ReadLog,
    Report,
    Request,
    Script,
    SearchLog,
    SetSecret,
    StatFile,
    Usage,
    read_request,
)
from diamond.runtimes.base import Entered
from diamond.runtimes.below import below
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.pruning import prune
from diamond.runtimes.sharing import shared_folders, writable_shared_folder

log = logging.getLogger(__name__)

THREADS = 3
ACTS = frozenset({"set-secret", "delete-secret", "prune-images"})
"""Requests that change something: they go into the ledger as commands do."""
SIGN_SECONDS = 5.0
"""The service gives up 30 s after the last sign of life."""
Answer = Union[dict[str, Any], bytes]


@dataclass(frozen=True)
class RequestHandler:
    """Answers every type of request."""

    folders: Folders
    tasks: TaskFolders
    stager: Stager
    policy: Policy
    digests: Digests = field(default_factory=Digests)

    def answer(self, data: Any, alive: Callable[[], None] = lambda: None) -> Answer:
        """`alive` is called now and then while an answer takes long."""
        request = read_request(data)
        self.policy.check_answer(str(data["type"]), self._place(request))
        return self._files(request, alive) if hasattr(request, "task") else self._machine(request)

    def _files(self, request: Request, alive: Callable[[], None]) -> Answer:
        """About one task."""
        if isinstance(request, ListFiles):
            items, more = list_files(self._run_dir(request.task), request.path, request.start)
            return {"items": items, "next": more}
        if isinstance(request, ListMedia):
            return {"items": list_media(self._run_dir(request.task))}
        if isinstance(request, StatFile):
            return stat_file(self._run_dir(request.task), request.path, self.digests, alive)
        if isinstance(request, ReadFile):
            place = self._run_dir(request.task)
            return read_file(place, request.path, request.offset, request.length)
        if isinstance(request, ReadLog):
            return self._read_log(request)
        if isinstance(request, SearchLog):
            return self._search_log(request, alive)
        assert isinstance(request, Report)
        return report(self.folders, self.tasks, request.task, request.facts)

    def _machine(self, request: Request) -> Answer:
        if isinstance(request, Script):
            return self._script(request)
        if isinstance(request, SetSecret):
            set_secret(self.folders.secrets, request.name, request.value)
            return {}
        if isinstance(request, DeleteSecret):
            delete_secret(self.folders.secrets, request.name)
            return {}
        if isinstance(request, ListSecrets):
            return {"items": list_secrets(self.folders.secrets)}
        if isinstance(request, PruneImages):
            return self._prune_images(request)
        if isinstance(request, BrowseFolder):
            return self._browse(request)
        assert isinstance(request, Usage)
        return {"items": usage(self.folders.tasks)}

    def _browse(self, request: BrowseFolder) -> dict[str, Any]:
        roots = starting_points(self.policy.data_folders, os.environ, read_mounts())
        return browse(
            request.path,
            request.start,
            roots,
            lambda real: self.policy.check_data_folder(real, self.folders.tasks),
        )

    def _place(self, request: Request) -> str:
        """Where users find it themselves."""
        task = getattr(request, "task", "")
        return str(self._run_dir(task) if task else self.folders.work)

    def _run_dir(self, task: str) -> Path:
        return home_of(below(self.folders.tasks, task))

    def _read_log(self, request: ReadLog) -> bytes:
        place = self._run_folder(request)
        file = _log_file(request, {**LOGS, **RECORDS})
        return read_file(place, file, request.offset, request.length)

    def _run_folder(self, request: ReadLog | SearchLog) -> Path:
        return self.tasks.attempt(request.task, request.attempt).run_folder(request.run)

    def _search_log(self, request: SearchLog, alive: Callable[[], None]) -> dict[str, Any]:
        """From the beginning of a line to the end of the line at `end`."""
        place, file = self._run_folder(request), _log_file(request, LOGS)
        end = request.end
        end += line_rest(lambda at, length: read_file(place, file, at, length), end)
        matches = find_lines(
            lambda at, length: read_file(place, file, at, length),
            Question(request.text, request.case, request.limit),
            start=request.start,
            end=end,
            is_last=True,
            alive=alive,
        )
        return matches.as_data()

    def _script(self, request: Script) -> dict[str, Any]:
        place = self.folders.tasks / "TASK" / "attempts" / "ATTEMPT"
        folder = AttemptFolder("TASK", "ATTEMPT", place)
        order = request.order
        return {"script": self.stager.script(folder, order, entered=Entered(), data=order.data)}

    def _prune_images(self, request: PruneImages) -> dict[str, Any]:
        image_folders = ImageFolders(self.folders.work / "images", self.folders.tmp)
        removed = prune(
            image_folders,
            images=[image.hex for image in request.images],
            days=request.days,
            dry_run=request.dry_run,
            now=time.time(),
            group=self._group_folders(image_folders),
        )
        return {"items": removed}

    def _group_folders(self, image_folders: ImageFolders) -> ImageFolders | None:
        """A folder that does not exist, or is read-only, has nothing to remove."""
        build = load_profile(self.folders).facts.get("build")
        folders = shared_folders(build.get("shared") if isinstance(build, dict) else "")
        return writable_shared_folder(
            [folder for folder in folders if Path(folder).is_dir()], image_folders
        )


def _log_file(request: ReadLog | SearchLog, known: Mapping[str, str]) -> str:
    if request.stream not in known:
        raise BadRequest(f"There is no stream {request.stream!r}")
    is_log = request.stream in LOGS
    return rank_log(request.rank, request.stream) if is_log else known[request.stream]


class RequestQueue:
    """A few threads, so that a large file does not hold up a small question."""

    def __init__(self, handler: RequestHandler, link: Link) -> None:
        self._handler, self._link = handler, link
        self._waiting: queue.Queue[dict[str, Any]] = queue.Queue()

    def start(self) -> None:
        for number in range(THREADS):
            threading.Thread(target=self._run, name=f"answer-{number}", daemon=True).start()

    def put(self, request: dict[str, Any]) -> None:
        self._waiting.put(request)

    def _run(self) -> None:
        while True:
            request = self._waiting.get()
            try:
                status, body = self._result(request)
                self._send(request, body, f"status={status}&more=0")
            except (LinkDown, Declined) as error:
                log.info("the answer to %s was not accepted: %s", request.get("type"), error)
            except Exception:
                log.exception("answering %s failed", request.get("type"))

    def _result(self, request: dict[str, Any]) -> tuple[str, bytes]:
        try:
            answer = self._handler.answer(request, self._signs(request))
            return "ok", answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        except DiamondError as error:
            problem = error.as_problem()
        except (OSError, KeyError, ValueError, TypeError) as error:
            log.warning("request %s: %s", request.get("type"), type(error).__name__)
            problem = BadRequest(f"The agent could not answer: {error}").as_problem()
        return "error", json.dumps(problem).encode()

    def _signs(self, request: dict[str, Any]) -> Callable[[], None]:
        """A function to call often; now and then it tells the service that the answer is on its way."""
        last = time.monotonic()

        def alive() -> None:
            nonlocal last
            if time.monotonic() - last >= SIGN_SECONDS:
                self._send(request, b"", "status=ok&more=1")
                last = time.monotonic()

        return alive

    def _send(self, request: dict[str, Any], body: bytes, query: str) -> None:
        call = f"answers/{quote(str(request.get('id', '')), safe='')}"
        self._link.call(call, body, query=query, timeout=120)

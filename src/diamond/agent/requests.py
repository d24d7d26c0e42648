"""Answers to requests: a person waits for each of them."""

from __future__ import annotations

import json
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union
from urllib.parse import quote

from diamond.agent.folders import Folders, safe_id
from diamond.agent.guard.policy import Policy
from diamond.agent.guard.secrets import delete_secret, list_secrets, set_secret
from diamond.agent.link.carriers import Declined, Link, LinkDown
from diamond.agent.output.digests import Digests
from diamond.agent.output.files import list_files, read_file, stat_file
from diamond.agent.output.logs import LOGS, RECORDS, rank_log
from diamond.agent.output.report import report
from diamond.agent.site.profile import load_profile
from diamond.agent.tasks.cleaning import usage
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.staging import Stager
from diamond.agent.tasks.takeover import home_of
from diamond.code.searching import Question, find_lines, line_rest
from diamond.core.errors import BadRequest, DiamondError
from diamond.core.order import order_from
from diamond.runtimes.base import Entered
from diamond.runtimes.places import Places
from diamond.runtimes.pruning import prune
from diamond.runtimes.sharing import giving_place, shared_folders

log = logging.getLogger(__name__)

ANSWERERS = 3
ACTS = frozenset({"set-secret", "delete-secret", "prune-images"})
"""Requests that change something: they are written down as commands are."""
SIGN_SECONDS = 5.0
"""The service gives up 30 s after the last sign."""
Answer = Union[dict[str, Any], bytes]
Request = dict[str, Any]


@dataclass(frozen=True)
class Desk:
    """Knows the answer to every type of request."""

    folders: Folders
    tasks: TaskFolders
    stager: Stager
    policy: Policy
    digests: Digests = field(default_factory=Digests)

    def answer(self, request: Request, alive: Callable[[], None] = lambda: None) -> Answer:
        """`alive` is called while an answer takes long and goes on."""
        handlers: dict[str, Callable[[Request], Answer]] = {
            "list-files": self._list_files,
            "stat-file": lambda r: stat_file(self._run_dir(r), str(r["path"]), self.digests, alive),
            "read-file": lambda r: read_file(self._run_dir(r), str(r["path"]), *_range(r)),
            "read-log": self._read_log,
            "search-log": lambda r: self._search_log(r, alive),
            "script": self._script,
            "set-secret": self._set_secret,
            "list-secrets": lambda r: {"items": list_secrets(self.folders.secrets)},
            "delete-secret": self._delete_secret,
            "prune-images": self._prune_images,
            "usage": lambda r: {"items": usage(self.folders.tasks)},
            "report": lambda r: report(
                self.folders, self.tasks, safe_id(r["task"]), r.get("facts")
            ),
        }
        kind = str(request.get("type"))
        if kind not in handlers:
            raise BadRequest(f"This agent knows no request {kind!r}", "Upgrade the agent.")
        self.policy.check_answer(kind, self._place(request))
        return handlers[kind](request)

    def _place(self, request: Request) -> str:
        """Where a person finds it herself."""
        return str(self._run_dir(request)) if request.get("task") else str(self.folders.work)

    def _run_dir(self, request: Request) -> Path:
        return home_of(self.folders.tasks / safe_id(request["task"]))

    def _read_log(self, request: Request) -> bytes:
        folder = self.tasks.attempt(request["task"], request["attempt"])
        file = _log_file(request, {**LOGS, **RECORDS})
        return read_file(folder.run_folder(int(request["run"])), file, *_range(request))

    def _search_log(self, request: Request, alive: Callable[[], None]) -> dict[str, Any]:
        """From the begin of a line up to `end`, and on to the end of the line that stands there."""
        folder = self.tasks.attempt(request["task"], request["attempt"])
        file = _log_file(request, LOGS)
        place = folder.run_folder(int(request["run"]))
        question = Question(str(request["text"]), bool(request["case"]), int(request["limit"]))
        start, end = int(request["start"]), int(request["end"])
        end += line_rest(lambda at, length: read_file(place, file, at, length), end)
        found = find_lines(
            lambda at, length: read_file(place, file, at, length),
            question,
            start=start,
            end=end,
            is_last=True,
            alive=alive,
        )
        return found.as_data()

    def _script(self, request: Request) -> dict[str, Any]:
        order = order_from(request["order"])
        place = self.folders.tasks / "TASK" / "attempts" / "ATTEMPT"
        folder = AttemptFolder("TASK", "ATTEMPT", place)
        return {"script": self.stager.script(folder, order, entered=Entered(), data=order.data)}

    def _prune_images(self, request: Request) -> dict[str, Any]:
        places = Places(self.folders.work / "images", self.folders.tmp)
        unwanted = [str(one["sha256"]) for one in request.get("images") or []]
        days, dry_run = float(request["days"]), bool(request.get("dry_run", True))
        found = prune(
            places,
            images=unwanted,
            days=days,
            dry_run=dry_run,
            now=time.time(),
            group=self._group_places(places),
        )
        return {"items": found}

    def _group_places(self, places: Places) -> Places | None:
        """A folder that is not there, or that is only read, has nothing to remove."""
        build = load_profile(self.folders).facts.get("build")
        folders = shared_folders(build.get("shared") if isinstance(build, dict) else "")
        return giving_place([one for one in folders if Path(one).is_dir()], places)

    def _list_files(self, request: Request) -> Answer:
        path, start = str(request.get("path", "")), int(request.get("start") or 0)
        items, more = list_files(self._run_dir(request), path, start)
        return {"items": items, "next": more}

    def _set_secret(self, request: Request) -> dict[str, Any]:
        set_secret(self.folders.secrets, str(request["name"]), str(request["value"]))
        return {}

    def _delete_secret(self, request: Request) -> dict[str, Any]:
        delete_secret(self.folders.secrets, str(request["name"]))
        return {}


def _log_file(request: Request, known: Mapping[str, str]) -> str:
    stream, rank = str(request["stream"]), int(request.get("rank") or 0)
    if stream not in known:
        raise BadRequest(f"There is no stream {stream!r}")
    return rank_log(rank, stream) if stream in LOGS else known[stream]


class Answerers:
    """A few threads, so that a large file does not keep a small question waiting."""

    def __init__(self, desk: Desk, link: Link) -> None:
        self._desk, self._link = desk, link
        self._waiting: queue.Queue[Request] = queue.Queue()

    def start(self) -> None:
        for number in range(ANSWERERS):
            threading.Thread(target=self._run, name=f"answer-{number}", daemon=True).start()

    def put(self, request: Request) -> None:
        self._waiting.put(request)

    def _run(self) -> None:
        while True:
            request = self._waiting.get()
            try:
                status, body = self._result(request)
                self._send(request, body, f"status={status}&more=0")
            except (LinkDown, Declined) as error:
                log.info("the answer to %s was not taken: %s", request.get("type"), error)
            except Exception:
                log.exception("answering %s failed", request.get("type"))

    def _result(self, request: Request) -> tuple[str, bytes]:
        try:
            answer = self._desk.answer(request, self._signs(request))
            return "ok", answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        except DiamondError as error:
            problem = error.as_problem()
        except (OSError, KeyError, ValueError, TypeError) as error:
            log.warning("request %s: %s", request.get("type"), type(error).__name__)
            problem = BadRequest(f"The agent could not answer: {error}").as_problem()
        return "error", json.dumps(problem).encode()

    def _signs(self, request: Request) -> Callable[[], None]:
        """Called often, it tells the service now and then that the answer is being made."""
        last = time.monotonic()

        def alive() -> None:
            nonlocal last
            if time.monotonic() - last >= SIGN_SECONDS:
                self._send(request, b"", "status=ok&more=1")
                last = time.monotonic()

        return alive

    def _send(self, request: Request, body: bytes, query: str) -> None:
        call = f"answers/{quote(str(request.get('id', '')), safe='')}"
        self._link.call(call, body, query=query, timeout=120)


def _range(request: Request) -> tuple[int, int]:
    return int(request.get("offset") or 0), int(request.get("length") or 0)

"""Requests: a person waits for the answer."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from support.agents import AgentProcess
from support.sync_service import SyncService


@pytest.fixture
def task(agent: AgentProcess, service: SyncService) -> str:
    program = (
        "mkdir out; echo result >out/r.txt; ln -s /etc/passwd leak; ln -s / root; echo token=hush"
    )
    task = service.submit({"command": program})
    service.until(task.id, "succeeded")
    return task.id


def ask(service: SyncService, kind: str, **words: Any) -> Any:
    status, body = service.ask(kind, **words)
    assert status == "ok", body
    return json.loads(body)


def test_files_are_listed_with_links_shown_as_links(service: SyncService, task: str) -> None:
    items = ask(service, "list-files", task=task, path="")["items"]
    assert {item["path"]: item["kind"] for item in items} == {
        "leak": "link",
        "out": "folder",
        "root": "link",
    }
    inner = ask(service, "list-files", task=task, path="out")["items"]
    assert [(item["path"], item["size"]) for item in inner] == [("out/r.txt", 7)]


def test_a_file_is_read_by_range_and_verified(service: SyncService, task: str) -> None:
    facts = ask(service, "stat-file", task=task, path="out/r.txt")
    assert facts["sha256"] == hashlib.sha256(b"result\n").hexdigest()
    assert service.ask("read-file", task=task, path="out/r.txt", offset=2, length=3) == (
        "ok",
        b"sul",
    )


@pytest.mark.parametrize(
    "path", ["leak", "root/etc/passwd", "../task.json", "/etc/passwd", "out/../../task.json"]
)
def test_nothing_outside_of_the_run_directory_can_be_read(
    service: SyncService, task: str, path: str
) -> None:
    for kind in ("read-file", "stat-file", "list-files"):
        status, body = service.ask(kind, task=task, path=path, offset=0, length=100)
        assert status == "error" and b"root:" not in body
        assert json.loads(body)["hint"]


@pytest.mark.parametrize("name", ["../../keep", "..", "a/b", ""])
def test_a_task_that_is_no_id_is_refused(service: SyncService, task: str, name: str) -> None:
    assert service.ask("list-files", task=name, path="")[0] == "error"


def test_secrets_are_kept_0600_and_only_their_names_are_told(
    agent: AgentProcess, service: SyncService, task: str
) -> None:
    assert ask(service, "set-secret", name="HF_TOKEN", value="hush-hush") == {}
    assert ask(service, "list-secrets") == {"items": ["HF_TOKEN"]}
    file = agent.keep / "secrets" / "HF_TOKEN"
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("hush-hush", 0o600)
    assert service.ask("set-secret", name="../x", value="y")[0] == "error"
    assert "hush" not in agent.log()
    assert ask(service, "delete-secret", name="HF_TOKEN") == {}
    assert not file.exists()


def test_a_report_says_much_and_no_secret(service: SyncService, task: str) -> None:
    ask(service, "set-secret", name="HF_TOKEN", value="hush")
    text = json.dumps(ask(service, "report", task=task))
    assert "script" in text and "stdout" in text
    assert "hush" not in text.replace("hush-", "")


def test_what_the_service_adds_to_a_report_is_masked_too(service: SyncService, task: str) -> None:
    ask(service, "set-secret", name="TOKEN", value="velvet-word")
    ask(service, "set-secret", name="KEY", value="-----BEGIN-----\nsecond-line\n")
    facts = {"log_ends": {"stdout": "I say velvet-word, and second-line"}, "history": [{"n": 1}]}
    answer = ask(service, "report", task=task, facts=facts)
    assert answer["facts"] == {
        "log_ends": {"stdout": "I say [secret], and [secret]"},
        "history": [{"n": 1}],
    }


def test_a_script_can_be_seen_before_anything_is_asked_for(service: SyncService, task: str) -> None:
    script = ask(service, "script", order={"name": "x", "command": "echo $(id)"})["script"]
    assert script.startswith("#!/bin/bash") and "$(id)" not in script


def test_usage_counts_bytes_for_each_task(service: SyncService, task: str) -> None:
    [item] = ask(service, "usage")["items"]
    assert item["task"] == task and item["bytes"] > 0


@pytest.mark.slow
def test_a_cleaned_task_is_removed(agent: AgentProcess, service: SyncService, task: str) -> None:
    from support.sync_service import eventually

    service.send("clean", tasks=[task])
    eventually(lambda: not (agent.work / "tasks" / task).exists())
    note = eventually(lambda: [one for one in service.of(task, "note") if one["code"] == "cleaned"])
    assert note[0]["message"] == "its run directory was removed by diamond clean"


def test_folders_are_browsed_below_where_data_lies(
    agent: AgentProcess, service: SyncService, task: str
) -> None:
    roots = [item["name"] for item in ask(service, "browse")["items"]]
    assert roots
    for path in ("/etc", "/", str(agent.keep), "/proc/self"):
        status, body = service.ask("browse", path=path)
        assert status == "error" and json.loads(body)["hint"], path
    for path in ("etc", "../x", "/a\nb", "/a\0b"):
        assert service.ask("browse", path=path)[0] == "error"


def test_an_unknown_request_is_answered_in_words(service: SyncService, task: str) -> None:
    status, body = service.ask("dance")
    assert status == "error" and "dance" in json.loads(body)["title"]

"""The agent with the real local scheduler and a service on a real socket."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from diamond.core.order import canonical
from support.agents import AgentProcess
from support.sync_service import SyncService, eventually


def test_a_command_runs_and_its_output_comes_home(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "echo hello; echo trouble >&2"})
    assert service.until(task.id, "succeeded").exit_code == 0
    assert eventually(lambda: service.text(task.id)) == "hello\n"
    assert eventually(lambda: service.text(task.id, "stderr")) == "trouble\n"


def test_an_agent_works_with_a_service_of_the_next_minor_version(
    agent: AgentProcess, service: SyncService
) -> None:
    service.newer = {"from_a_newer_version": {"a": [1]}}
    service.send("hibernate", until=1)
    task = service.submit({"command": "echo hello", "moods": ["newer"]})
    assert service.until(task.id, "succeeded").exit_code == 0
    assert eventually(lambda: service.text(task.id)) == "hello\n"


def test_a_failing_program_is_told_with_its_code(agent: AgentProcess, service: SyncService) -> None:
    task = service.submit({"argv": ["bash", "-c", "exit 7"]})
    ended = service.until(task.id, "failed")
    assert (ended.exit_code, ended.reason.value) == (7, "exit-code")


def test_two_ranks_of_this_machine_come_home_apart_and_together_and_the_bad_one_is_named(
    agent: AgentProcess, service: SyncService
) -> None:
    order = {"resources": {"tasks_per_node": 2}, "launch": {"kind": "per-rank"}}
    after_the_other = (
        'if [ "$RANK" = 0 ]; then touch said; exit 0; fi; until [ -e said ]; do sleep 0.05; done'
    )
    task = service.submit({"command": f'echo "I am $RANK"; {after_the_other}; exit 5', **order})
    ended = service.until(task.id, "failed")
    assert (ended.exit_code, ended.reason.value) == (5, "exit-code")
    assert "ended with exit code 5; the other one was ended" in ended.message
    assert ended.message.startswith("rank 1 on ")
    eventually(lambda: sorted(service.text(task.id).splitlines()) == ["I am 0", "[1] I am 1"])
    assert eventually(lambda: service.text(task.id, "stdout.1")) == "I am 1\n"


def test_a_finished_attempt_is_closed_once_the_service_knows_and_has_every_byte(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "echo hello"})
    service.until(task.id, "succeeded")
    eventually((agent.attempt_folder(task.id) / "closed").exists)
    assert service.text(task.id) == "hello\n"


def test_code_travels_as_a_snapshot(agent: AgentProcess, service: SyncService) -> None:
    program = service.put_blob(b"print('from the snapshot')\n")
    entry = {"path": "src/train.py", "mode": "644", "size": 27, "sha256": program}
    manifest = service.put_blob(canonical({"version": 1, "files": [entry]}))
    task = service.submit(
        {"command": "python3 src/train.py", "code": {"snapshot": f"sha256:{manifest}"}}
    )
    service.until(task.id, "succeeded")
    assert eventually(lambda: service.text(task.id)) == "from the snapshot\n"


def test_code_is_cloned_at_its_commit(
    agent: AgentProcess, service: SyncService, tmp_path: Path
) -> None:
    commit = _repository(tmp_path / "origin")
    code = {"git_url": str(tmp_path / "origin"), "git_commit": commit}
    task = service.submit({"command": "cat which", "code": code})
    unknown = service.submit({"command": "true", "code": {**code, "git_commit": "deadbeef"}})
    service.until(task.id, "succeeded", "failed")
    assert eventually(lambda: service.text(task.id)) == "first\n"
    assert "invalid reference: deadbeef" in service.until(unknown.id, "failed").message


@pytest.mark.parametrize(
    "url", ["--upload-pack=touch owned", "ext::sh -c touch% owned", "/nowhere"]
)
def test_a_git_url_that_cannot_be_cloned_is_explained_and_runs_nothing(
    agent: AgentProcess, service: SyncService, url: str
) -> None:
    task = service.submit({"command": "true", "code": {"git_url": url, "git_commit": "abc"}})
    ended = service.until(task.id, "failed")
    assert ended.reason.value == "code" and "git" in ended.message
    assert not list(agent.folder.rglob("owned"))


def test_missing_data_and_secrets_are_named_before_anything_is_queued(
    agent: AgentProcess, service: SyncService
) -> None:
    missing = {"era5": "/not/there", "cmip": "/nor/there"}
    data = service.submit({"command": "true", "data": missing, "secrets": ["HF_TOKEN"]})
    secret = service.submit({"command": "true", "secrets": ["HF_TOKEN"]})
    ended = service.until(data.id, "failed")
    assert ended.reason.value == "data"
    assert all(one in ended.message for one in ("/not/there", "/nor/there", "HF_TOKEN"))
    assert service.until(secret.id, "failed").reason.value == "secret"
    assert not (agent.attempt_folder(data.id) / "native.json").exists()


def test_more_than_the_machine_has_is_refused_in_words(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "true", "resources": {"cpus_per_task": 4096}})
    ended = service.until(task.id, "failed")
    assert ended.reason.value == "refused" and "cores" in ended.message


def test_metrics_are_carried_home(agent: AgentProcess, service: SyncService) -> None:
    line = json.dumps({"step": 1, "time": 1.0, "loss": 0.5})
    task = service.submit({"command": f"echo '{line}' >>\"$DIAMOND_METRICS\""})
    service.until(task.id, "succeeded")
    assert json.loads(eventually(lambda: service.text(task.id, "metrics"))) == json.loads(line)


def test_a_next_attempt_finds_the_checkpoint_of_the_one_before(
    agent: AgentProcess, service: SyncService
) -> None:
    order = {
        "command": 'echo "from $DIAMOND_RESUME_FROM"; echo x >"ck-$DIAMOND_ATTEMPT_NUMBER.pt"',
        "resume": {"pattern": "ck-*.pt"},
    }
    first = service.submit(order)
    service.until(first.id, "succeeded")
    service.tasks.pop(first.id)
    service.submit(order, task=first.id, number=2)
    service.until(first.id, "succeeded")
    assert eventually(lambda: service.text(first.id)).endswith("run/ck-1.pt\n")


def test_an_attempt_of_a_known_number_is_not_run_again(
    agent: AgentProcess, service: SyncService
) -> None:
    first = service.submit({"command": "echo x >>ran"})
    service.until(first.id, "succeeded")
    attempt = first.attempt.id
    service.submit({"command": "echo x >>ran"}, task=first.id, number=1)
    known = eventually(lambda: service.of(first.id, "attempt-known"))
    assert known[0]["attempt"] == attempt
    assert (agent.work / "tasks" / first.id / "run" / "ran").read_text() == "x\n"


def test_jobs_beyond_the_sites_limit_wait_in_diamond_and_are_fed_in_order(
    endpoint: AgentProcess, service: SyncService
) -> None:
    endpoint.keep.mkdir()
    limit = [{"name": "main", "default": True, "submit_limit": 1}]
    (endpoint.keep / "settings.json").write_text(json.dumps({"corrections": {"partitions": limit}}))
    endpoint.start()
    first = service.submit({"command": "until [ -e go ]; do sleep 0.05; done"})
    service.until(first.id, "running")
    tasks = [first, *(service.submit({"command": "true"}) for _ in range(2))]
    for task in tasks[1:]:
        assert service.until(task.id, "held").reason.value == "site-limit"
    (endpoint.work / "tasks" / first.id / "run" / "go").touch()
    for task in tasks:
        service.until(task.id, "succeeded")
    submitted = [event["task"] for event in service.events if event["type"] == "submitted"]
    assert submitted == [task.id for task in tasks]


def test_a_full_disk_is_told_and_the_agent_goes_on(
    endpoint: AgentProcess, service: SyncService
) -> None:
    endpoint.start()
    first = service.submit({"command": "true"})
    service.until(first.id, "succeeded")
    tasks = endpoint.work / "tasks"
    tasks.rename(endpoint.work / "elsewhere")
    tasks.write_text("a file where a folder must be")
    second = service.submit({"command": "true"})
    assert service.until(second.id, "failed").reason.value == "disk"
    tasks.unlink()
    (endpoint.work / "elsewhere").rename(tasks)
    third = service.submit({"command": "true"})
    service.until(third.id, "succeeded")


def _repository(folder: Path) -> str:
    def git(*words: str) -> str:
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        done = subprocess.run(
            ["git", "-C", str(folder), *identity, *words],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    folder.mkdir()
    git("init", "--quiet")
    for words in ("first", "second"):
        (folder / "which").write_text(f"{words}\n")
        git("add", "which")
        git("commit", "--quiet", "-m", words)
    return git("rev-parse", "HEAD~1")

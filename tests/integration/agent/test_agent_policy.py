"""The machine's own policy, held by the real agent whatever its service says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from diamond.agent.guard.policy import OWN_NAME
from diamond.core.order import Order, order_data
from diamond.sdk.signing_key import make_key, sign_order
from support.agents import AgentProcess
from support.sync_service import SyncService
from support.waiting import wait_for

# The program puts it together: in the order, which came from the service, it does not stand.
PROGRAM = "for part in pat ient- 77; do printf %s $part | tee -a out.txt; done; exit 3"
WRITTEN = b"patient-77"


def write_policy(endpoint: AgentProcess, text: str) -> None:
    endpoint.keep.mkdir(parents=True, exist_ok=True)
    (endpoint.keep / OWN_NAME).write_text(text)


def test_work_beyond_the_policy_is_refused_and_nothing_of_it_runs(
    endpoint: AgentProcess, service: SyncService
) -> None:
    write_policy(endpoint, 'commands = ["true"]')
    endpoint.start()
    refused = service.submit({"command": "touch gone-wrong"})
    task = service.until(refused.id, "failed")
    assert "policy" in task.message
    service.until(service.submit({"command": "true"}).id, "succeeded")
    assert not list(endpoint.work.rglob("gone-wrong"))
    lines = [json.loads(one) for one in (endpoint.keep / "commands.log").read_text().splitlines()]
    submits = [one for one in lines if one["type"] == "submit"]
    assert ["refused" in one for one in submits] == [True, False]
    assert [one["type"] for one in lines].count("submitted") == 1
    by = {"user": "u1", "name": "Ada", "token": "k1"}
    assert service.ask("set-secret", name="TOKEN", value="hidden", by=by)[0] == "ok"
    assert service.ask("list-secrets")[0] == "ok"
    text = (endpoint.keep / "commands.log").read_text()
    last = json.loads(text.splitlines()[-1])
    assert (last["type"], last["person"], "hidden" in text) == ("set-secret", "Ada", False)


def test_with_states_alone_no_byte_of_the_program_leaves(
    endpoint: AgentProcess, service: SyncService
) -> None:
    write_policy(endpoint, 'egress = "states"')
    endpoint.start()
    task = service.submit({"command": PROGRAM})
    ended = service.until(task.id, "failed")
    assert ended.exit_code == 3
    saves = f"{PROGRAM.removesuffix('exit 3')} mv out.txt $(cat out.txt).pt; exit 75"
    told = {"command": saves, "resume": {"pattern": "*.pt", "max_attempts": 1}}
    service.until(service.submit(told).id, "between-attempts")
    assert b'"progressed"' in service.traffic
    for kind, words in (
        ("read-file", {"path": "out.txt", "offset": 0, "length": 99}),
        ("list-files", {"path": ""}),
        ("browse", {"path": ""}),
        ("report", {}),
    ):
        status, body = service.ask(kind, task=task.id, **words)
        assert (status, json.loads(body)["code"]) == ("error", "egress")
        assert str(endpoint.work) in json.loads(body)["hint"]
    assert any(WRITTEN in one.read_bytes() for one in endpoint.work.rglob("stdout.log"))
    endpoint.stop()
    assert WRITTEN not in service.traffic


def test_with_logs_alone_the_log_leaves_and_no_file_does(
    endpoint: AgentProcess, service: SyncService
) -> None:
    write_policy(endpoint, 'egress = "logs"')
    endpoint.start()
    task = service.submit({"command": PROGRAM})
    service.until(task.id, "failed")
    wait_for(lambda: WRITTEN in service.traffic, what="the log")
    status, body = service.ask("read-file", task=task.id, path="out.txt", offset=0, length=99)
    assert (status, json.loads(body)["code"]) == ("error", "egress")
    assert service.ask("list-files", task=task.id, path="")[0] == "ok"


def test_a_pairing_that_has_ended_takes_no_new_work(
    endpoint: AgentProcess, service: SyncService
) -> None:
    endpoint.keep.mkdir(parents=True, exist_ok=True)
    (endpoint.keep / "agent.json").write_text("{}")
    long_ago = time.time() - 31 * 86400
    (endpoint.keep / "lease.json").write_text(json.dumps({"renewed": long_ago}))
    endpoint.start()
    ended = service.until(service.submit({"command": "true"}).id, "failed")
    assert "renew" in ended.message
    by_script = subprocess.run(
        [sys.executable, "-m", "diamond.agent", "renew"],
        env=endpoint.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert by_script.returncode == 1
    (endpoint.keep / "lease.json").write_text(json.dumps({"renewed": time.time()}))
    service.until(service.submit({"command": "true"}).id, "succeeded")


def test_a_policy_holds_for_the_attempts_that_follow_too(
    endpoint: AgentProcess, service: SyncService
) -> None:
    endpoint.start()
    waits = "while [ ! -e go ]; do sleep 0.1; done; exit 75"
    task = service.submit({"command": waits, "resume": {"max_attempts": 3}})
    service.send("chain", task=task.id, chain={"until": 3})
    place = endpoint.work / "tasks" / task.id
    wait_for(lambda: (place / "chain.json").exists(), what="the grant")
    write_policy(endpoint, "max_nodes = 0")
    wait_for(lambda: refuses(service), what="the policy")
    (place / "run" / "go").touch()
    wait_for(lambda: "is not followed" in endpoint.log(), what="the end")
    assert len(list((place / "attempts").iterdir())) == 1


def refuses(service: SyncService) -> bool:
    return (
        service.until(service.submit({"command": "true"}).id, "failed", "succeeded").state.value
        == "failed"
    )


def test_a_signed_order_is_run_once_whatever_the_service_sends(
    endpoint: AgentProcess,
    service: SyncService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DIAMOND_HOME", str(tmp_path / "person"))
    write_policy(endpoint, f'require_signed = true\nsigners = ["{make_key()}"]')
    endpoint.start()
    order = order_data(Order(name="a-test", command="true"))
    seal = sign_order(order)
    first = service.submit(order, signature=seal)
    service.until(first.id, "succeeded")
    replayed = service.submit(order, signature=seal)
    assert "used before" in service.until(replayed.id, "failed").message
    endpoint.stop()
    shutil.rmtree(endpoint.work / "tasks" / first.id)
    endpoint.start()
    again = service.submit(order, signature=seal)
    assert "used before" in service.until(again.id, "failed").message
    service.until(service.submit(order, signature=sign_order(order)).id, "succeeded")


def test_jobs_beyond_the_sites_pace_wait_with_the_line_that_bounds_them(
    endpoint: AgentProcess, service: SyncService
) -> None:
    write_policy(endpoint, "submits_per_hour = 1")
    endpoint.start()
    first = service.submit({"command": "true"})
    service.until(first.id, "succeeded")
    second = service.submit({"command": "true"})
    held = service.until(second.id, "held")
    assert held.reason.value == "site-limit" and "submits_per_hour" in held.message
    write_policy(endpoint, "submits_per_hour = 2")
    service.until(second.id, "succeeded")


def test_a_paired_agent_without_work_ends_and_comes_back_by_its_table(
    endpoint: AgentProcess, service: SyncService
) -> None:
    write_policy(endpoint, "idle_hours = 0.0005")
    (endpoint.keep / "agent.json").write_text("{}")
    first = endpoint.start(DIAMOND_STAYS="cron")
    assert first.wait(30) == 0
    assert (endpoint.keep / "resting").exists()
    task = service.submit({"command": "sleep 5"})
    second = endpoint.start(DIAMOND_STAYS="cron")
    service.until(task.id, "running")
    assert second.poll() is None and not (endpoint.keep / "resting").exists()
    service.until(task.id, "succeeded")
    assert second.wait(30) == 0

"""One person, one machine: from `diamond up` to the results, by the command line alone."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.sdk import Client
from support.diamond import Diamond, diamond_up
from support.service import free_port
from support.waiting import PATIENCE, wait_for


@pytest.fixture(scope="module")
def diamond(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    top = tmp_path_factory.mktemp("cli")
    (top / "empty").mkdir()
    made = Diamond(top / "home", top / "empty")
    with diamond_up(made):
        yield made


def saved(diamond: Diamond) -> tuple[str, str]:
    told = json.loads((diamond.home / "token.json").read_text())
    return told["url"], told["token"]


def endpoint_state(diamond: Diamond, name: str) -> str:
    return str(diamond.ask("endpoint", "show", name)["state"])


def test_a_command_runs_with_no_yaml_at_all(diamond: Diamond) -> None:
    done = diamond.call("run", "--wait", "--", "sh", "-c", "echo out; echo err >&2")
    assert (done.returncode, done.stdout) == (0, "out\n")
    assert "err\n" in done.stderr
    assert "No code is uploaded" in done.stderr
    assert "\033" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("script", "code"),
    [("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143), ("exit 255", 255)],
)
def test_waiting_ends_with_the_programs_own_code(diamond: Diamond, script: str, code: int) -> None:
    assert diamond.call("run", "--wait", "--", "sh", "-c", script).returncode == code


def test_a_program_that_is_not_there_ends_as_in_a_shell(diamond: Diamond) -> None:
    assert diamond.call("run", "--wait", "--", "no-such-program").returncode == 127


def test_words_after_the_dashes_stay_words(diamond: Diamond) -> None:
    done = diamond.call("run", "--wait", "--", "printf", "%s|", "--json", "a b", "$(id)", "it's")
    assert done.stdout == "--json|a b|$(id)|it's|"


def test_run_tells_the_task_as_json(diamond: Diamond) -> None:
    told = diamond.ask("run", "--name", "first", "--", "true")
    assert told["job"]["name"] == "first"
    assert told["tasks"][0]["job"] == told["job"]["id"]


def test_a_long_log_comes_whole(diamond: Diamond) -> None:
    done = diamond.call("run", "--wait", "--", "seq", "200000")
    assert done.stdout.split() == [str(n) for n in range(1, 200001)]


def test_all_that_match_are_counted_first_and_cancelled_when_told(diamond: Diamond) -> None:
    options = ("--name", "of-a-crowd")
    tasks = [diamond.submit("sleep", "600", options=options) for _ in range(2)]
    bare = diamond.call("cancel", "--name", "of-a-crowd")
    assert bare.returncode != 0 and "--all" in bare.stderr
    asked = diamond.call("cancel", "--all", "--name", "of-a-crowd")
    assert "2 tasks to cancel. Nothing was changed" in asked.stderr
    done = diamond.ask("cancel", "--all", "--name", "of-a-crowd", "--yes")
    assert sorted(one["id"] for one in done["items"]) == sorted(tasks)
    for task in tasks:
        diamond.wait_for_state(task, "cancelled")
    words = diamond.call("retry", "--all", "--name", "of-a-crowd", "--state", "cancelled")
    assert "2 tasks to retry" in words.stderr


def test_a_cancelled_task_ends_the_wait_with_130(diamond: Diamond) -> None:
    waiting = diamond.start("run", "--wait", "--name", "endless", "--", "sleep", "600")
    found = wait_for(
        lambda: diamond.ask("tasks", "--name", "endless", "--state", "running")["items"]
    )
    assert diamond.call("cancel", found[0]["id"]).returncode == 0
    waiting.communicate(timeout=PATIENCE)
    assert waiting.returncode == 130
    assert diamond.state(found[0]["id"]) == "cancelled"


def test_ctrl_c_leaves_the_task_running(diamond: Diamond) -> None:
    waiting = diamond.start("run", "--wait", "--name", "left-alone", "--", "sleep", "600")
    found = wait_for(
        lambda: diamond.ask("tasks", "--name", "left-alone", "--state", "running")["items"]
    )
    os.killpg(waiting.pid, signal.SIGINT)
    _, words = waiting.communicate(timeout=PATIENCE)
    task = found[0]["id"]
    assert f"diamond cancel {task[:8]}" in words
    assert diamond.state(task) == "running"
    assert diamond.call("cancel", task).returncode == 0


def test_retry_is_a_new_task_of_the_same_job(diamond: Diamond) -> None:
    task = diamond.submit("sh", "-c", "exit 3")
    diamond.wait_for_state(task, "failed")
    again = diamond.ask("retry", task)
    assert again["retry_of"] == task and again["id"] != task
    diamond.wait_for_state(again["id"], "failed")


def test_show_says_how_it_ended_and_what_to_do(diamond: Diamond) -> None:
    task = diamond.submit("sh", "-c", "exit 3")
    diamond.wait_for_state(task, "failed")
    shown = diamond.call("show", task[:8]).stdout
    assert "exit code 3" in shown and f"diamond logs {task[:8]} --stderr" in shown


def test_a_project_travels_and_its_results_come_home(diamond: Diamond, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "diamond.yaml").write_text(
        "name: sums\ncode: .\nrun: sh go.sh {n}\nparams: {n: 2}\n"
    )
    (project / "go.sh").write_text("mkdir -p out/deep; seq $1 > out/deep/numbers; ls -A")
    (project / ".env").write_text("SECRET=1")
    done = diamond.call("run", str(project / "diamond.yaml"), "--set", "n=1000", "--wait")
    assert done.returncode == 0, done.stderr
    assert "Not uploaded: .env" in done.stderr and ".env" not in done.stdout
    task = diamond.ask("tasks", "--name", "sums")["items"][0]["id"]
    assert [one["path"] for one in diamond.ask("files", task, "out")["items"]] == ["out/deep"]
    got = diamond.ask("get", task, "out", str(tmp_path / "results"))
    assert [one["path"] for one in got["items"]] == [str(tmp_path / "results" / "deep" / "numbers")]
    assert (tmp_path / "results/deep/numbers").read_text().split()[-1] == "1000"


def test_nothing_outside_the_run_directory_can_be_fetched(diamond: Diamond, tmp_path: Path) -> None:
    task = diamond.submit("sh", "-c", "ln -s /etc/passwd stolen")
    diamond.wait_for_state(task, "succeeded")
    for path in ("../../task.json", "/etc/passwd", "stolen"):
        done = diamond.call("get", task, path, str(tmp_path / "x"))
        assert done.returncode == 1 and "Traceback" not in done.stderr
    assert not (tmp_path / "x").exists()


def test_logs_by_stream_and_by_line(diamond: Diamond) -> None:
    task = diamond.submit("sh", "-c", "seq 5; echo oops >&2; printf '50%%\\r100%%'")
    diamond.wait_for_state(task, "succeeded")
    wait_for(lambda: "oops" in diamond.call("logs", task, "--stderr").stdout)
    assert diamond.call("logs", task, "--stderr").stdout == "oops\n"
    assert diamond.call("logs", task, "--stdout", "--tail", "2").stdout == "5\n50%\r100%"


def test_following_a_log_ends_with_the_task(diamond: Diamond) -> None:
    task = diamond.submit("sh", "-c", "for i in 1 2 3 4; do echo $i; sleep 0.3; done")
    done = diamond.call("logs", "-f", task)
    assert done.stdout.split() == ["1", "2", "3", "4"]
    assert "The task succeeded" in done.stderr
    again = diamond.call("logs", "-f", task)
    assert (again.stdout, again.stderr) == (done.stdout, done.stderr)


def test_a_secret_reaches_the_program_and_nothing_else(diamond: Diamond, tmp_path: Path) -> None:
    assert (
        diamond.call("secret", "set", "KEY", "--on", "local", stdin="s3cr3t-v4lue\n").returncode
        == 0
    )
    assert diamond.ask("secret", "list", "--on", "local")["items"] == ["KEY"]
    spec = tmp_path / "spec.yaml"
    spec.write_text("run: wc -c < $DIAMOND_SECRETS/KEY\nsecrets: [KEY]\n")
    done = diamond.call("run", str(spec), "--wait")
    assert (done.returncode, done.stdout.strip()) == (0, "12")
    task = diamond.ask("tasks", "-n", "1")["items"][0]["id"]
    assert "s3cr3t" not in diamond.call("report", task).stdout
    assert diamond.call("secret", "remove", "KEY", "--on", "local").returncode == 0


def test_cleaning_shows_before_it_removes(diamond: Diamond) -> None:
    task = diamond.submit("true")
    diamond.wait_for_state(task, "succeeded")
    shown = diamond.ask("clean", task)
    assert shown["dry_run"] and [one["task"] for one in shown["items"]] == [task]
    folder = Path(diamond.ask("show", task)["run_dir"])
    assert folder.exists()
    assert diamond.call("clean", task, "--yes").returncode == 0
    wait_for(lambda: not folder.exists(), what="removed run directory")


@pytest.mark.slow
def test_limits_of_an_endpoint_remove_run_directories_and_leave_the_record(
    diamond: Diamond,
) -> None:
    task = diamond.submit("sh", "-c", "echo kept; echo large > large")
    diamond.wait_for_state(task, "succeeded")
    folder = Path(diamond.ask("show", task)["run_dir"])
    wait_for(lambda: list(folder.glob("attempts/*/closed")), what="record of its end")
    few = ("--gigabytes", "0.0000001")
    assert diamond.call("endpoint", "retention", "local", *few).returncode == 0
    wait_for(lambda: not folder.exists(), what="removed run directory")
    wait_for(lambda: diamond.ask("show", task)["cleaned"], what="word of it")
    assert diamond.call("logs", task).stdout == "kept\n"
    assert "removed" in diamond.call("files", task).stderr
    assert diamond.call("endpoint", "retention", "local", "--off").returncode == 0
    assert "removes nothing" in diamond.call("endpoint", "retention", "local").stdout


def test_the_shell_completes_commands_tasks_and_endpoints(diamond: Diamond, tmp_path: Path) -> None:
    task = diamond.submit("true")
    program = tmp_path / "diamond"
    program.write_text(f"#!{sys.executable}\nfrom diamond.cli.main import main\nmain()\n")
    program.chmod(0o755)
    for typed, wanted in (
        ("diamond endpoi", "endpoint"),
        (f"diamond show {task[:6]}", task),
        ("diamond run --on loc", "local"),
    ):
        assert wanted in completions(diamond, tmp_path, typed), typed


COMPLETE = """
eval "$(diamond --show-completion bash)"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_diamond_completion diamond "${@: -1}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completions(diamond: Diamond, folder: Path, typed: str) -> str:
    """What bash offers for the last of the words typed, by the script that --show-completion prints."""
    env = {**diamond.env, "PATH": f"{folder}{os.pathsep}{diamond.env['PATH']}"}
    words = ["bash", "-c", COMPLETE, "bash", *typed.split(" ")]
    done = subprocess.run(words, env=env, cwd=diamond.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("show", "nothing"), "diamond tasks"),
        (("run", "missing.yaml"), "diamond run -- python train.py"),
        (("run", "--on", "mars", "--", "true"), "local"),
        (("run", "--gpus", "64", "--", "true"), ""),
        (("run", "--time", "soon", "--", "true"), "30m"),
        (("tasks", "--state", "dead"), "running"),
        (("endpoint", "show", "mars"), ""),
        (("logs", "nothing"), ""),
    ],
)
def test_errors_are_words_with_a_next_step(
    diamond: Diamond, words: tuple[str, ...], hint: str
) -> None:
    done = diamond.call(*words)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr and done.stderr.startswith("Error: ")
    assert hint in done.stderr


def test_a_wrong_call_ends_with_2(diamond: Diamond) -> None:
    assert diamond.call("tasks", "--no-such-option").returncode == 2


def test_the_doctor_finds_a_healthy_set_up_healthy(diamond: Diamond) -> None:
    told = diamond.ask("doctor")
    assert told["ok"] and {"Service", "Token", "Endpoint local"} <= {
        one["what"] for one in told["items"]
    }


def test_the_doctor_names_a_wrong_token(diamond: Diamond) -> None:
    sick = Diamond(diamond.home, diamond.folder, {"DIAMOND_TOKEN": "wrong"})
    done = sick.call("doctor")
    assert done.returncode == 1 and "DIAMOND_TOKEN" in done.stdout


def test_a_token_works_from_elsewhere_until_it_is_revoked(diamond: Diamond, tmp_path: Path) -> None:
    made = diamond.ask("token", "create", "ci", "--days", "1")
    url, _ = saved(diamond)
    other = Diamond(
        tmp_path / "other", tmp_path, {"DIAMOND_URL": url, "DIAMOND_TOKEN": made["token"]}
    )
    assert other.call("tasks").returncode == 0
    assert diamond.call("token", "revoke", made["id"]).returncode == 0
    assert other.call("tasks").returncode == 1


def test_a_machine_is_paired_by_a_code_and_confirmed_by_its_owner(
    diamond: Diamond, tmp_path: Path
) -> None:
    added = diamond.ask("endpoint", "add", "paired")
    assert added["pairing_code"] not in added["line"]
    file = Client(*saved(diamond)).agent_file()
    (tmp_path / "agent.pyz").write_bytes(file)
    words = [
        sys.executable,
        str(tmp_path / "agent.pyz"),
        "pair",
        "--scheduler",
        "local",
        "--foreground",
    ]
    agent = subprocess.Popen(
        [*words, "--url", saved(diamond)[0]],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**diamond.env, "DIAMOND_KEEP": str(tmp_path / "keep")},
    )
    try:
        assert agent.stdin
        agent.stdin.write(added["pairing_code"].encode() + b"\n")
        agent.stdin.close()
        wait_for(lambda: endpoint_state(diamond, "paired") == "confirming", what="a call")
        assert "Confirm it" in diamond.call("endpoint", "list").stdout
        assert diamond.call("endpoint", "confirm", "paired", "--yes").returncode == 0
        wait_for(lambda: endpoint_state(diamond, "paired") == "online", what="an agent")
        assert diamond.call("run", "--on", "paired", "--wait", "--", "true").returncode == 0
    finally:
        agent.terminate()
        agent.wait(PATIENCE)
    assert diamond.call("endpoint", "remove", "paired").returncode == 0


def test_this_machine_serves_another_endpoint_by_start(diamond: Diamond) -> None:
    assert diamond.call("endpoint", "add", "second", "--json").returncode == 0
    agent = diamond.start("endpoint", "start", "second")
    try:
        wait_for(lambda: endpoint_state(diamond, "second") == "online", what="an agent")
        assert diamond.call("run", "--on", "second", "--wait", "--", "true").returncode == 0
    finally:
        agent.terminate()
        agent.communicate(timeout=PATIENCE)
    assert diamond.call("endpoint", "remove", "second").returncode == 0


def test_up_twice_says_so(diamond: Diamond) -> None:
    done = diamond.call("up")
    assert done.returncode == 0 and "already up" in done.stderr


def test_secrets_on_disk_are_private(diamond: Diamond) -> None:
    for name in ("token.json", "endpoints/local.key"):
        assert stat.S_IMODE((diamond.home / name).stat().st_mode) == 0o600


def test_jobs_go_on_while_diamond_is_down(tmp_path: Path) -> None:
    diamond, port = Diamond(tmp_path / "home", tmp_path), free_port()
    with diamond_up(diamond, port=port):
        task = diamond.submit(
            "sh", "-c", f"echo began; while [ ! -e {tmp_path}/go ]; do sleep 0.1; done; echo ended"
        )
        diamond.wait_for_state(task, "running")
    assert "diamond up" in diamond.call("tasks").stderr
    (tmp_path / "go").touch()
    with diamond_up(diamond, port=port):
        diamond.wait_for_state(task, "succeeded")
        wait_for(lambda: diamond.call("logs", task).stdout == "began\nended\n", what="whole log")


def test_an_agent_that_dies_is_started_again(tmp_path: Path) -> None:
    diamond = Diamond(tmp_path / "home", tmp_path)
    with diamond_up(diamond):
        signed = diamond.home / "agents/local/agent.pid"
        wait_for(signed.exists, what="acting agent")
        pid = int(signed.read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        done = diamond.call("run", "--wait", "--", "echo", "back")
        assert (done.returncode, done.stdout) == (0, "back\n")


@pytest.mark.slow
def test_the_time_limit_ends_with_124(diamond: Diamond) -> None:
    assert (
        diamond.call("run", "--wait", "--time", "1m", "--", "sleep", "300", timeout=150).returncode
        == 124
    )

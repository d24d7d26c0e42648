"""The batch script, run by bash itself in a folder of its own."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from diamond.agent.site.profile import Profile
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.machine.verdicts import TURNED_AWAY
from diamond.agent.tasks.ranks import default_variables
from diamond.core.batch_systems import ScriptVariables
from diamond.core.errors import BadRequest
from diamond.core.facts import read_facts
from diamond.core.order import Environment, Order, order_from
from diamond.launchers.script import Batch, data_variable, render_script, start_program
from diamond.runtimes.base import Entered
from support.programs import lay_out_program
from support.sync_service import eventually

DATA_KEYS = ("entered", "data", "secret_store", "defaults")
VARIABLES = ScriptVariables(
    job_id="$JOB_ID",
    restart_count="${RESTARTS:-0}",
    seconds_left='echo "$SECONDS_LEFT"',
)


class Scene:
    """One attempt's folder with its script in it."""

    def __init__(self, folder: Path, order: Order, **more: Any) -> None:
        self.attempt = folder / "tasks" / "t1" / "attempts" / "a1"
        self.inbox, self.run_dir = folder / "inbox", folder / "tasks" / "t1" / "run"
        for place in (self.attempt / "runs", self.inbox, self.run_dir):
            place.mkdir(parents=True)
        batch = Batch(
            task="t1",
            attempt="a1",
            number=1,
            folder=str(self.attempt),
            run_dir=str(self.run_dir),
            inbox=str(self.inbox),
            order=order,
            program=lay_out_program(order, self.attempt, more.get("entered")),
            **more,
        )
        text = render_script(batch, directives=["#SBATCH --nodes=1"], variables=VARIABLES)
        (self.attempt / "script.sh").write_text(text)

    def start(
        self,
        job: str = "7",
        prepare: Callable[[], None] | None = None,
        by: Sequence[str] = (),
        **variables: str,
    ) -> subprocess.Popen[bytes]:
        log = (self.attempt / "native.log").open("ab")
        return subprocess.Popen(
            [*by, "bash", str(self.attempt / "script.sh")],
            env={**os.environ, "JOB_ID": job, **variables},
            stdout=log,
            stderr=log,
            preexec_fn=prepare,
        )

    def run(self, job: str = "7", **variables: str) -> int:
        return self.start(job, None, (), **variables).wait(30)

    def read(self, name: str, run: int = 1) -> str:
        return (self.attempt / "runs" / str(run) / name).read_text()

    def marks(self) -> set[str]:
        return {mark.name for mark in self.inbox.iterdir()}


@pytest.fixture
def scene(tmp_path: Path) -> Callable[..., Scene]:
    def make(command: str = "", *, at: str = "work", **order: Any) -> Scene:
        more = {key: order.pop(key) for key in DATA_KEYS if key in order}
        return Scene(tmp_path / at, order_from({"name": "x", "command": command, **order}), **more)

    return make


def test_the_program_runs_and_every_fact_is_written(scene: Callable[..., Scene]) -> None:
    it = scene("echo out; echo err >&2; pwd")
    assert it.run() == 0
    assert it.read("stdout.log") == f"out\n{it.run_dir}\n"
    assert it.read("stderr.log") == "err\n"
    assert it.read("started").split()[:2] == ["7", "0"]
    assert it.read("exit").split()[0] == "0"
    assert (it.attempt / "claim" / "owner").read_text().split()[0] == "7"
    assert it.marks() == {"t1.a1.1.started", "t1.a1.1.exit"}


def test_the_script_notes_the_machine_for_the_record(scene: Callable[..., Scene]) -> None:
    it = scene("true")
    assert it.run(HOSTNAME='no"de\\1\n') == 0
    facts = read_facts(it.read("facts.jsonl").encode())
    assert facts is not None
    assert facts.kernel == platform.release()
    assert facts.memory_mb > 0
    assert '"' not in facts.host


def test_the_script_notes_what_small_data_hold(scene: Callable[..., Scene], tmp_path: Path) -> None:
    (tmp_path / "numbers").mkdir()
    (tmp_path / "numbers" / "a b.csv").write_text("1\n")
    (tmp_path / "numbers" / 'odd".csv').write_text("2\n")
    it = scene("true")
    (it.attempt / "data").mkdir()
    (it.attempt / "data" / "numbers").symlink_to(tmp_path / "numbers")
    assert it.run() == 0
    seen = [read_facts(line.encode()) for line in it.read("facts.jsonl").splitlines()]
    inputs = [facts.inputs for facts in seen if facts is not None and facts.inputs]
    assert inputs == [{"numbers/a b.csv": hashlib.sha256(b"1\n").hexdigest()}]


def test_large_data_cost_the_job_no_time(scene: Callable[..., Scene], tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as large:
        large.truncate(65 << 20)
    it = scene("true")
    (it.attempt / "data").mkdir()
    (it.attempt / "data" / "large").symlink_to(tmp_path / "large")
    assert it.run() == 0
    assert '"inputs"' not in it.read("facts.jsonl")


@pytest.mark.parametrize("code", [0, 1, 75, 127, 255])
def test_the_batch_system_hears_the_programs_own_exit_code(
    scene: Callable[..., Scene], code: int
) -> None:
    it = scene(f"exit {code}")
    assert it.run() == code
    assert it.read("exit").split()[0] == str(code)


def test_a_program_that_is_killed_leaves_its_signal(scene: Callable[..., Scene]) -> None:
    it = scene("kill -9 $$")
    assert it.run() == 137
    assert it.read("exit").split()[0] == "137"


def test_of_many_jobs_at_once_exactly_one_runs_the_program(scene: Callable[..., Scene]) -> None:
    it = scene("echo ran >>../ran; sleep 0.2")
    jobs = [it.start(str(number)) for number in range(8)]
    assert sorted(job.wait(30) for job in jobs) == [0] + [TURNED_AWAY] * 7
    assert (it.run_dir.parent / "ran").read_text() == "ran\n"
    assert len(list((it.attempt / "duplicates").iterdir())) == 7
    assert "t1.a1.0.duplicate" in it.marks()


def test_a_requeued_job_makes_a_second_run_with_logs_of_its_own(
    scene: Callable[..., Scene],
) -> None:
    it = scene("echo $DIAMOND_RUN")
    assert it.run() == 0
    assert it.run(RESTARTS="1") == 0
    assert (it.read("stdout.log", 1), it.read("stdout.log", 2)) == ("1\n", "2\n")


def test_a_claim_whose_maker_died_before_it_wrote_its_name_can_be_taken(
    scene: Callable[..., Scene],
) -> None:
    it = scene("echo ran")
    (it.attempt / "claim").mkdir()
    assert it.run() == 0
    assert it.read("stdout.log") == "ran\n"


def test_a_signal_reaches_the_program_and_its_children_and_the_exit_file_is_written(
    scene: Callable[..., Scene],
) -> None:
    program = "trap 'echo asked; exit 9' TERM; (trap 'echo child; exit' TERM; touch ready; while :; do sleep 0.05; done) & wait"
    it = scene(program)
    job = it.start()
    eventually((it.run_dir / "ready").exists)
    job.send_signal(signal.SIGTERM)
    assert job.wait(10) == 9
    assert it.read("exit").split()[0] == "9"
    eventually(lambda: sorted(it.read("stdout.log").split()) == ["asked", "child"])


def test_a_signal_to_script_and_program_at_once_does_not_cost_the_programs_code(
    scene: Callable[..., Scene],
) -> None:
    """As a batch system sends it at the time limit; bash 5.2 then loses what `wait` waited for."""
    place = scene(
        command="trap 'exit 75' TERM; echo $$ >$DIAMOND_RUN.pid; while :; do sleep 0.01; done"
    )
    for run in range(1, 16):
        script = place.start(RESTARTS=str(run - 1))
        told = place.run_dir / f"{run}.pid"
        eventually(lambda: told.exists() and told.read_text().strip())  # noqa: B023
        os.kill(int(told.read_text()), signal.SIGTERM)
        script.send_signal(signal.SIGTERM)
        assert script.wait(20) == 75
        assert place.read("exit", run).split()[0] == "75"


def test_a_program_that_ignores_the_signal_is_waited_for(scene: Callable[..., Scene]) -> None:
    it = scene("trap 'echo no' TERM; touch ready; until [ -e go ]; do sleep 0.05; done; exit 3")
    job = it.start()
    eventually((it.run_dir / "ready").exists)
    job.send_signal(signal.SIGTERM)
    eventually(lambda: "no" in it.read("stdout.log"))
    (it.run_dir / "go").touch()
    assert job.wait(10) == 3


def test_nothing_of_ours_outlives_the_script(scene: Callable[..., Scene]) -> None:
    it = scene("true")
    reading, writing = os.pipe()
    job = it.start(prepare=lambda: _hold(writing))
    os.close(writing)
    assert job.wait(10) == 0
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b""


def test_the_heartbeat_ends_when_the_script_was_killed(scene: Callable[..., Scene]) -> None:
    it = scene("sleep 60")
    job = it.start()
    eventually(lambda: (it.attempt / "runs/1/heartbeat").exists())
    program, beat = _children_of(job.pid)
    job.kill()
    job.wait(10)
    os.killpg(program, signal.SIGKILL)
    eventually(lambda: not _is_alive(beat), seconds=10)


def test_without_room_for_a_claim_nothing_runs_and_the_claim_is_given_back(
    scene: Callable[..., Scene],
) -> None:
    it = scene("echo ran >../ran")
    job = it.start(prepare=_no_room)
    assert job.wait(30) == 73
    assert not (it.run_dir.parent / "ran").exists()
    assert not (it.attempt / "claim").exists()
    assert it.run() == 0, "once there is room, the same attempt may run"


def test_a_run_whose_folder_the_agent_has_made_is_the_first(scene: Callable[..., Scene]) -> None:
    it = scene("true")
    (it.attempt / "runs" / "1").mkdir()
    assert it.run() == 0
    assert it.read("exit").startswith("0 ")
    assert it.run(RESTARTS="0") == 0, "a requeue whose count was lost takes the next"
    assert it.read("exit", run=2).startswith("0 ")


def test_an_exit_file_counts_once_its_line_is_whole(tmp_path: Path) -> None:
    folder = AttemptFolder("t1", "a1", tmp_path)
    folder.run_folder(1).mkdir(parents=True)
    file = folder.run_folder(1) / "exit"
    for written, code in (("", None), ("1", None), ("137 17", None), ("137 1700000000\n", 137)):
        file.write_text(written)
        seen = folder.exit_of(1)
        assert (seen and seen.code) == code


def test_without_room_for_the_exit_file_there_is_none_and_the_code_is_still_told(
    scene: Callable[..., Scene],
) -> None:
    it = scene("rm -rf ../attempts/a1/runs/1; exit 5")
    assert it.run() == 5
    assert not (it.attempt / "runs/1/exit").exists()
    assert "t1.a1.1.exit" not in it.marks()


def test_the_stop_flag_appears_before_the_time_limit(scene: Callable[..., Scene]) -> None:
    it = scene(
        'until [ -e "$DIAMOND_STOP_FILE" ]; do sleep 0.05; done; echo $DIAMOND_DEADLINE; exit 75',
        resume={"lead_seconds": 1},
    )
    began = time.time()
    assert it.run(SECONDS_LEFT="3") == 75
    assert 1.5 < time.time() - began < 8
    assert abs(int(it.read("stdout.log")) - began - 3) < 2


def test_the_newest_checkpoint_is_handed_over(scene: Callable[..., Scene]) -> None:
    it = scene('echo "$DIAMOND_RESUME_FROM"', resume={"pattern": "ck pt/*.pt"})
    (it.run_dir / "ck pt").mkdir()
    for age, name in enumerate(["c.pt", "a $(touch x).pt", "b.pt"]):
        file = it.run_dir / "ck pt" / name
        file.touch()
        os.utime(file, (1000 - age, 1000 - age))
    assert it.run() == 0
    assert it.read("stdout.log") == f"{it.run_dir}/ck pt/c.pt\n"


def test_a_pattern_without_a_wildcard_names_a_checkpoint_only_once_it_exists(
    scene: Callable[..., Scene],
) -> None:
    it = scene('echo "${DIAMOND_RESUME_FROM##*/}"', resume={"pattern": "out/ckpt.pt"})
    assert it.run() == 0
    (it.run_dir / "out").mkdir()
    (it.run_dir / "out" / "ckpt.pt").touch()
    assert it.run(RESTARTS="1") == 0
    assert [it.read("stdout.log", run) for run in (1, 2)] == ["\n", "ckpt.pt\n"]


def test_a_doubted_checkpoint_is_passed_over_if_there_is_another(
    scene: Callable[..., Scene],
) -> None:
    it = scene('echo "${DIAMOND_RESUME_FROM##*/}"', resume={"pattern": "*.pt"})
    doubted = it.run_dir.parent / "doubted"
    doubted.write_text("2.pt\n")
    times = [(it.run_dir / "2.pt", 200), (doubted, 300), (it.run_dir / "1.pt", 100)]
    for run, (path, written) in enumerate([*times, (it.run_dir / "2.pt", 400)]):
        path.touch()
        os.utime(path, (written, written))
        assert it.run(RESTARTS=str(run)) == 0
    said = [it.read("stdout.log", run).strip() for run in (1, 2, 3, 4)]
    assert said == ["2.pt", "2.pt", "1.pt", "2.pt"], "the only one; the other; written anew"


def test_a_folder_that_the_login_profile_calls_secrets_is_left_alone(
    scene: Callable[..., Scene], tmp_path: Path
) -> None:
    own = tmp_path / "mine"
    own.mkdir()
    it = scene('test -z "$DIAMOND_SECRETS"')
    assert it.run(DIAMOND_SECRETS=str(own)) == 0
    assert own.is_dir()


def test_a_job_that_starts_after_a_cancel_runs_nothing(scene: Callable[..., Scene]) -> None:
    it = scene("echo ran")
    (it.attempt / "tombstone").touch()
    assert it.run() == TURNED_AWAY
    assert not (it.attempt / "runs" / "1").exists()


def test_a_job_that_comes_back_after_its_end_was_judged_runs_nothing(
    scene: Callable[..., Scene],
) -> None:
    it = scene("echo ran >>../ran; exit 75")
    assert it.run() == 75
    (it.attempt / "over").write_text("go")
    assert it.run(RESTARTS="1") == TURNED_AWAY
    assert (it.run_dir.parent / "ran").read_text() == "ran\n"
    assert not (it.attempt / "runs" / "2").exists()


def test_a_clock_that_is_set_does_not_move_the_stop_flag(
    scene: Callable[..., Scene], tmp_path: Path
) -> None:
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        pytest.skip("no libfaketime here: install Debian's `faketime`")
    it = scene("until [ -e go ]; do sleep 0.05; done", resume={"lead_seconds": 600})
    script, clock = it.attempt / "script.sh", tmp_path / "clock"
    script.write_text(re.sub(r"\|\| wait=(15|5)$", "|| wait=1", script.read_text(), flags=re.M))
    clock.write_text("+1s")
    # By another program, as bash alone hides the variables from the library.
    job = it.start(
        by=["env"],
        SECONDS_LEFT="3600",
        LD_PRELOAD=str(library),
        FAKETIME_TIMESTAMP_FILE=str(clock),
        FAKETIME_NO_CACHE="1",
    )
    eventually((it.attempt / "runs/1/heartbeat").exists)
    clock.write_text("+1h")
    for _ in range(2):
        before = it.read("heartbeat")
        eventually(lambda: it.read("heartbeat").strip() and it.read("heartbeat") != before)  # noqa: B023
    assert int(it.read("heartbeat")) > time.time() + 3000, "the clock was set"
    assert not (it.attempt / "stop").exists()
    (it.run_dir / "go").touch()
    assert job.wait(30) == 0


def test_secrets_are_files_while_the_program_runs_and_gone_afterwards(
    scene: Callable[..., Scene], tmp_path: Path
) -> None:
    store = tmp_path / "secrets"
    store.mkdir()
    (store / "HF_TOKEN").write_text("hush")
    it = scene(
        'cat "$DIAMOND_SECRETS/HF_TOKEN"; stat -c " %a" "$DIAMOND_SECRETS/HF_TOKEN"',
        secrets=["HF_TOKEN"],
        secret_store=str(store),
    )
    assert it.run() == 0
    assert it.read("stdout.log") == "hush 600\n"
    assert not (it.attempt / "runs/1/secrets").exists()
    assert "hush" not in (it.attempt / "script.sh").read_text()


NASTY = [
    "a b",
    "$(touch owned)",
    "`touch owned`",
    "'; touch owned; '",
    'x"y',
    "new\nline",
    "-n",
    "*",
    "é\u202e",
]


@pytest.mark.parametrize("word", NASTY)
def test_no_value_of_a_spec_ever_becomes_shell_code(scene: Callable[..., Scene], word: str) -> None:
    it = scene(
        at=f"folder {word[:6]}".replace("/", "_"),
        argv=["printf", "%s|", word],
        environment={"variables": {"VALUE": word}},
        data={"era5": word},
        resume={"pattern": word},
        entered=Entered(variables={"OTHER": word}, path=[word.replace("\n", "")]),
    )
    assert it.run() == 0
    assert it.read("stdout.log") == word + "|"
    assert not list(it.run_dir.parent.parent.parent.rglob("owned"))


def test_variables_and_data_paths_are_seen_by_the_program(scene: Callable[..., Scene]) -> None:
    it = scene(
        'echo "$A|$DIAMOND_DATA_ERA5_LAND|$DIAMOND_TASK|$DIAMOND_ATTEMPT_NUMBER|$PYTHONUNBUFFERED"',
        environment={"variables": {"A": "one"}},
        data={"era5-land": "/data/x"},
    )
    assert it.run() == 0
    assert it.read("stdout.log") == "one|/data/x|t1|1|1\n"


def test_a_variable_with_an_impossible_name_is_refused() -> None:
    order = Order("x", environment=Environment(variables={"A=$(id)": "1"}))
    with pytest.raises(BadRequest, match="name of a variable"):
        start_program(order, "/f", entered=Entered())


def test_data_variables_have_names_a_shell_can_use() -> None:
    assert data_variable("era5-land.v2") == "DIAMOND_DATA_ERA5_LAND_V2"


def _no_room() -> None:
    """No file may grow: what a full disk does to a writer."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _hold(descriptor: int) -> None:
    os.dup2(descriptor, 8)


def _children_of(pid: int) -> list[int]:
    words = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(word) for word in words]


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_sites_write_budget_reaches_the_program_that_says_nothing_else(
    scene: Callable[..., Scene],
) -> None:
    defaults = default_variables(Profile({"write_mb_per_second": 200}))
    it = scene('echo "$DIAMOND_WRITE_BUDGET"', defaults=defaults)
    assert it.run() == 0
    assert it.read("stdout.log") == "200000000\n"


def test_a_virtual_environment_sees_nothing_of_the_persons_own_packages(
    scene: Callable[..., Scene],
) -> None:
    say = 'echo "$PYTHONNOUSERSITE,$PYTHONPATH"'
    inside = scene(say, at="inside", entered=Entered(path=["/opt/venv/bin"]))
    inside.run(PYTHONPATH="/home/alice/mine")
    assert inside.read("stdout.log") == "1,\n"
    outside = scene(say, at="outside")
    outside.run(PYTHONPATH="/home/alice/mine")
    assert outside.read("stdout.log") == ",/home/alice/mine:\n"


def test_a_shell_in_a_run_has_the_programs_variables_and_writes_nothing(tmp_path: Path) -> None:
    order = order_from(
        {"name": "n", "command": "true", "environment": {"variables": {"OWN": "$x"}}}
    )
    started = start_program(order, str(tmp_path / "tasks/t1/attempts/a1"), entered=Entered())
    scene = Scene(tmp_path, order, with_variables=started.with_variables)
    run = scene.attempt / "runs" / "1"
    run.mkdir()
    (run / "started").write_text("7 0 n1 1000 60\n")
    before = sorted(str(each) for each in tmp_path.rglob("*"))
    look = 'echo "$OWN,$DIAMOND_RUN,$DIAMOND_DEADLINE,${DIAMOND_METRICS-none},$PWD"; exit 4'
    done = subprocess.run(
        ["bash", str(scene.attempt / "script.sh"), "shell", "1", "sh", "-c", look],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (4, "")
    assert done.stdout.strip() == f"$x,1,1060,none,{scene.run_dir}"
    assert sorted(str(each) for each in tmp_path.rglob("*")) == before


def test_a_job_that_is_ended_at_once_does_not_wait_for_its_program(
    scene: Callable[..., Scene],
) -> None:
    """Slurm sends SIGKILL only after KillWait: the script, which gets QUIT from the agent, does it itself."""
    it = scene("trap 'echo no' TERM QUIT; touch ready; while :; do sleep 0.05; done")
    job = it.start()
    eventually((it.run_dir / "ready").exists)
    job.send_signal(signal.SIGQUIT)
    assert job.wait(5) == 137
    assert it.read("exit").split()[0] == "137"

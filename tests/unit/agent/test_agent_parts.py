"""Small parts of the agent, each by itself."""

from __future__ import annotations

import json
import os
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from diamond.agent.disk import mark, read_json, write_json, write_whole
from diamond.agent.folders import Folders, choose_folders, safe_id
from diamond.agent.guard.fence import Fence, Superseded
from diamond.agent.link.carriers import Declined, LinkDown, Stale, check_answer
from diamond.agent.link.session import Outbox
from diamond.agent.output.files import list_files, read_file
from diamond.agent.output.logs import Stream
from diamond.agent.site.presence import cron_line, how_it_stays
from diamond.agent.site.probe import (
    has_way_out,
    index_host,
    mount_of,
    probe_folders,
    read_quota,
    within_quota,
)
from diamond.agent.site.profile import Profile
from diamond.agent.tasks.cleaning import DAY, near_purge, outdated, remove_task
from diamond.agent.tasks.folders import TaskFolders
from diamond.agent.tasks.status import Budget, spread
from diamond.core.errors import BadRequest, NotFound
from diamond.core.events import Submitted
from diamond.core.kept import HEAD_BYTES, TAIL_BYTES
from diamond.core.order import Placement


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    folders = Folders(tmp_path / "keep", tmp_path / "work", tmp_path)
    folders.make()
    return folders


def test_a_file_is_whole_or_absent(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"one")
    write_json(tmp_path / "b", {"x": 1}, durable=True)
    assert (tmp_path / "a").read_bytes() == b"one"
    assert read_json(tmp_path / "b") == {"x": 1}
    (tmp_path / "b").write_text('{"x": ')
    assert read_json(tmp_path / "b") is None
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a", "b"]


def test_a_mark_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    mark(tmp_path / "m", "first")
    mark(tmp_path / "m", "second")
    assert (tmp_path / "m").read_text() == "first"


def test_scratch_is_taken_for_work_where_the_site_has_one(tmp_path: Path) -> None:
    environment = {"DIAMOND_KEEP": str(tmp_path / "keep"), "SCRATCH": str(tmp_path)}
    assert choose_folders(environment, tmp_path).work == tmp_path / "diamond" / "keep"
    environment["DIAMOND_WORK"] = str(tmp_path / "mine")
    assert choose_folders(environment, tmp_path).work == tmp_path / "mine"


@pytest.mark.parametrize("text", ["", "..", "a/b", "a b", "x" * 65, "a\n"])
def test_only_an_id_becomes_the_name_of_a_folder(text: str) -> None:
    with pytest.raises(BadRequest):
        safe_id(text)


def test_a_newer_generation_stops_an_older_agent(folders: Folders) -> None:
    first, second = Fence(folders.keep), Fence(folders.keep)
    first.take(1)
    first.check()
    second.take(2)
    with pytest.raises(Superseded):
        first.check()


def test_an_agent_that_has_ended_is_not_acting(folders: Folders) -> None:
    fence = Fence(folders.keep)
    fence.sign()
    assert fence.acting()[0] == os.getpid()
    pid_file = folders.keep / "agent.pid"
    pid, host, _ = pid_file.read_text().split()
    pid_file.write_text(f"{pid} {host} 1")
    assert fence.acting() == (0, "")


def test_what_a_status_means_for_the_link() -> None:
    check_answer("events", 200, b"")
    with pytest.raises(Stale):
        check_answer("events", 409, b'{"code":"generation-stale","title":"newer"}')
    with pytest.raises(LinkDown):
        check_answer("events", 503, b"<html>")
    with pytest.raises(Declined, match="awaiting"):
        check_answer("hello", 403, b'{"code":"awaiting-confirmation","title":"x"}')


def test_events_are_numbered_and_kept_until_confirmed() -> None:
    outbox = Outbox()
    for number in range(3):
        outbox.put("t1", Submitted(native_id=str(number)))
    assert [event["n"] for event in outbox.wait(0)] == [1, 2, 3]
    outbox.confirm(2)
    assert [event["n"] for event in outbox.wait(0)] == [3]
    outbox.confirm(3)
    assert outbox.is_empty


def test_the_budget_of_questions_is_kept() -> None:
    budget = Budget(4.0)
    assert [budget.take() for _ in range(4)] == [True, True, False, False]
    assert budget.interval == 22.5
    assert all(Budget(unlimited=True).take() for _ in range(100))


def test_twenty_agents_together_stay_within_the_clusters_budget() -> None:
    budget = Budget(6.0 / 20)
    each = 60 / budget.interval + 60 / budget.free_interval
    assert 20 * each < 6.0


def stream_of(tmp_path: Path, size: int, name: str = "stdout") -> Stream:
    file = tmp_path / "log"
    with file.open("wb") as target:
        target.truncate(size)
    return Stream("t", "a", 1, name, file, is_known=True)


def test_a_log_far_ahead_jumps_to_its_tail_after_the_head(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, 100 * 2**20)
    part, content = stream.take(stream.look(1), 1_000_000)
    assert (part.offset, part.skipped, len(content)) == (0, False, 1_000_000)
    stream.confirm(HEAD_BYTES - 10)
    part, content = stream.take(stream.look(2), 1_000_000)
    assert (part.offset, len(content)) == (HEAD_BYTES - 10, 10)
    stream.confirm(HEAD_BYTES)
    part, _ = stream.take(stream.look(3), 1_000_000)
    assert part.skipped and part.offset == 100 * 2**20 - TAIL_BYTES


def test_metrics_never_jump(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, 100 * 2**20, "metrics")
    stream.confirm(HEAD_BYTES)
    part, _ = stream.take(stream.look(1), 1_000_000)
    assert part.offset == HEAD_BYTES and not part.skipped


def test_a_folder_swapped_for_a_link_leads_nowhere(tmp_path: Path) -> None:
    run_dir = tmp_path / "run"
    (run_dir / "out").mkdir(parents=True)
    (run_dir / "out" / "x").write_text("inside")
    assert read_file(run_dir, "out/x", 0, 10) == b"inside"
    (run_dir / "out").rename(run_dir / "was")
    (run_dir / "out").symlink_to("/etc")
    with pytest.raises(NotFound):
        read_file(run_dir, "out/passwd", 0, 10)
    with pytest.raises(NotFound):
        list_files(run_dir, "out")


def test_a_pipe_in_the_run_directory_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadRequest, match="not a file"):
        read_file(tmp_path, "pipe", 0, 10)


def test_a_large_folder_is_listed_in_pages(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"f{number}").touch()
    first, more = list_files(tmp_path, "", 0, 3)
    rest, end = list_files(tmp_path, "", more or 0, 3)
    assert [one["path"] for one in first + rest] == [f"f{number}" for number in range(5)]
    assert (more, end) == (3, None)


def test_a_name_that_is_not_utf8_can_be_read_as_it_is_shown(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"out\xff")).mkdir()
    (tmp_path / os.fsdecode(b"out\xff") / os.fsdecode(b"n\xfe")).write_text("inside")
    (one,), _ = list_files(tmp_path, "out\ufffd")
    assert read_file(tmp_path, one["path"], 0, 10) == b"inside"


def task_of_age(folders: Folders, task: str, days: float, now: float) -> None:
    tasks = TaskFolders(folders)
    folder = tasks.record(task, "a" + task, 1, {"order": {"name": "x"}})
    folder.write_closed()
    (folder.run_dir / "result").write_bytes(b"x" * 100_000)
    for file in (folders.tasks / task).rglob("*"):
        os.utime(file, (now - days * DAY, now - days * DAY))


def test_retention_removes_the_oldest_confirmed_tasks_first(folders: Folders) -> None:
    now, tasks = 1_000_000_000.0, TaskFolders(folders)
    for task, days in (("t1", 40.0), ("t2", 20.0), ("t3", 1.0)):
        task_of_age(folders, task, days, now)
    assert outdated(tasks, days=30, limit_bytes=0, now=now) == ["t1"]
    assert outdated(tasks, days=0, limit_bytes=150_000, now=now) == ["t1", "t2"]
    assert outdated(tasks, days=0, limit_bytes=0, now=now) == []
    assert near_purge(tasks, purge_days=30, lead_days=3, now=now) == ["t1"]
    remove_task(tasks, "t1")
    assert not (folders.tasks / "t1").exists()


def test_a_task_whose_end_is_not_confirmed_is_never_removed_by_itself(folders: Folders) -> None:
    now = 1_000_000_000.0
    task_of_age(folders, "t1", 400, now)
    (folders.tasks / "t1/attempts/at1/closed").unlink()
    assert outdated(TaskFolders(folders), days=1, limit_bytes=1, now=now) == []


def test_a_limit_belongs_to_its_partition() -> None:
    partitions = [{"name": "cpu", "default": True, "submit_limit": 5}, {"name": "gpu"}]
    profile = Profile({"partitions": partitions, "modules": ["module load x"]})
    assert profile.partition("") == "cpu"
    assert (profile.submit_limit("cpu"), profile.submit_limit("gpu")) == (5, None)
    assert profile.modules == ["module load x"]


QUOTA = """Disk quotas for user alice (uid 1000):
     Filesystem  blocks   quota   limit   grace   files   quota   limit   grace
      /dev/home   1234*  900000 1000000       0    5000   90000  100000       0
"""


LUSTRE = """/lustre/scratch/of/a/project
                [990000]      0 1000000       -   [5000]  90000      0       -
"""


def test_a_quota_is_read_in_bytes_and_files() -> None:
    assert read_quota(QUOTA) == {
        "quota_bytes": 1_024_000_000,
        "quota_files": 100_000,
        "used_bytes": 1234 * 1024,
        "used_files": 5000,
    }
    assert read_quota("Disk quotas for user alice (uid 1000): none") == {}


def test_a_quota_is_read_below_a_long_name_and_by_its_soft_limit() -> None:
    told = read_quota(LUSTRE)
    assert (told["quota_bytes"], told["used_bytes"]) == (1_024_000_000, 990_000 * 1024)
    assert (told["quota_files"], told["used_files"]) == (90_000, 5000)


def test_room_is_what_the_quota_leaves_of_a_large_file_system() -> None:
    large = {"free_bytes": 10**15, "free_files": None, "quota_bytes": None, "quota_files": None}
    told = within_quota(large, read_quota(LUSTRE))
    assert (told["free_bytes"], told["free_files"]) == (10_000 * 1024, 85_000)
    assert within_quota(large, {}) == large


def test_room_is_reported_for_each_folder(folders: Folders) -> None:
    facts = probe_folders(folders)
    assert set(facts) == {"keep", "work", "tmp"}
    assert facts["work"]["free_bytes"] > 0
    assert mount_of(Path("/proc/self")) == ("/proc", "proc")


def test_the_host_to_try_is_the_one_that_pip_is_set_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example.org:8443/simple")
    assert index_host() == ("mirror.example.org", 8443)


def test_a_machine_without_a_default_route_has_no_internet(tmp_path: Path) -> None:
    near = "eth0\t000200C0\t00000000\t0001\n"
    (tmp_path / "route").write_text("Iface\tDestination\tGateway\tFlags\n" + near)
    assert not has_way_out(tmp_path)
    six = f"{'0' * 32} 00 {'0' * 32} 00 {'0' * 32} ffffffff 00000001 00000000 00200200       {{}}\n"
    (tmp_path / "ipv6_route").write_text(six.format("lo"))
    assert not has_way_out(tmp_path)
    (tmp_path / "ipv6_route").write_text(six.format("ib0"))
    assert has_way_out(tmp_path)
    (tmp_path / "ipv6_route").unlink()
    (tmp_path / "route").write_text(near + "eth0\t00000000\t010200C0\t0003\n")
    assert has_way_out(tmp_path)


def test_how_it_stays_is_told() -> None:
    assert how_it_stays({}, stdio=True) == "connection"
    assert how_it_stays({"DIAMOND_STAYS": "cron"}, stdio=False) == "cron"
    assert how_it_stays({"SLURM_JOB_ID": "1"}, stdio=False) == "batch-job"


def test_a_cron_line_quotes_what_it_runs() -> None:
    line = cron_line(["/usr/bin/python3", "/home/a b/agent.pyz", "run"])
    assert "'/home/a b/agent.pyz' run" in line and line.startswith("*/10 * * * * ")


def test_a_task_folder_is_for_its_owner_alone(folders: Folders) -> None:
    folder = TaskFolders(folders).record("t1", "a1", 1, {"order": {"name": "x"}})
    assert (folders.tasks / "t1").stat().st_mode & 0o777 == 0o700
    written = json.loads((folder.path / "attempt.json").read_text())
    assert (written["number"], written["job_name"]) == (1, "diamond-a1")


def test_the_agents_own_jobs_go_where_an_account_may_pay() -> None:
    partitions = [
        {"name": "gpu", "default": False, "accounts": ["a"]},
        {"name": "cpu", "default": True, "accounts": ["b", "c"], "max_minutes": 120},
    ]
    accounts = [{"name": "a", "default": True}, {"name": "c", "default": False}]
    profile = Profile({"partitions": partitions, "accounts": accounts})
    assert profile.own_placement() == Placement(partition="cpu", account="b")
    assert profile.longest_minutes() == 120
    accounts[1]["default"] = True
    assert profile.own_placement().account == "c"
    assert Profile({}).own_placement() == Placement()


def test_twenty_agents_that_began_together_keep_the_budget_of_their_cluster() -> None:
    draw, budget = random.Random(3), Budget(6.0 / 20)
    asked: list[float] = []
    for interval in [budget.interval] * 20 + [budget.free_interval] * 20:
        moment = 0.0
        while moment < 7200:
            moment += spread(interval, draw.random())
            asked.append(moment)
    windows = [
        sum(start <= moment < start + 600 for moment in asked) for start in range(0, 6600, 30)
    ]
    assert max(windows) <= 60, "six a minute, in all, over any ten minutes"


def test_an_agent_alone_asks_at_its_own_pace() -> None:
    interval = Budget(4.0).interval
    assert spread(interval, 0.0) == spread(interval, 1.0) == interval


def test_two_threads_may_write_the_same_file(tmp_path: Path) -> None:
    """As two tasks that start at once do with the data that both read."""

    def write(n: int) -> None:
        for _ in range(50):
            write_whole(tmp_path / "place.json", str(n).encode() * 100)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert [path.name for path in tmp_path.iterdir()] == ["place.json"]

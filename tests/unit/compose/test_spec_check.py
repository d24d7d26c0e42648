"""A spec is answered before anything is submitted, all faults at once, with the valid values."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from diamond.compose import Composed, EndpointFacts, check
from diamond.core.code_facts import code_facts_from
from diamond.core.errors import BadRequest, InvalidSpec
from diamond.core.order import Pilot, order_data, order_from

DEBUG = {
    "name": "debug",
    "default": True,
    "max_minutes": 10,
    "nodes_total": 4,
    "cpus_per_node": 8,
    "memory_mb_per_node": 16000,
    "gpus_per_node": {"a100": 4},
    "accounts": None,
    "qos": ["normal", "debug"],
}
COURSE = {**DEBUG, "name": "course", "default": False, "accounts": ["teaching"]}
CLUSTER = EndpointFacts(
    name="alpha",
    state="online",
    default=False,
    facts={
        "scheduler": {"name": "slurm", "version": "22.05.8"},
        "partitions": [DEBUG, COURSE],
        "accounts": [{"name": "research"}, {"name": "teaching"}],
    },
    secrets=["HF_TOKEN"],
)
LAPTOP = EndpointFacts(
    name="local",
    state="online",
    default=True,
    facts={"scheduler": {"name": "local"}, "cores": 4, "memory_mb": 8000, "gpus": {}},
)


def compose(raw: Any, code: dict[str, Any] | None = None) -> Composed:
    return check(raw, endpoints=[LAPTOP, CLUSTER], code=code_facts_from(code))


def faults(raw: Any) -> dict[str, str]:
    with pytest.raises(InvalidSpec) as caught:
        compose(raw)
    return {f["field"]: f"{f['message']} {f['hint']}" for f in caught.value.faults}


def test_the_least_spec_runs_on_the_default_endpoint() -> None:
    composed = compose({"run": "python train.py"})
    assert (composed.endpoint, composed.order.command) == ("local", "python train.py")
    assert composed.order.resources.walltime_minutes == 60


def test_an_order_survives_the_wire_with_its_digest() -> None:
    order = compose({"run": ["python", "x.py"], "params": {"a": [1, 2]}}).order
    again = order_from({**order_data(order), "field_of_a_newer_version": 1})
    assert again == order
    assert again.digest == order.digest


def test_an_order_without_a_pilot_keeps_the_digest_it_had_before_there_were_pilots() -> None:
    order = compose({"run": "true"}).order
    assert "pilot" not in json.dumps(order_data(order))
    inside = replace(order, placement=replace(order.placement, pilot="tpilot"))
    assert order_from(order_data(inside)) == inside
    assert inside.digest != order.digest


def test_a_pilot_brings_no_program_and_runs_in_no_other_pilot() -> None:
    order = replace(compose({"run": "true"}).order, command="", pilot=Pilot(idle_seconds=60))
    assert order_from(order_data(order)).pilot == Pilot(60, "dask")
    inside = replace(order, placement=replace(order.placement, pilot="tpilot"))
    for wrong in (replace(order, command="true"), inside):
        with pytest.raises(BadRequest, match="allocation of its own"):
            order_from(order_data(wrong))


@pytest.mark.parametrize(("text", "told"), [("20s", "1m"), ("90s", "2m"), ("0:30:10", "31m")])
def test_a_time_limit_that_is_rounded_up_says_so(text: str, told: str) -> None:
    assert compose({"run": "x", "resources": {"walltime": text}}).warnings == [
        f"`walltime: {text}` is rounded up to {told}"
    ]


@pytest.mark.parametrize("text", ["2h", "30", "1d12h", 30])
def test_a_time_limit_of_whole_minutes_is_as_it_was_written(text: str | int) -> None:
    assert compose({"run": "x", "resources": {"walltime": text}}).warnings == []


def test_a_walltime_left_out_is_what_the_partition_allows() -> None:
    order = compose({"run": "x", "on": "alpha", "account": "research"}).order
    assert (order.placement.partition, order.resources.walltime_minutes) == ("debug", 10)


@pytest.mark.parametrize(
    ("raw", "field", "words"),
    [
        ({"run": "x", "nam": "y"}, "nam", "Did you mean name?"),
        ({"run": "x", "on": "alfa"}, "on", "Did you mean alpha? Endpoints: alpha, local"),
        ({"run": "x", "on": "alpha/nosuch"}, "on", "Partitions here: debug, course"),
        ({"run": "x", "on": "local/debug"}, "on", "This endpoint has no partitions."),
        ({"run": "x", "on": "alpha"}, "account", "one of research, teaching"),
        (
            {"run": "x", "on": "alpha", "account": "nobody"},
            "account",
            "Accounts you can use on debug: research, teaching",
        ),
        (
            {"run": "x", "on": "alpha/course", "account": "research"},
            "account",
            "Accounts that may use it: teaching",
        ),
        (
            {"run": "x", "on": "alpha", "account": "research", "resources": {"walltime": "2h"}},
            "resources.walltime",
            "Request at most 10m.",
        ),
        (
            {"run": "x", "on": "alpha", "account": "research", "resources": {"gpus_per_node": 5}},
            "resources.gpus_per_node",
            "A node has: 4 a100.",
        ),
        (
            {
                "run": "x",
                "on": "alpha",
                "account": "research",
                "resources": {"gpus_per_node": 1, "gpu_type": "h100"},
            },
            "resources.gpu_type",
            "A node has: 4 a100",
        ),
        (
            {"run": "x", "on": "alpha", "account": "research", "qos": "high"},
            "qos",
            "Valid: normal, debug",
        ),
        (
            {"run": "x", "on": "alpha", "account": "research", "secrets": ["WANDB_KEY"]},
            "secrets",
            "diamond secret set WANDB_KEY --on alpha",
        ),
        ({"run": "x", "resources": {"cpus_per_task": 64}}, "resources.cpus_per_task", "at most 4"),
        ({"run": "x", "resources": {"nodes": 2}}, "resources.nodes", "at most 1"),
        ({"run": "x", "resources": {"memory": "1 banana"}}, "resources.memory", "512MB or 4GB"),
        ({"run": "x", "environment": "torch"}, "environment", "requirements"),
        (
            {"run": "x", "environment": {"requirements": ["--index-url=x"]}},
            "environment.requirements",
            "an option",
        ),
        ({"run": "x", "code": "https://host/repo"}, "code", "URL@commit"),
        ({"run": "x", "budget": "lots"}, "budget", "200 node-hours"),
        (
            {"run": "x", "budget": "1 node-hours", "resources": {"walltime": "2h"}},
            "budget",
            "2 node-hours",
        ),
        ({"run": " "}, "run", "command is empty"),
        ({}, "run", "run: python train.py"),
        ({"run": "x", "name": "a\nb"}, "name", "letters, digits"),
        ({"run": "x", "name": "$(rm)"}, "name", "letters, digits"),
        ({"run": "x", "name": 'say "x"'}, "name", "letters, digits"),
        ({"run": "x", "partition": "a b;c"}, "partition", "batch system"),
        ({"run": "x", "on": "alpha", "account": "x\ny"}, "account", "batch system"),
        (
            {
                "run": "x",
                "on": "alpha",
                "account": "research",
                "options": {"slurm": {"output": "x"}},
            },
            "options.slurm.output",
            "Diamond sets the option 'output' itself",
        ),
        *(
            (
                {
                    "run": "x",
                    "on": "alpha",
                    "account": "research",
                    "options": {"slurm": {option: "/home/mallory/oci"}},
                },
                f"options.slurm.{option}",
                "A container that Diamond has not verified would run instead",
            )
            for option in ("container", "container-id")
        ),
        (
            {
                "run": "x",
                "on": "alpha",
                "account": "research",
                "options": {"slurm": {"comment": "a\n#SBATCH --uid=0"}},
            },
            "options.slurm.comment",
            "line breaks",
        ),
        (
            {
                "run": "x",
                "on": "alpha",
                "account": "research",
                "options": {"slurm": {"qos": "a\n#SBATCH --uid=0"}},
            },
            "options.slurm.qos",
            "batch system",
        ),
        ({"run": "x", "options": {"slurm": {"qos": "a"}}}, "options.slurm", "options.local"),
        ({"run": "x", "resources": {"cpus": 2}}, "resources.cpus", "resources.cpus_per_task?"),
        ({"run": "x", "gpu": 2}, "gpu", "Did you mean resources.gpus_per_node?"),
        ({"run": "x", "resources": {"nodes": 0}}, "resources.nodes", "minimum is 1"),
        ({"run": "x", "resources": {"nodes": "two"}}, "resources.nodes", "not a whole number"),
        ({"run": "x", "params": [1]}, "params", "write {name: value}"),
        ({"run": "x", "resources": {"gpus_per_node": 1}}, "resources.gpus_per_node", "no GPU"),
        ({"run": "x", "on": "alpha"}, "account", "Add --account research"),
        *(
            (
                {
                    "run": "x",
                    "study": {"objective": {"a": "maximize"}, "space": space, "sampler": sampler},
                },
                field,
                "100,000",
            )
            for sampler, field, space in (
                ("grid", "study.space", {f"p{n}": {"int": [1, 100]} for n in range(20)}),
                ("bruteforce", "study.space.n", {"n": {"int": [1, 10**18]}}),
            )
        ),
    ],
)
def test_bad_input_is_answered_with_the_valid_values(
    raw: dict[str, Any], field: str, words: str
) -> None:
    assert words in faults(raw)[field]


def test_all_faults_come_at_once() -> None:
    found = faults(
        {"nam": "y", "on": "alfa", "resources": {"walltime": "soon"}, "secrets": ["a b"]}
    )
    assert set(found) == {"nam", "run", "on", "resources.walltime", "secrets.0"}


def test_something_that_is_no_mapping_is_told_what_a_spec_is() -> None:
    with pytest.raises(InvalidSpec, match="mapping"):
        compose(["run"])


def test_the_first_class_names_may_also_stand_under_options() -> None:
    raw = {"run": "x", "on": "alpha", "options": {"slurm": {"qos": "debug", "account": "research"}}}
    placement = compose(raw).order.placement
    assert (placement.qos, placement.account, placement.options) == ("debug", "research", {})


def test_a_budget_travels_in_the_order_and_must_hold_one_attempt() -> None:
    raw = {"run": "x", "budget": "5 node-hours", "resources": {"walltime": "2h"}}
    assert compose(raw).order.budget == "5 node-hours"
    with pytest.raises(InvalidSpec) as refused:
        compose({**raw, "budget": "1 node-hours"})
    assert refused.value.faults[0]["field"] == "budget"


def test_a_budget_in_the_sites_units_needs_the_sites_rate() -> None:
    raw = {"run": "x", "budget": "5 SU", "on": "alpha", "resources": {"walltime": "2h"}}
    with pytest.raises(InvalidSpec) as refused:
        compose(raw)
    assert any("charge" in fault["hint"] for fault in refused.value.faults)


@pytest.mark.parametrize("pattern", ["../../../**/*", "ckpt/../../*.pt", ".."])
def test_checkpoints_lie_in_the_run_directory(pattern: str) -> None:
    found = faults({"run": "x", "continue": {"from": pattern}})
    assert "leaves the run directory" in found["continue.from"]
    assert compose({"run": "x", "continue": {"from": "a..b/*.pt"}})


def test_an_option_with_a_checkpoint_needs_a_place_for_checkpoints() -> None:
    assert "needs a checkpoint" in faults({"run": "x {resume:--r %}"})["run"]
    composed = compose({"run": "x {resume:--r %}", "continue": {"from": "ckpt.pt"}})
    assert composed.order.command == ('x ${DIAMOND_RESUME_FROM:+--r "${DIAMOND_RESUME_FROM}"}')
    assert composed.warnings == []


def test_a_choice_that_was_made_is_no_warning() -> None:
    composed = compose({"run": "torchrun train.py", "resources": {"tasks_per_node": 2}})
    assert composed.warnings == []
    assert composed.notes == []


def test_only_a_spec_that_says_continue_queues_ahead() -> None:
    assert not compose({"run": "x"}).order.resume.ahead
    assert compose({"run": "x", "continue": {}}).order.resume.ahead is True
    assert compose({"run": "x", "continue": {"ahead": "auto"}}).order.resume.ahead is True
    assert compose({"run": "x", "continue": {"ahead": 1}}).order.resume.ahead is not True
    assert not compose({"run": "x", "continue": {"ahead": False}}).order.resume.ahead


def test_an_endpoint_that_is_away_is_a_warning_not_a_fault() -> None:
    away = EndpointFacts("gamma", "sign-in", False, {})
    composed = check({"run": "x", "on": "gamma"}, endpoints=[away], code=None)
    assert "task waits until then" in composed.warnings[0]


def test_of_a_list_the_first_that_is_there_is_taken() -> None:
    away = EndpointFacts("gamma", "offline", False, {})
    composed = check({"run": "x", "on": ["gamma", "local"]}, endpoints=[away, LAPTOP], code=None)
    assert composed.endpoint == "local"


def test_an_unknown_partition_does_not_hide_what_no_partition_allows() -> None:
    asked = {"walltime": "3d", "nodes": 50, "gpus_per_node": 8, "memory": "9TB"}
    found = faults(
        {"run": "x", "on": "alpha/nope", "account": "nobody", "qos": "zz", "resources": asked}
    )
    assert set(found) == {"on", "account", *(f"resources.{name}" for name in asked)}
    assert "more than any partition here allows: 10m" in found["resources.walltime"]
    assert set(faults({"run": "x", "on": "alpha/nope", "account": "research"})) == {"on"}


def test_an_unknown_account_does_not_hide_an_unknown_qos() -> None:
    site = {"accounts": [{"name": "a"}], "partitions": [{"name": "p"}], "qos": [{"name": "normal"}]}
    alpha = EndpointFacts("alpha", "online", True, site)
    with pytest.raises(InvalidSpec) as caught:
        check({"run": "x", "account": "b", "qos": "zz"}, endpoints=[alpha], code=None)
    assert [one["field"] for one in caught.value.faults] == ["account", "qos"]
    assert caught.value.faults[1]["hint"] == "Valid: normal"


def on_a_strict_site(resources: dict[str, Any], **more: Any) -> Composed:
    facts = {
        "partitions": [DEBUG],
        "flags": {"mem": "requires"},
        "qos": [{"name": "debug", "max_minutes": 5}],
    }
    site = EndpointFacts("delta", "online", True, facts)
    return check({"run": "x", "resources": resources, **more}, endpoints=[site], code=None)


def test_memory_that_a_site_wants_said_is_a_share_of_the_node() -> None:
    composed = on_a_strict_site({"cpus_per_task": 2})
    assert composed.order.resources.memory_mb == 4000
    assert "memory: 3.9 GB (a share of a node)" in composed.notes[-1]
    assert on_a_strict_site({"gpus_per_node": 2}).order.resources.memory_mb == 8000
    said = on_a_strict_site({"memory": "1GB"})
    assert (said.order.resources.memory_mb, said.notes) == (1024, [])


def test_a_qos_has_its_own_time_limit() -> None:
    assert on_a_strict_site({}, qos="debug").order.resources.walltime_minutes == 5
    with pytest.raises(InvalidSpec, match="10m is more than QoS debug allows: 5m"):
        on_a_strict_site({"walltime": "10m"}, qos="debug")


def test_cores_are_told_as_they_were_asked_for() -> None:
    asked = {"cpus_per_task": 5, "tasks_per_node": 2}
    found = faults({"run": "x", "on": "alpha", "account": "research", "resources": asked})
    words = "5 for each of 2 processes (10 in total) is more than a node of partition debug has: 8"
    assert words in found["resources.cpus_per_task"]
    assert found["resources.cpus_per_task"].endswith("Request at most 4.")


def test_texts_that_are_not_utf8_are_faults_like_others() -> None:
    broken = {
        "run": ["echo", "a\udcffb"],
        "params": {"lr": "\udc80"},
        "data": {"\udcff": "/x"},
        "environment": {"variables": {"A": "\udcff"}},
        "nmae": 1,
    }
    found = faults(broken)
    assert set(found) == {
        "run.1",
        "params.lr",
        "data.\\udcff",
        "environment.variables.A",
        "nmae",
    }
    assert found["run.1"].startswith("'a\\udcffb' is not UTF-8")
    assert all(text.isascii() for text in found.values())


def test_a_word_of_a_command_that_cannot_be_read_does_not_make_it_missing() -> None:
    assert set(faults({"run": ["echo", 1]})) == {"run.1"}


def test_data_are_named_by_whole_paths() -> None:
    found = faults({"run": "x", "data": {"here": "rel/path", "there": "$WORK/x", "home": "~/x"}})
    assert set(found) == {"data.here"}
    assert "neither an absolute path" in found["data.here"]


def test_auto_without_a_default_takes_one_that_is_there() -> None:
    away = EndpointFacts("gamma", "offline", False, {})
    there = EndpointFacts("beta", "online", False, {})
    assert check({"run": "x"}, endpoints=[away, there], code=None).endpoint == "beta"
    marked = EndpointFacts("delta", "sign-in", True, {})
    assert check({"run": "x"}, endpoints=[there, marked], code=None).endpoint == "delta"


def test_no_endpoint_at_all_names_the_next_step() -> None:
    with pytest.raises(InvalidSpec, match="no endpoint") as caught:
        check({"run": "x"}, endpoints=[], code=None)
    assert "diamond endpoint add" in caught.value.hint


LONG = {**DEBUG, "name": "long", "default": False, "max_minutes": 600, "gpus_per_node": {}}
WITH_LONG = EndpointFacts("beta", "online", True, {"partitions": [DEBUG, LONG]})


def test_a_time_over_the_limit_names_the_partitions_that_allow_it() -> None:
    with pytest.raises(InvalidSpec) as caught:
        check({"run": "x", "resources": {"walltime": "2h"}}, endpoints=[WITH_LONG], code=None)
    assert "Partitions that allow it: long." in caught.value.hint


def test_gpus_where_there_are_none_name_the_partitions_that_have_some() -> None:
    asked = {"run": "x", "on": "beta/long", "resources": {"gpus_per_node": 1}}
    with pytest.raises(InvalidSpec) as caught:
        check(asked, endpoints=[WITH_LONG], code=None)
    assert caught.value.hint == "Partitions with GPUs: debug (4 a100 per node)"


def test_a_qos_must_be_one_of_the_accounts_too() -> None:
    facts = {"partitions": [DEBUG], "accounts": [{"name": "research", "qos": ["normal"]}]}
    beta = EndpointFacts("beta", "online", True, facts)
    with pytest.raises(InvalidSpec) as caught:
        check({"run": "x", "qos": "debug"}, endpoints=[beta], code=None)
    assert caught.value.hint == "Valid: normal"


def test_an_account_on_a_machine_without_batch_system_has_no_effect() -> None:
    (warning,) = compose({"run": "x", "account": "research"}).warnings
    assert "`account: research` has no effect here" in warning


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    for code in (
        "https://ada:s3cret@git.example.org/x.git@abc123",
        "http://:s3cret@h/x",
        "https://ghp_s3cret@git.example.org/x.git@abc123",
        "https://0a1b2c3d4e5f6a7b8c9d-s3cret@git.example.org/x.git@abc123",
    ):
        told = faults({"run": "x", "code": code})["code"]
        assert "credential helper" in told
        assert "s3cret" not in told
    for who in ("ada:s3cret", "glpat-s3cret"):
        lines = [f"pkg @ git+https://{who}@git.example.org/pkg"]
        given = {"run": "x", "environment": {"requirements": lines}}
        assert "s3cret" not in faults(given)["environment.requirements"]


def test_a_token_in_a_command_is_warned_of_and_not_repeated() -> None:
    url = "https://ghp_s3cret@git.example.org/x"
    environment = {"variables": {"PIP_INDEX_URL": url}}
    warnings = compose({"run": f"git clone {url}", "environment": environment}).warnings
    assert ["`run`" in warnings[0], "`environment.variables`" in warnings[1]] == [True, True]
    assert "s3cret" not in str(warnings)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("params", {"url": "https://ghp_s3cret@host/x"}),
        ("params", {"url": ["a", "https://ghp_s3cret@host/x"]}),
    ],
)
def test_a_token_in_any_other_field_is_warned_of_too(field: str, value: Any) -> None:
    [warning] = [line for line in compose({"run": "x", field: value}).warnings if "token" in line]
    assert f"`{field}`" in warning and "s3cret" not in warning


@pytest.mark.parametrize(
    "url", ["git@host:group/x.git", "https://ada@host/x.git", "ssh://git@host:2222/x.git"]
)
def test_a_git_url_without_a_password_is_taken(url: str) -> None:
    source = compose({"run": "x", "code": f"{url}@abc123"}).order.code
    assert source is not None
    assert (source.git_url, source.git_commit) == (url, "abc123")


def test_variables_that_diamond_sets_are_not_a_persons_to_set() -> None:
    given = {"variables": {"DIAMOND_RUN_DIR": "/tmp", "OMP_NUM_THREADS": 2}}
    told = faults({"run": "x", "environment": given})["environment.variables"]
    assert "DIAMOND_RUN_DIR" in told
    assert "OMP_NUM_THREADS" not in told


def test_binding_is_a_persons_to_switch_off() -> None:
    given = {"variables": {"DIAMOND_BIND": "none"}}
    environment = compose({"run": "x", "environment": given}).order.environment
    assert environment is not None
    assert environment.variables == {"DIAMOND_BIND": "none"}

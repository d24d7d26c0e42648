"""Bad input is answered before anything is submitted, all faults at once, with the valid values named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.diamond import Diamond
from support.stack import Stack, running_stack
from support.waiting import PATIENCE

BAD: dict[str, tuple[dict[str, Any], str, str]] = {
    "an unknown field": ({"nmae": "x"}, "nmae", "Did you mean name?"),
    "an unknown inner field": ({"resources": {"gpu": 1}}, "resources.gpu", "gpus_per_node"),
    "an unknown endpoint": ({"on": "nowhere"}, "on", "Endpoints: "),
    "an unknown partition": ({"on": "{}/gpus"}, "on", "Partitions here: debug"),
    "an unknown account": ({"account": "nobody"}, "account", "Accounts you can use"),
    "a wall-time over the limit": ({"resources": {"walltime": "2d"}}, "resources.walltime", "10m"),
    "more GPUs than a node has": (
        {"resources": {"gpus_per_node": 9}},
        "resources.gpus_per_node",
        "4 a100",
    ),
    "an unknown GPU": (
        {"resources": {"gpus_per_node": 1, "gpu_type": "h900"}},
        "resources.gpu_type",
        "a100",
    ),
    "more nodes than there are": ({"resources": {"nodes": 500}}, "resources.nodes", "at most"),
    "a size that is none": ({"resources": {"memory": "much"}}, "resources.memory", "4GB"),
    "a folder that was not sent": ({"code": "./nowhere"}, "code", "git URL@commit"),
    "an image that is not there": ({"environment": "torch"}, "environment", "requirements"),
    "an option of Diamond's own": (
        {"options": {"slurm": {"job-name": "x"}}},
        "options.slurm.job-name",
        "name:",
    ),
    "another batch system's option": ({"options": {"pbs": {"q": "x"}}}, "options.pbs", "slurm"),
    "command is empty": ({"run": "  "}, "run", "python train.py"),
    "a name with quotes": ({"name": "a'b\"c"}, "name", "letters, digits"),
    "a name with a newline": ({"name": "a\nb"}, "name", "letters, digits"),
    "a name with a command": ({"name": "$(reboot)"}, "name", "letters, digits"),
    "a name that is not UTF-8": ({"name": "\udcff"}, "name", ""),
}


@pytest.fixture(scope="module")
def stack(slurm_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(slurm_lab.cluster("alpha"), tmp_path_factory.mktemp("bad")) as running:
        yield running


@pytest.fixture(autouse=True)
def nothing_is_submitted(stack: Stack) -> Iterator[None]:
    before = len(stack.client.get("/jobs")["items"])
    yield
    assert stack.sbatch.calls == 0
    assert len(stack.client.get("/jobs")["items"]) == before


@pytest.fixture
def person(stack: Stack, tmp_path: Path) -> Diamond:
    folder = tmp_path / "project"
    folder.mkdir()
    told = {"DIAMOND_URL": stack.service.url, "DIAMOND_TOKEN": stack.service.token}
    return Diamond(tmp_path / "home", folder, told)


def refusal(stack: Stack, **spec: Any) -> Any:
    """The problem with which POST /jobs answers."""
    asked = {"name": "bad", "run": "true", "on": stack.name, **spec}
    answer = stack.client.call("POST", "/jobs", {"spec": asked})
    assert answer.status == 422, (answer.status, answer.body)
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.json


@pytest.mark.parametrize("case", BAD)
def test_a_bad_field_is_answered_with_what_is_valid(stack: Stack, case: str) -> None:
    spec, field, words = BAD[case]
    spec = {key: value.format(stack.name) if key == "on" else value for key, value in spec.items()}
    problem = refusal(stack, **spec)
    (fault,) = problem["faults"]
    assert fault["field"] == field
    assert words in f"{fault['message']} {fault['hint']}"


def test_several_accounts_and_none_named_are_asked_about(stack: Stack) -> None:
    facts = stack.client.get(f"/endpoints/{stack.name}")["profile"]["facts"]
    open_to_all = [{**one, "accounts": None} for one in facts["partitions"]["value"]]
    two = [{"name": "physics", "default": True}, {"name": "biology", "default": False}]
    with corrected(stack, accounts=two, partitions=open_to_all):
        (fault,) = refusal(stack)["faults"]
    assert fault["field"] == "account"
    assert "Add --account physics" in fault["hint"] and "physics, biology" in fault["hint"]


@contextmanager
def corrected(stack: Stack, **facts: Any) -> Iterator[None]:
    """The site profile as the owner corrects it by hand."""
    for values in (facts, dict.fromkeys(facts)):
        change = {"corrections": values}
        answer = stack.client.call("PATCH", f"/endpoints/{stack.name}", change)
        assert answer.status == 200, answer.body
        if values is facts:
            yield


def test_all_faults_are_told_at_once(stack: Stack) -> None:
    problem = refusal(
        stack,
        nmae="x",
        name="a\nb",
        account="nobody",
        code="./nowhere",
        environment="torch",
        resources={"walltime": "2d", "gpus_per_node": 9, "memory": "much"},
    )
    assert {fault["field"] for fault in problem["faults"]} == {
        "nmae",
        "name",
        "account",
        "code",
        "environment",
        "resources.walltime",
        "resources.gpus_per_node",
        "resources.memory",
    }


def test_bytes_that_are_not_utf8_are_answered_as_such(stack: Stack) -> None:
    body = b'{"spec": {"name": "\xff", "run": "true"}}'
    answer = stack.client.call("POST", "/jobs", body, {"Content-Type": "application/json"})
    assert answer.status in (400, 422), answer.body
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_command_line_says_message_and_hint_and_shows_no_traceback(
    stack: Stack, person: Diamond
) -> None:
    spec = person.folder / "diamond.yaml"
    spec.write_text(
        f"run: 'true'\non: {stack.name}\nresources: {{walltime: 2d, gpus_per_node: 9}}\n"
    )
    done = person.call("run", "diamond.yaml")
    assert done.returncode != 0
    assert "resources.walltime" in done.stderr and "resources.gpus_per_node" in done.stderr
    assert "Request at most 10m" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_spec_that_is_not_there_is_answered_with_how_to_name_one(person: Diamond) -> None:
    done = person.call("run", "nowhere.yaml")
    assert done.returncode != 0
    assert "There is no file 'nowhere.yaml'" in done.stderr
    assert "diamond run -- python train.py" in done.stderr


@pytest.mark.parametrize("content", [b"name: \xff\nrun: 'true'\n", b"run: [", b"- run\n"])
def test_a_file_that_is_no_spec_is_answered_as_such(person: Diamond, content: bytes) -> None:
    (person.folder / "diamond.yaml").write_bytes(content)
    done = person.call("run", "diamond.yaml")
    assert done.returncode != 0
    assert "diamond.yaml" in done.stderr and "Traceback" not in done.stderr


def test_a_code_folder_that_is_not_there_is_named(stack: Stack, person: Diamond) -> None:
    spec = person.folder / "diamond.yaml"
    spec.write_text(f"run: 'true'\non: {stack.name}\ncode: nowhere\n")
    done = person.call("run", "diamond.yaml")
    assert done.returncode != 0
    assert "nowhere" in done.stderr and "Traceback" not in done.stderr


def test_ten_gigabytes_of_code_are_refused_before_they_are_read(
    stack: Stack, person: Diamond
) -> None:
    (person.folder / "diamond.yaml").write_text(f"run: 'true'\non: {stack.name}\ncode: .\n")
    with (person.folder / "weights.bin").open("wb") as file:
        file.truncate(10 * 2**30)
    done = person.call("run", "diamond.yaml", timeout=PATIENCE)
    assert done.returncode != 0
    assert "weights.bin" in done.stderr and "Traceback" not in done.stderr


def test_a_name_that_is_not_utf8_on_the_command_line_is_refused(
    stack: Stack, person: Diamond
) -> None:
    done = person.call("run", "--on", stack.name, "--name", "\udcff", "--", "true")
    assert done.returncode != 0
    assert "name" in done.stderr and "Traceback" not in done.stderr

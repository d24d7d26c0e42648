"""Hostile words in every place of a spec: they arrive as they are, or are refused; no shell ever reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.diamond import Diamond
from support.stack import SMALL, Stack, running_stack
from support.waiting import wait_for

FORMS = [
    "$(touch {})",
    "`touch {}`",
    "; touch {};",
    "' ; touch {}; '",
    '" ; touch {}; "',
    "\ntouch {}\n",
    "| touch {}",
    "&& touch {}",
    "${{IFS}}$(touch {})",
    "-x $(touch {})",
    "#\ntouch {}",
]


@pytest.fixture(scope="module")
def stack(slurm_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(slurm_lab.cluster("alpha"), tmp_path_factory.mktemp("hostile")) as running:
        yield running


@pytest.fixture(autouse=True)
def nobody_was_fooled(stack: Stack) -> Iterator[None]:
    yield
    assert not marker(stack).exists()


@pytest.fixture
def person(stack: Stack, tmp_path: Path) -> Diamond:
    folder = tmp_path / "project"
    folder.mkdir()
    told = {"DIAMOND_URL": stack.service.url, "DIAMOND_TOKEN": stack.service.token}
    return Diamond(tmp_path / "home", folder, told)


def marker(stack: Stack) -> Path:
    """A file that is there once a shell has read any of the hostile words."""
    return stack.folder / "fooled"


def hostile(stack: Stack) -> list[str]:
    return [form.format(marker(stack)) for form in FORMS]


def run(stack: Stack, **spec: Any) -> str:
    """The output of a program that succeeded."""
    asked = {"spec": {"name": "hostile", "on": stack.name, **SMALL, **spec}}
    task = stack.client.post("/jobs", asked)["tasks"][0]["id"]
    stack.until(task, "succeeded")
    stack.check_logs(task)
    return stack.client.call("GET", f"/tasks/{task}/logs/stdout").body.decode()


def faults(stack: Stack, **spec: Any) -> set[str]:
    asked = {"spec": {"name": "hostile", "run": "true", "on": stack.name, **spec}}
    answer = stack.client.call("POST", "/jobs", asked)
    assert answer.status == 422, answer.body
    return {fault["field"].split(".")[0] for fault in answer.json["faults"]}


def test_words_of_a_program_arrive_as_they_are(stack: Stack) -> None:
    words = hostile(stack)
    assert run(stack, run=["printf", "<%s>", *words]) == "".join(f"<{word}>" for word in words)


def test_parameters_arrive_as_they_are_inside_and_outside_of_quotes(stack: Stack) -> None:
    params = {f"p{number}": word for number, word in enumerate(hostile(stack))}
    places = "".join(f" {{{name}}} \"{{{name}}}\" '{{{name}}}'" for name in params)
    expected = "".join(f"<{word}>" * 3 for word in params.values())
    assert run(stack, run=f"printf '<%s>'{places}", params=params) == expected


def test_words_and_items_of_stages_in_a_pilot_arrive_as_they_are(stack: Stack) -> None:
    words = hostile(stack)
    places = "printf '<%s>' {word} \"{word}\" '{word}'"
    stages = {
        "argument": {"run": ["printf", "<%s>", *words]},
        "item": {"run": places, "map": {"word": words}},
    }
    spec = {
        "name": "hostile",
        "on": stack.name,
        "together": {"walltime": "10m", "cpus_per_node": 1},
        "pipeline": stages,
    }
    made = stack.client.post("/pipelines", {"spec": spec})["id"]

    def over() -> Any:
        found = stack.client.get(f"/pipelines/{made}")
        return found if found["state"] != "running" else None

    ended = wait_for(over, what="the end of the pipeline")
    assert ended["state"] == "succeeded", ended["message"]
    steps = {stage["name"]: stage["steps"] for stage in ended["stages"]}
    assert len({step["pilot"] for some in steps.values() for step in some}) == 1
    assert printed(stack, steps["argument"][0]) == "".join(f"<{word}>" for word in words)
    for step, word in zip(steps["item"], words, strict=True):
        assert printed(stack, step) == f"<{word}>" * 3
    for name in words:
        wrongs: list[dict[str, Any]] = [
            {"groups": {name: {}}},
            {"together": {"on": f"{stack.name}/{name}"}},
        ]
        for wrong in wrongs:
            answer = stack.client.call("POST", "/pipelines/check", {"spec": {**spec, **wrong}})
            assert answer.status == 422


def printed(stack: Stack, step: Any) -> str:
    stack.check_logs(step["task"])
    return stack.client.call("GET", f"/tasks/{step['task']}/logs/stdout").body.decode()


def test_environment_variables_arrive_as_they_are(stack: Stack) -> None:
    values = {f"V{number}": word for number, word in enumerate(hostile(stack))}
    command = ["python3", "-c", "import os; print([os.environ[f'V{n}'] for n in range(11)])"]
    told = run(stack, run=command, environment={"variables": values})
    assert told == f"{list(values.values())}\n"


def test_data_paths_arrive_as_they_are(stack: Stack) -> None:
    """Slashes and line breaks cannot stand in a folder's name here."""
    folders = [stack.folder / word.replace("/", "_").replace("\n", "_") for word in hostile(stack)]
    for folder in folders:
        folder.mkdir()
    data = {f"d{number}": str(folder) for number, folder in enumerate(folders)}
    command = [
        "python3",
        "-c",
        "import os; print([os.environ[f'DIAMOND_DATA_D{n}'] for n in range(11)])",
    ]
    assert run(stack, run=command, data=data) == f"{[str(folder) for folder in folders]}\n"


def test_a_checkpoint_pattern_is_matched_and_never_run(stack: Stack) -> None:
    for word in hostile(stack):
        if "\n" not in word:
            run(stack, run="true", **{"continue": {"from": word}})


def test_file_names_of_code_arrive_as_they_are(stack: Stack, person: Diamond) -> None:
    names = [word.replace("/", "_") for word in hostile(stack)]
    for name in names:
        (person.folder / name).write_text("x")
    spec = '["python3", "-c", "import os; print(sorted(os.listdir()))"]'
    (person.folder / "diamond.yaml").write_text(f"run: {spec}\non: {stack.name}\ncode: .\n")
    done = person.call("run", "--wait", "diamond.yaml", "--time", "5m")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{sorted([*names, 'diamond.yaml'])}\n"


def test_options_reach_slurm_as_they_are_or_are_refused(stack: Stack) -> None:
    for word in hostile(stack):
        spec = {"name": "hostile", "run": "true", "on": stack.name, **SMALL}
        spec["options"] = {"slurm": {"comment": word}}
        answer = stack.client.call("POST", "/jobs", {"spec": spec})
        if answer.status == 422:
            continue
        task = answer.json["tasks"][0]["id"]
        ended = stack.until(task, "succeeded", "failed")
        assert ended["state"] == "succeeded" or ended["reason"] == "refused", ended["message"]


@pytest.mark.parametrize(
    "field", ["name", "partition", "account", "qos", "reservation", "constraint"]
)
def test_names_that_no_site_has_are_refused(stack: Stack, field: str) -> None:
    for word in hostile(stack):
        assert field in faults(stack, **{field: word})


def test_hostile_keys_are_refused(stack: Stack) -> None:
    for word in hostile(stack):
        assert faults(stack, params={word: 1}) == {"params"}
        assert faults(stack, data={word: "/tmp"}) == {"data"}
        assert faults(stack, secrets=[word]) == {"secrets"}
        assert faults(stack, environment={"variables": {word: "1"}}) == {"environment"}
        assert faults(stack, options={"slurm": {word: "1"}}) == {"options"}


def test_secrets_arrive_as_they_are_and_hostile_names_are_refused(
    stack: Stack, person: Diamond
) -> None:
    word = hostile(stack)[0]
    refused = person.call("secret", "set", word, "--on", stack.name, stdin="x\n")
    assert refused.returncode != 0 and "Traceback" not in refused.stderr
    taken = person.call("secret", "set", "WORD", "--on", stack.name, stdin=word + "\n")
    assert taken.returncode == 0, taken.stderr
    assert run(stack, run='cat "$DIAMOND_SECRETS/WORD"', secrets=["WORD"]) == word
    assert "fooled" not in stack.agent_log()


def test_hostile_names_of_endpoints_are_refused(stack: Stack) -> None:
    for word in hostile(stack):
        asked = {"name": word, "carrier": "local"}
        answer = stack.client.call("POST", "/endpoints", asked)
        assert answer.status in (400, 422), answer.body

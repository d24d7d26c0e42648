"""Identity and keys: what changes them, and what does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from diamond.core.errors import BadRequest
from diamond.core.order import Environment, EnvironmentFile, Order, order_data, order_from
from diamond.images.plan import BuildPlan, make_plan
from diamond.images.recipe import Recipe, environment_data, recipe_data, recipe_from
from diamond.runtimes.building import has_own_layer

DIGEST = "sha256:" + "a" * 64


def recipe(**fields: object) -> Recipe:
    environment = replace(Environment(base="docker://debian:12", commands=["one", "two"]), **fields)  # type: ignore[arg-type]
    return Recipe(environment, DIGEST, "", "linux/amd64")


def keys(plan: BuildPlan) -> dict[str, str]:
    return {step.name: step.key for step in plan.steps}


def test_steps_come_in_the_order_of_the_form() -> None:
    full = recipe(
        system=["git"],
        python="3.11",
        variables={"A": "1"},
        files=[EnvironmentFile("/opt/x", "text")],
        test="true",
    )
    names = [step.name for step in make_plan(full, "apptainer").steps]
    assert names == [
        "base",
        "system",
        "python",
        "variables",
        "files",
        "command-1",
        "command-2",
        "pack",
        "test",
    ]
    bare = replace(full, environment=Environment(commands=["one"], test="true"))
    assert [step.name for step in make_plan(bare, "venv").steps][-2:] == ["test", "pack"]


def test_a_step_with_nothing_to_do_is_left_out() -> None:
    names = [step.name for step in make_plan(recipe(), "apptainer").steps]
    assert names == ["base", "command-1", "command-2", "pack"]


def test_a_changed_last_command_changes_its_key_and_the_packs_alone() -> None:
    before = keys(make_plan(recipe(), "apptainer"))
    after = keys(make_plan(recipe(commands=["one", "other"]), "apptainer"))
    assert [name for name in before if before[name] != after[name]] == ["command-2", "pack"]


def test_a_changed_test_leaves_every_layer_and_the_packed_file_alone() -> None:
    before = keys(make_plan(recipe(test="true"), "apptainer"))
    after = keys(make_plan(recipe(test="false"), "apptainer"))
    assert [name for name in before if before[name] != after[name]] == ["test"]


def test_a_variable_reaches_the_commands_behind_it() -> None:
    before = keys(make_plan(recipe(variables={"A": "1"}), "apptainer"))
    after = keys(make_plan(recipe(variables={"A": "2"}), "apptainer"))
    changed = [name for name in before if before[name] != after[name]]
    assert changed == ["variables", "command-1", "command-2", "pack"]


def test_layers_of_different_runtimes_never_meet() -> None:
    apptainer, podman = make_plan(recipe(), "apptainer"), make_plan(recipe(), "podman")
    assert not set(keys(apptainer).values()) & set(keys(podman).values())


def test_a_file_counts_by_its_content() -> None:
    given = [EnvironmentFile("/opt/x", text="1")]
    other = [EnvironmentFile("/opt/x", text="2")]
    one, two = make_plan(recipe(files=given), "venv"), make_plan(recipe(files=other), "venv")
    assert keys(one)["files"] != keys(two)["files"]


def test_two_tags_of_one_digest_are_one_image() -> None:
    assert (
        recipe(base="docker://debian:12").identity == recipe(base="docker://debian:stable").identity
    )


@pytest.mark.parametrize(
    "changed",
    [
        replace(recipe(), base_digest="sha256:" + "b" * 64),
        replace(recipe(), lock="numpy==2.0\n"),
        replace(recipe(), platform="linux/arm64"),
        recipe(labels={"a": "b"}),
    ],
)
def test_base_lock_platform_and_every_field_are_part_of_the_identity(changed: Recipe) -> None:
    assert changed.identity != recipe().identity


def test_a_field_that_is_not_set_is_no_part_of_the_identity() -> None:
    assert environment_data(Environment(requirements=["numpy"])) == {"requirements": ["numpy"]}


def test_a_recipe_and_an_order_survive_json() -> None:
    full = recipe(files=[EnvironmentFile("/opt/x", digest=DIGEST, mode=0o755)])
    assert recipe_from(recipe_data(full)) == full
    order = order_from(
        {"name": "x", "build": {"environment": {"files": [{"to": "/a", "text": "b"}]}}}
    )
    assert order.build is not None
    assert order.build.environment.files == [EnvironmentFile("/a", "b")]
    assert order_from(order_data(order)) == order
    assert Order(name="x").build is None


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (Environment(system=["git"]), "need a container"),
        (Environment(files=[EnvironmentFile("/opt/x")]), "Without a container"),
        (Environment(variables={"A;rm -rf": "x"}), "cannot be set"),
        (Environment(base="docker://debian", variables={"A": "two\nlines"}), "cannot be set"),
        (Environment(base="docker://x y"), "names no base image"),
        (Environment(base="docker://debian", system=["git; rm -rf /"]), "not the name of a system"),
        (
            Environment(base="docker://debian", files=[EnvironmentFile("/opt/../etc/x")]),
            "not a valid path",
        ),
        (Environment(base="docker://debian", commands=["x\n" * 100_001]), "more than"),
    ],
)
def test_what_cannot_be_built_is_said_before_anything_runs(
    environment: Environment, words: str
) -> None:
    with pytest.raises(BadRequest, match=words):
        make_plan(Recipe(environment, DIGEST), "apptainer")


def test_a_recipe_of_ten_thousand_commands_keeps_few_layers() -> None:
    kept = [number for number in range(1, 10_001) if has_own_layer(number, 10_000)]
    assert len(kept) < 45
    assert kept[:24] == list(range(1, 25))
    assert kept[-1] == 10_000


def test_a_longer_recipe_finds_the_layers_of_a_shorter_one() -> None:
    short = {number for number in range(1, 60) if has_own_layer(number, 60)}
    long = {number for number in range(1, 60) if has_own_layer(number, 5000)}
    assert short == long


def test_ten_thousand_lines_are_planned() -> None:
    command = "\n".join(f"echo {number} >/dev/null" for number in range(10_000))
    plan = make_plan(recipe(commands=[command]), "apptainer")
    assert plan.step("command-1").script.count("\n") > 10_000


def test_an_unknown_step_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadRequest) as caught:
        make_plan(recipe(), "apptainer").step("system")
    assert "base, command-1, command-2, pack" in caught.value.hint


def test_a_command_is_called_by_what_it_does() -> None:
    command = "set +eu\nexport A=1\n# a remark\ncd /src\nmake install\nmake clean"
    plan = make_plan(Recipe(Environment(base="docker://a", commands=[command, "cd /x"])), "podman")
    assert [one.title for one in plan.steps if one.kind == "command"] == ["make install", "cd /x"]

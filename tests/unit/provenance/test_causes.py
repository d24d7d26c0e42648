from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from diamond.provenance.bodies import CodeUsed, FactsSeen, ImageUsed, InputUsed, TaskSubmitted
from diamond.provenance.causes import Witness, causes
from diamond.provenance.record import Record

SUBMITTED = TaskSubmitted(
    task="t1",
    job="j1",
    name="x",
    kind="run",
    spec={},
    order={"command": "python train.py", "resources": {"nodes": 1}, "launch": {"kind": "single"}},
    digest="sha256:0",
    diamond="0.1",
    code=CodeUsed(snapshot="sha256:" + "a" * 64),
    inputs=[InputUsed("era5", tree="sha256:" + "b" * 64)],
    params={"lr": 0.1, "seed": 0},
    seeds={"seed": "0"},
)
FACTS = FactsSeen(
    attempt="a1",
    run=1,
    cpu="EPYC",
    cores=64,
    python="3.11.7",
    libraries={"torch": "2.13.0"},
    settings={"threads": "4"},
)
IMAGE = ImageUsed(identity="sha256:i", sha256="sha256:f", format="squashfs")
SAME = Witness(
    Record((), submitted=SUBMITTED, facts=(FACTS,), image=IMAGE), inputs={"era5": {"a.csv": "1"}}
)


def changed(**changes: Any) -> Witness:
    """The same run with one thing otherwise."""
    witness = SAME
    if "submitted" in changes:
        submitted = replace(SUBMITTED, **changes["submitted"])
        witness = replace(witness, record=replace(witness.record, submitted=submitted))
    if "facts" in changes:
        facts = (replace(FACTS, **changes["facts"]),)
        witness = replace(witness, record=replace(witness.record, facts=facts))
    if "image" in changes:
        image = replace(IMAGE, **changes["image"])
        witness = replace(witness, record=replace(witness.record, image=image))
    rest = {name: changes[name] for name in ("inputs", "packages") if name in changes}
    return replace(witness, **rest)


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        ({"inputs": {"era5": {"a.csv": "2"}}}, "data", "era5/a.csv"),
        ({"submitted": {"inputs": [InputUsed("era5", tree="sha256:cc")]}}, "data", "era5"),
        ({"submitted": {"code": CodeUsed(snapshot="sha256:dd")}}, "code", "aaaaaaaaaaaa and dd"),
        ({"submitted": {"params": {"lr": 0.2, "seed": 0}}}, "params", "lr: 0.1 and 0.2"),
        ({"submitted": {"seeds": {"seed": "7"}}}, "seed", "seed: 0 and 7"),
        ({"image": {"sha256": "sha256:other"}}, "image", "f and other"),
        ({"facts": {"libraries": {"torch": "2.12.0"}}}, "library", "torch: 2.13.0 and 2.12.0"),
        ({"packages": {"numpy": "2.0"}}, "library", "numpy: none and 2.0"),
        (
            {"submitted": {"order": {**SUBMITTED.order, "resources": {"nodes": 2}}}},
            "launch",
            "nodes: 1 and 2",
        ),
        ({"facts": {"settings": {"threads": "8"}}}, "settings", "threads: 4 and 8"),
        ({"facts": {"cpu": "Xeon"}}, "hardware", "CPU: EPYC and Xeon"),
    ],
)
def test_what_differs_is_named(change: dict[str, Any], kind: str, text: str) -> None:
    named = causes(SAME, changed(**change))
    assert [each.kind for each in named] == [kind]
    assert text in named[0].text


def test_another_seed_in_the_command_is_a_seed_and_not_a_parameter() -> None:
    order = {**SUBMITTED.order, "command": "python train.py 7"}
    other = changed(submitted={"params": {"lr": 0.1, "seed": 7}, "seeds": {}, "order": order})
    assert [each.kind for each in causes(SAME, other)] == ["seed"]


def test_another_command_with_equal_parameters_is_named() -> None:
    other = changed(submitted={"order": {**SUBMITTED.order, "command": "python other.py"}})
    assert [each.text for each in causes(SAME, other)] == ["Parameters differ: the command"]


def test_the_most_telling_cause_comes_first() -> None:
    other = changed(
        inputs={"era5": {"a.csv": "2"}},
        submitted={"seeds": {"seed": "7"}},
        facts={"cpu": "Xeon", "libraries": {"torch": "2.12.0"}},
    )
    assert [each.kind for each in causes(SAME, other)] == ["data", "seed", "library", "hardware"]


def test_a_library_explains_another_image_file() -> None:
    other = changed(image={"sha256": "sha256:other"}, facts={"libraries": {"torch": "2.12.0"}})
    assert [each.kind for each in causes(SAME, other)] == ["library"]


def test_where_nothing_differs_only_chance_is_left() -> None:
    (cause,) = causes(SAME, SAME)
    assert cause.kind == "nondeterminism" and "or" not in cause.text.split("program")[1]


def test_what_was_not_recorded_is_said() -> None:
    bare = Witness(
        Record((), submitted=replace(SUBMITTED, params={}, seeds={}, inputs=[InputUsed("era5")]))
    )
    (cause,) = causes(bare, bare)
    for words in ("no version", "never set", "not recorded"):
        assert words in cause.text

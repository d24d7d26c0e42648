"""A record as a task leaves it, for tests without a service."""

from __future__ import annotations

from diamond.core.order import Order, OrderedTree, order_data
from diamond.provenance import entries as kinds
from diamond.provenance.bodies import (
    AttemptEnded,
    CodeUsed,
    FactsSeen,
    Gpu,
    ImageUsed,
    InputUsed,
    MetricsSeen,
    RunEnded,
    TaskEnded,
    TaskSubmitted,
    Value,
)
from diamond.provenance.entries import START, Draft, Entry, follow

HEX = "ab" * 32
ORDER = Order(
    name="digits",
    command="python train.py --lr 0.1",
    params={"lr": 0.1, "seed": 7},
    trees={"era5": OrderedTree(f"sha256:{HEX}")},
)


def sample_entries(task: str = "t234567891abc", name: str = "digits") -> list[Entry]:
    head, made = START, []
    for draft in sample_drafts(task, name):
        made.append(follow(head, draft))
        head = made[-1].head
    return made


def sample_drafts(task: str, name: str = "digits") -> list[Draft]:
    submitted = TaskSubmitted(
        task=task,
        job="j234567891abc",
        name=name,
        kind="run",
        spec={"name": name, "run": "python train.py --lr {lr}", "params": {"lr": 0.1, "seed": 7}},
        order=order_data(ORDER),
        digest=ORDER.digest,
        diamond="0.1",
        code=CodeUsed(snapshot=f"sha256:{HEX}", commit="c" * 40, files=1, bytes=10),
        inputs=[InputUsed("era5", f"sha256:{HEX}", "era5@v2"), InputUsed("notes")],
        params={"lr": 0.1, "seed": 7},
        seeds={"seed": "7"},
    )
    image = ImageUsed(
        f"sha256:{HEX}", HEX, "squashfs", "apptainer", "linux/amd64", "3.11", "python:3.11"
    )
    facts = FactsSeen("a1", 1, cpu="EPYC", gpus=[Gpu("A100", 40_000)], libraries={"torch": "2.13"})
    attempt = AttemptEnded(
        "a1", 1, queued=90.0, started=100.0, ended=160.0, exit_code=0, runs=[RunEnded(1, 100.0)]
    )
    ended = TaskEnded("succeeded", created=80.0, started=100.0, ended=160.0, attempts=1)
    return [
        Draft(kinds.SUBMITTED, 80.0, submitted, {"who": "ada", "endpoint": {"name": "alpha"}}),
        Draft(kinds.IMAGE, 80.0, image),
        Draft(kinds.FACTS, 110.0, facts, {"host": "n1"}),
        Draft(kinds.ATTEMPT, 160.0, attempt, {"nodes": ["n1"]}),
        Draft(kinds.ENDED, 160.0, ended),
        Draft(kinds.METRICS, 160.0, MetricsSeen({"loss": Value(0.25, 0.25, 1.0, 3)})),
    ]

"""Compute nodes without internet: libraries are told not to wait for hubs, unless the person says otherwise."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from support.launching import corrected, launch
from support.stack import Stack

TELL = 'echo "${HF_HUB_OFFLINE--} ${TRANSFORMERS_OFFLINE--} ${HF_DATASETS_OFFLINE--} ${WANDB_MODE--}" >told.${RANK-0}'
PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"
NO_INTERNET = {"login": True, "compute": False}


def told(stack: Stack, task: str) -> list[str]:
    stack.until(task, "succeeded")
    return [file.read_text().strip() for file in stack.run_dir(task).glob("told.*")]


def tell(stack: Stack, kind: str, **variables: str) -> str:
    nodes, tasks = (1, 1) if kind == "single" else (1, 2)
    environment: Any = {"variables": {"PATH": PATH, **variables}}
    return launch(stack, TELL, kind=kind, nodes=nodes, tasks=tasks, environment=environment)


@pytest.mark.parametrize(("kind", "ranks"), [("single", 1), ("per-rank", 2), ("torchrun", 2)])
def test_every_rank_hears_that_there_are_no_hubs(stack: Stack, kind: str, ranks: int) -> None:
    with corrected(stack, internet=NO_INTERNET):
        task = tell(stack, kind)
        assert told(stack, task) == ["1 1 1 offline"] * ranks


def test_what_the_person_sets_wins(stack: Stack) -> None:
    with corrected(stack, internet=NO_INTERNET):
        task = tell(stack, "per-rank", HF_HUB_OFFLINE="0", WANDB_MODE="online")
        assert told(stack, task) == ["0 1 1 online"] * 2


@pytest.mark.parametrize("compute", [True, None])
def test_nothing_is_set_where_nodes_reach_the_hubs_or_nobody_knows(
    stack: Stack, compute: bool | None
) -> None:
    with corrected(stack, internet={"login": True, "compute": compute}):
        assert told(stack, tell(stack, "per-rank")) == ["- - - -"] * 2

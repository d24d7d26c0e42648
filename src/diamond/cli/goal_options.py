"""What `diamond plan` and `diamond run` are told of how much is to be trained, and how fast that goes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from diamond.cli.options import complete_task

Steps = Annotated[int | None, typer.Option("--steps", help="Plan: steps to train.")]
Epochs = Annotated[
    float | None, typer.Option("--epochs", help="In place of --steps; with the next two.")
]
Samples = Annotated[int | None, typer.Option("--samples", help="Samples of an epoch.")]
Batch = Annotated[int | None, typer.Option("--batch", help="Samples of one step over all ranks.")]
StepSeconds = Annotated[
    float | None, typer.Option("--step-seconds", help="Plan: how long a step takes.")
]
Like = Annotated[
    str | None,
    typer.Option(
        "--like",
        metavar="TASK",
        help="Or a task, or a scale, whose log tells the pace.",
        autocompletion=complete_task,
    ),
]
SaveSeconds = Annotated[
    float | None, typer.Option("--save-seconds", help="Plan: what one checkpoint costs.")
]
SaveGigabytes = Annotated[
    float | None, typer.Option("--save-gigabytes", help="Plan: how large one checkpoint is.")
]
StartupSeconds = Annotated[
    float | None, typer.Option("--startup-seconds", help="Plan: from the nodes to the first step.")
]
SaveEverySeconds = Annotated[
    float | None, typer.Option("--save-every-seconds", help="Plan: in place of the best interval.")
]


def given_goal(goal: dict[str, Any]) -> dict[str, Any]:
    """What was said of it; empty if nothing was."""
    return {name: value for name, value in goal.items() if value is not None}

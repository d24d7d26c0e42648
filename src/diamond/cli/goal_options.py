"""The training goal and the pace, as options of `diamond plan` and `diamond run`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from diamond.cli.options import complete_task


@dataclass(frozen=True)
class GoalOptions:
    """How much to train, and how fast that goes."""

    steps: Annotated[int | None, typer.Option("--steps", help="Plan: steps to train.")] = None
    epochs: Annotated[
        float | None,
        typer.Option("--epochs", help="Instead of --steps, with --samples and --batch."),
    ] = None
    samples: Annotated[int | None, typer.Option("--samples", help="Samples per epoch.")] = None
    batch: Annotated[
        int | None, typer.Option("--batch", help="Samples per step over all ranks.")
    ] = None
    step_seconds: Annotated[
        float | None, typer.Option("--step-seconds", help="Plan: duration of one step.")
    ] = None
    like: Annotated[
        str | None,
        typer.Option(
            "--like",
            metavar="TASK",
            help="Or a task or a scale that measured the pace.",
            autocompletion=complete_task,
        ),
    ] = None
    save_seconds: Annotated[
        float | None, typer.Option("--save-seconds", help="Plan: duration of one checkpoint.")
    ] = None
    save_gigabytes: Annotated[
        float | None, typer.Option("--save-gigabytes", help="Plan: size of one checkpoint.")
    ] = None
    startup_seconds: Annotated[
        float | None,
        typer.Option("--startup-seconds", help="Plan: time from getting nodes to the first step."),
    ] = None
    save_every_seconds: Annotated[
        float | None,
        typer.Option("--save-every-seconds", help="Plan: checkpoint interval; default: the best."),
    ] = None

    def given(self) -> dict[str, Any]:
        """The options that were given; empty without a goal."""
        return {name: value for name, value in asdict(self).items() if value is not None}

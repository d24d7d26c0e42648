"""`diamond lab`: real Slurm clusters on one machine, with its own argument parser."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

app = typer.Typer(rich_markup_mode=None)
ARGUMENTS = "diamond.lab"


class PassThrough(TyperCommand):
    """Passes on all arguments, including `--` and --help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = list(args)
        return super().parse_args(ctx, [])


@app.command(cls=PassThrough)
def lab(ctx: typer.Context) -> None:
    """Start and break real Slurm clusters on this machine: up, env, run, break, status, down."""
    from diamond.testing.lab.commands import main

    raise typer.Exit(main(ctx.meta[ARGUMENTS] or ["--help"]))

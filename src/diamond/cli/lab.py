"""`diamond lab`: real Slurm clusters on one machine; its words are its own."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

app = typer.Typer(rich_markup_mode=None)
WORDS = "diamond.lab"


class AsTyped(TyperCommand):
    """Hands every word on, also `--` and --help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = list(args)
        return super().parse_args(ctx, [])


@app.command(cls=AsTyped)
def lab(ctx: typer.Context) -> None:
    """Start and break real Slurm clusters on this machine: up, env, run, break, status, down."""
    from diamond.testing.lab.commands import main

    raise typer.Exit(main(ctx.meta[WORDS] or ["--help"]))

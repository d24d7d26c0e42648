"""`diamond lab`: real Slurm clusters on one machine; its words are its own."""

from __future__ import annotations

import typer

app = typer.Typer(rich_markup_mode=None)


@app.command(
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    }
)
def lab(ctx: typer.Context) -> None:
    """Start and break real Slurm clusters on this machine: up, env, run, break, status, down."""
    from diamond.testing.lab.commands import main

    raise typer.Exit(main(ctx.args or ["--help"]))

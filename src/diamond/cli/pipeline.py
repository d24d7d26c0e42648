"""`diamond pipeline`: look at pipelines, cancel them, retry what failed."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from diamond.cli.format import short_id, time_ago
from diamond.cli.options import Json, WaitForEnd
from diamond.cli.output import print_json, print_table
from diamond.cli.pipeline_format import counts_text, pipeline_lines, progress_lines
from diamond.cli.progress_lines import say_new_lines
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client

NOT_SUCCEEDED = 1
app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Stages that pass their results on to the next.",
)
PipelineId = Annotated[str, typer.Argument(metavar="PIPELINE", help="Its id, or a unique prefix.")]
NewestPipeline = Annotated[
    str | None,
    typer.Argument(metavar="PIPELINE", help="Its id or a unique prefix; default: the newest."),
]


@app.command(name="list")
def list_pipelines(as_json: Json = False) -> None:
    """List pipelines, newest first."""
    items = list(Client().pipelines(limit=50))
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (
            short_id(one["id"]),
            one["name"],
            one["state"],
            counts_text(one["counts"]),
            time_ago(one["created"]),
        )
        for one in items
    ]
    print_table(("PIPELINE", "NAME", "STATE", "STEPS", "STARTED"), rows)


@app.command()
def show(pipeline: NewestPipeline = None, wait: WaitForEnd = False, as_json: Json = False) -> None:
    """Show the stages of a pipeline. With --wait the exit code is 0 if it succeeded."""
    client = Client()
    chosen = client.pipeline(pipeline) if pipeline else _newest(client)
    if wait:
        follow_pipeline(client, chosen, as_json=as_json)
        return
    print_pipeline(chosen, as_json=as_json)


@app.command()
def cancel(pipeline: PipelineId, as_json: Json = False) -> None:
    """Cancel a pipeline: its tasks end, and nothing new starts."""
    print_pipeline(Client().cancel_pipeline(pipeline), as_json=as_json)


@app.command()
def retry(
    pipeline: PipelineId,
    stages: Annotated[
        list[str] | None,
        typer.Argument(metavar="STAGE", help="Default: everything that did not succeed."),
    ] = None,
    wait: WaitForEnd = False,
    as_json: Json = False,
) -> None:
    """Run what failed again, and what was stopped behind it. What is done stays."""
    client = Client()
    open_again = client.retry_pipeline(pipeline, stages or [])
    if wait:
        follow_pipeline(client, open_again, as_json=as_json)
        return
    print_pipeline(open_again, as_json=as_json)


@app.command()
def again(
    pipeline: PipelineId,
    force: Annotated[
        list[str] | None,
        typer.Option("--force", metavar="STAGE", help="Run this stage even if it was done before."),
    ] = None,
    start_from: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="STAGE", help="The same, with all that depend on it."),
    ] = None,
    wait: WaitForEnd = False,
    as_json: Json = False,
) -> None:
    """Run the same spec and code as a new pipeline. What is done is not repeated."""
    client = Client()
    made = client.run_pipeline_again(pipeline, force=force or [], start_from=start_from or [])
    if wait:
        follow_pipeline(client, made, as_json=as_json)
        return
    print_pipeline(made, as_json=as_json)


def follow_pipeline(client: Client, pipeline: dict[str, Any], *, as_json: bool) -> None:
    """Until its end; exits with 1 unless it succeeded."""
    ended = client.wait_pipeline(pipeline["id"], say_new_lines(progress_lines))
    print_pipeline(ended, as_json=as_json)
    if ended["state"] != "succeeded":
        raise typer.Exit(NOT_SUCCEEDED)


def print_pipeline(pipeline: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(pipeline)
        return
    for line in pipeline_lines(pipeline):
        print(line)


def _newest(client: Client) -> dict[str, Any]:
    for one in client.pipelines(limit=1):
        return client.pipeline(one["id"])
    raise BadRequest("There is no pipeline yet", "Submit one: diamond run diamond.yaml")

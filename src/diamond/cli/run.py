"""`diamond run`: a spec, or any command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from diamond.cli.check_format import check_lines
from diamond.cli.format import short_id
from diamond.cli.goal_options import (
    Batch,
    Epochs,
    Like,
    Samples,
    SaveEverySeconds,
    SaveGigabytes,
    SaveSeconds,
    StartupSeconds,
    Steps,
    StepSeconds,
    given_goal,
)
from diamond.cli.options import Json, complete_endpoint
from diamond.cli.output import print_json, say
from diamond.cli.wait import wait_for_job
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client, read_spec
from diamond.sdk.models import Job
from diamond.sdk.specs import with_fields

app = typer.Typer(rich_markup_mode=None)
WORDS = "diamond.words"


class CommandAfterDashes(TyperCommand):
    """Takes the words after `--` aside before options are read, so that they stay as typed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.meta[WORDS] = args[at + 1 :]
            args = args[:at]
        return super().parse_args(ctx, args)


@app.command(cls=CommandAfterDashes)
def run(
    ctx: typer.Context,
    specs: Annotated[
        list[str] | None,
        typer.Argument(metavar="SPEC | -- COMMAND", help="A diamond.yaml, or a command after --."),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on", help="Endpoint, or endpoint/partition.", autocompletion=complete_endpoint
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter or a field."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", "-w", help="Stay until it has ended.")] = False,
    name: Annotated[str | None, typer.Option("--name", help="What to call it.")] = None,
    nodes: Annotated[str | None, typer.Option("--nodes", help="A number, or auto.")] = None,
    gpus: Annotated[int | None, typer.Option("--gpus", help="GPUs per node.")] = None,
    cpus: Annotated[int | None, typer.Option("--cpus", help="CPUs per task.")] = None,
    tasks: Annotated[int | None, typer.Option("--tasks", help="Processes per node.")] = None,
    launch: Annotated[
        str | None, typer.Option("--launch", help="Such as torchrun, per-rank or mpi.")
    ] = None,
    memory: Annotated[str | None, typer.Option("--memory", help="Per node, such as 4GB.")] = None,
    time: Annotated[str | None, typer.Option("--time", help="Such as 30m or 2h.")] = None,
    account: Annotated[
        str | None, typer.Option("--account", help="The allocation that pays.")
    ] = None,
    partition: Annotated[str | None, typer.Option("--partition")] = None,
    qos: Annotated[str | None, typer.Option("--qos")] = None,
    steps: Steps = None,
    epochs: Epochs = None,
    samples: Samples = None,
    batch: Batch = None,
    step_seconds: StepSeconds = None,
    like: Like = None,
    save_seconds: SaveSeconds = None,
    save_gigabytes: SaveGigabytes = None,
    startup_seconds: StartupSeconds = None,
    save_every_seconds: SaveEverySeconds = None,
    project: Annotated[
        str, typer.Option("--project", help="Whose members see it; its name or id.")
    ] = "",
    sign: Annotated[
        bool | None,
        typer.Option("--sign/--no-sign", help="With your key; default: if you have one."),
    ] = None,
    no_code: Annotated[bool, typer.Option("--no-code", help="Send no code along.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only say what would run.")] = False,
    script: Annotated[
        bool, typer.Option("--script", help="With --check: the batch script too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a spec or a command, here or on a cluster.

    What is said for a plan is that of `diamond plan`: it stands on the task's page beside what happens.
    With --wait the exit code is the program's: 128+n for a signal, 124 for the time limit, 130 when
    cancelled, 125 for anything else. Ctrl-C then leaves the task running.
    """
    fields = {
        "name": name,
        "resources.nodes": nodes,
        "resources.gpus_per_node": gpus,
        "resources.cpus_per_task": cpus,
        "resources.memory": memory,
        "resources.walltime": time,
        "account": account,
        "partition": partition,
        "qos": qos,
        "launch": launch,
        "resources.tasks_per_node": tasks,
    }
    goal = {
        "steps": steps,
        "epochs": epochs,
        "samples": samples,
        "batch": batch,
        "step_seconds": step_seconds,
        "like": like,
        "save_seconds": save_seconds,
        "save_gigabytes": save_gigabytes,
        "startup_seconds": startup_seconds,
        "save_every_seconds": save_every_seconds,
    }
    spec, folder = read_spec(_asked_for(specs or [], ctx.meta.get(WORDS)))
    spec = with_fields(spec, {key: value for key, value in fields.items() if value is not None})
    client = Client()
    if check or script:
        answer = client.check(
            spec,
            on=on,
            set=settings or [],
            script=script,
            folder=folder,
            with_code=not no_code,
            project=project,
        )
        _tell_checked(answer, as_json=as_json)
        return
    job = client.run(
        spec,
        on=on,
        set=settings or [],
        folder=folder,
        with_code=not no_code,
        goal=given_goal(goal) or None,
        project=project,
        sign=_signs(sign),
        say=(lambda words: None) if as_json else say,
    )
    _warn(job)
    if wait:
        raise typer.Exit(wait_for_job(client, job, as_json=as_json))
    print_job(job, as_json=as_json)


def _signs(wanted: bool | None) -> bool:
    from diamond.sdk.signing_key import has_key

    return has_key() if wanted is None else wanted


def _asked_for(specs: list[str], command: list[str] | None) -> str | list[str]:
    """One word is a spec; words after -- are a command, whatever they look like."""
    if command and not specs:
        return command
    if len(specs) == 1 and not command:
        return specs[0]
    if not specs and command is None and Path("diamond.yaml").is_file():
        return "diamond.yaml"
    typed = " ".join([*specs, *(command or [])]) or "python train.py"
    raise BadRequest(
        "It is not clear what to run",
        f"Name one spec (diamond run diamond.yaml), or a command after --: diamond run -- {typed}",
    )


def _warn(job: Job) -> None:
    for words in job.warnings:
        say(words)


def _tell_checked(answer: dict[str, Any], *, as_json: bool) -> None:
    """Nothing was asked for; the faults, if any, were told as an error."""
    if as_json:
        print_json(answer)
        return
    for line in check_lines(answer):
        print(line)
    if answer.get("script"):
        print(f"\n{answer['script']}")
    for words in answer["warnings"]:
        say(f"Warning: {words}")
    say("Nothing is wrong with it, and nothing was sent. To run it: the same without --check.")


def print_job(job: Job, *, as_json: bool) -> None:
    if as_json:
        print_json({"job": _plain(job), "tasks": [dict(task.raw) for task in job.tasks]})
        return
    task = job.task
    print(f"{task.name} is task {task.id} on {task.endpoint}")
    print(f"Follow it: diamond logs -f {short_id(task.id)}")


def _plain(job: Job) -> dict[str, Any]:
    return {key: value for key, value in job.raw.items() if key != "warnings"}

"""`diamond run`: submit a spec or any command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from diamond.cli.check_format import check_lines
from diamond.cli.format import short_id
from diamond.cli.goal_options import GoalOptions
from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, TargetOptions, WaitForEnd
from diamond.cli.output import print_json, say
from diamond.cli.wait import wait_for_job
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client, read_spec
from diamond.sdk.models import Job
from diamond.sdk.specs import with_fields

app = typer.Typer(rich_markup_mode=None)
COMMAND = "diamond.command"


class CommandAfterDashes(TyperCommand):
    """Sets the arguments after `--` aside before options are parsed, so they stay as typed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.meta[COMMAND] = args[at + 1 :]
            args = args[:at]
        return super().parse_args(ctx, args)


@dataclass(frozen=True)
class FieldOptions:
    """Options that set a field of the spec."""

    name: Annotated[str | None, typer.Option("--name", help="Name of the job.")] = None
    nodes: Annotated[str | None, typer.Option("--nodes", help="A number, or auto.")] = None
    gpus: Annotated[int | None, typer.Option("--gpus", help="GPUs per node.")] = None
    cpus: Annotated[int | None, typer.Option("--cpus", help="CPUs per task.")] = None
    tasks: Annotated[int | None, typer.Option("--tasks", help="Processes per node.")] = None
    launch: Annotated[
        str | None, typer.Option("--launch", help="Such as torchrun, per-rank or mpi.")
    ] = None
    memory: Annotated[str | None, typer.Option("--memory", help="Per node, such as 4GB.")] = None
    time: Annotated[str | None, typer.Option("--time", help="Such as 30m or 2h.")] = None
    account: Annotated[str | None, typer.Option("--account", help="The account that pays.")] = None
    partition: Annotated[str | None, typer.Option("--partition")] = None
    qos: Annotated[str | None, typer.Option("--qos")] = None

    def given(self) -> dict[str, Any]:
        """The values that were given, by the full name of their field."""
        fields = {
            "name": self.name,
            "resources.nodes": self.nodes,
            "resources.gpus_per_node": self.gpus,
            "resources.cpus_per_task": self.cpus,
            "resources.memory": self.memory,
            "resources.walltime": self.time,
            "account": self.account,
            "partition": self.partition,
            "qos": self.qos,
            "launch": self.launch,
            "resources.tasks_per_node": self.tasks,
        }
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True)
class SubmitOptions:
    """How a spec is submitted, or only checked."""

    project: Annotated[
        str, typer.Option("--project", help="Share with this project; its name or id.")
    ] = ""
    sign: Annotated[
        bool | None,
        typer.Option("--sign/--no-sign", help="Sign with your key; default: if you have one."),
    ] = None
    no_code: Annotated[bool, typer.Option("--no-code", help="Upload no code.")] = False
    check: Annotated[bool, typer.Option("--check", help="Only show what would run.")] = False
    script: Annotated[
        bool, typer.Option("--script", help="With --check: show the batch script too.")
    ] = False

    @property
    def only_check(self) -> bool:
        return self.check or self.script

    def should_sign(self) -> bool:
        from diamond.sdk.signing_key import has_key

        return has_key() if self.sign is None else self.sign


@dataclass(frozen=True)
class PipelineOptions:
    """For a spec with `pipeline:`."""

    force: Annotated[
        list[str] | None,
        typer.Option("--force", metavar="STAGE", help="Run this stage even if it was done before."),
    ] = None
    start_from: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="STAGE", help="The same, with all that depend on it."),
    ] = None


@app.command(cls=CommandAfterDashes)
@option_groups
def run(
    ctx: typer.Context,
    specs: Annotated[
        list[str] | None,
        typer.Argument(metavar="SPEC | -- COMMAND", help="A diamond.yaml, or a command after --."),
    ] = None,
    *,
    target: TargetOptions,
    wait: WaitForEnd = False,
    fields: FieldOptions,
    goal: GoalOptions,
    submit: SubmitOptions,
    pipeline: PipelineOptions,
    as_json: Json = False,
) -> None:
    """Run a spec or a command, here or on a cluster.

    In the command, {lr} is the param lr, {lr:--lr %} is left out if that is empty, and {resume:--resume %}
    appears only when there is a checkpoint (--set continue.from=ckpt.pt).
    The plan options are those of `diamond plan`; the task's page shows the plan next to what happens.
    A spec with a `study:` block starts a study; `diamond study` follows it.
    With --wait the exit code is the program's: 128+n for a signal, 124 for the time limit, 130 when
    cancelled, 125 for anything else. Ctrl-C then leaves the task running.
    """
    given = _spec_or_command(specs or [], ctx.meta.get(COMMAND))
    spec, folder = read_spec(given)
    spec = with_fields(spec, fields.given())
    if "pipeline" in spec:
        _run_pipeline(spec, folder, given, target, submit, pipeline, wait=wait, as_json=as_json)
        return
    if pipeline.force or pipeline.start_from:
        raise BadRequest(
            "--force and --from are for pipelines", "This spec has no pipeline: block."
        )
    if submit.only_check:
        _check(spec, folder, target, submit, as_json=as_json)
        return
    client = Client()
    if spec.get("study"):
        _start_study(client, spec, folder, target, submit, wait=wait, as_json=as_json)
        return
    job = client.run(
        spec,
        on=target.on,
        set=target.settings or [],
        folder=folder,
        with_code=not submit.no_code,
        goal=goal.given() or None,
        project=submit.project,
        sign=submit.should_sign(),
        say=(lambda message: None) if as_json else say,
    )
    for warning in job.warnings:
        say(warning)
    if wait:
        raise typer.Exit(wait_for_job(client, job, as_json=as_json))
    print_job(job, as_json=as_json)


def _start_study(
    client: Client,
    spec: dict[str, Any],
    folder: Path,
    target: TargetOptions,
    submit: SubmitOptions,
    *,
    wait: bool,
    as_json: bool,
) -> None:
    """A spec with a `study:` block is a search: many trials instead of one task."""
    from diamond.cli.study import follow

    study = client.study(
        spec,
        on=target.on,
        set=target.settings or [],
        folder=folder,
        with_code=not submit.no_code,
        project=submit.project,
        say=(lambda message: None) if as_json else say,
    )
    for warning in study.raw["warnings"]:
        say(warning)
    if wait:
        follow(study, as_json=as_json)
        return
    if as_json:
        print_json(dict(study.raw))
        return
    print(
        f"{study.name} is study {study.id}: {study.raw['trials']} trials on {', '.join(study.raw['on'])}"
    )
    print(f"Follow it: diamond study show {short_id(study.id)} --wait")


def _run_pipeline(
    spec: dict[str, Any],
    folder: Path,
    given: str | list[str],
    target: TargetOptions,
    submit: SubmitOptions,
    options: PipelineOptions,
    *,
    wait: bool,
    as_json: bool,
) -> None:
    from diamond.cli.pipeline import follow_pipeline, print_pipeline

    if submit.script:
        raise BadRequest("A pipeline has no script of its own", "Use --check to find its faults.")
    client = Client()
    answer = client.run_pipeline(
        spec,
        on=target.on,
        set=target.settings or [],
        force=options.force or [],
        start_from=options.start_from or [],
        folder=folder,
        spec_file=given if isinstance(given, str) else "",
        with_code=not submit.no_code,
        project=submit.project,
        only_check=submit.only_check,
        say=(lambda message: None) if as_json else say,
    )
    for warning in answer["warnings"]:
        say(f"Warning: {warning}")
    if submit.only_check:
        print_json(answer) if as_json else print(" → ".join(answer["stages"]))
        say("The pipeline is valid. Nothing was submitted.")
    elif wait:
        follow_pipeline(client, answer, as_json=as_json)
    else:
        print_pipeline(answer, as_json=as_json)
        say(f"Follow it: diamond pipeline show {short_id(answer['id'])} --wait")


def print_job(job: Job, *, as_json: bool) -> None:
    if as_json:
        print_json({"job": _without_warnings(job), "tasks": [dict(task.raw) for task in job.tasks]})
        return
    task = job.task
    print(f"{task.name} is task {task.id} on {task.endpoint}")
    print(f"Follow it: diamond logs -f {short_id(task.id)}")


def _spec_or_command(specs: list[str], command: list[str] | None) -> str | list[str]:
    """One argument is a spec; everything after -- is a command."""
    if command and not specs:
        return command
    if len(specs) == 1 and not command:
        return specs[0]
    if not specs and command is None and Path("diamond.yaml").is_file():
        return "diamond.yaml"
    typed = " ".join([*specs, *(command or [])]) or "python train.py"
    raise BadRequest(
        "Nothing to run was given" if not specs and not command else "Too many arguments",
        f"Give one spec (diamond run diamond.yaml), or a command after --: diamond run -- {typed}",
    )


def _check(
    spec: dict[str, Any],
    folder: Path,
    target: TargetOptions,
    submit: SubmitOptions,
    *,
    as_json: bool,
) -> None:
    """Print what would run; faults are raised as an error."""
    answer = Client().check(
        spec,
        on=target.on,
        set=target.settings or [],
        script=submit.script,
        folder=folder,
        with_code=not submit.no_code,
        project=submit.project,
    )
    if as_json:
        print_json(answer)
        return
    for line in check_lines(answer):
        print(line)
    if answer.get("script"):
        print(f"\n{answer['script']}")
    for note in answer.get("notes") or []:
        say(f"Note: {note}")
    for warning in answer["warnings"]:
        say(f"Warning: {warning}")
    say("The spec is valid. Nothing was submitted: run the same command without --check to do it.")


def _without_warnings(job: Job) -> dict[str, Any]:
    return {key: value for key, value in job.raw.items() if key != "warnings"}

"""`diamond study`: follow and steer searches over the params of a spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from diamond.cli.format import short_id, time_ago
from diamond.cli.options import Json, WaitForEnd
from diamond.cli.output import print_json, print_table, say
from diamond.cli.study_format import params_text, progress_line, study_lines, value_text
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client
from diamond.sdk.studies import Study

app = typer.Typer(rich_markup_mode=None, help="Searches for the best parameters of a spec.")
StudyId = Annotated[
    str, typer.Argument(metavar="STUDY", help="Its id, a unique prefix, or its name.")
]
MaybeStudy = Annotated[
    str | None,
    typer.Argument(
        metavar="STUDY", help="Its id, a unique prefix or its name; default: the newest."
    ),
]
TrialNumber = Annotated[int, typer.Argument(metavar="TRIAL", help="Its number.")]
NOT_DONE = 1


@app.command(name="list")
def list_studies(as_json: Json = False) -> None:
    """List studies, newest first. Start one with `diamond run` and a spec that has a `study:` block."""
    studies = list(Client().studies(limit=50))
    if as_json:
        print_json({"items": [dict(study.raw) for study in studies], "next": None})
        return
    rows = [
        (
            short_id(study.id),
            study.name,
            study.state,
            f"{_ended(study)}/{study.raw['trials']}",
            value_text(study.best),
            params_text(study.best),
            time_ago(study.raw["created"]),
        )
        for study in studies
    ]
    print_table(("STUDY", "NAME", "STATE", "TRIALS", "BEST", "PARAMS", "STARTED"), rows)


@app.command()
def show(study: MaybeStudy = None, wait: WaitForEnd = False, as_json: Json = False) -> None:
    """Show a study: the best point, how far it is, and what it cost."""
    found = _find(study)
    if wait:
        follow(found, as_json=as_json)
        return
    _print(found, as_json=as_json)


@app.command()
def trials(
    study: MaybeStudy = None,
    state: Annotated[
        list[str] | None, typer.Option("--state", help="Such as complete or pruned; repeatable.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1)] = 50,
    as_json: Json = False,
) -> None:
    """List the trials of a study, newest first."""
    found = list(_find(study).trials(state=state or (), limit=limit))
    if as_json:
        print_json({"items": found, "next": None})
        return
    rows = [
        (
            str(trial["number"]),
            trial["state"],
            value_text(trial),
            params_text(trial),
            trial["endpoint"],
            short_id(trial["task"]) if trial["task"] else "",
            trial["message"],
        )
        for trial in found
    ]
    print_table(("TRIAL", "STATE", "VALUE", "PARAMS", "ENDPOINT", "TASK", "MESSAGE"), rows)


@app.command()
def best(study: MaybeStudy = None, as_json: Json = False) -> None:
    """Show the best point; with several objectives, all that no other trial beats."""
    found = _find(study).refresh()
    shown = found.front or ([found.best] if found.best else [])
    if as_json:
        print_json({"items": shown})
        return
    if not shown:
        say("No trial is complete yet.")
    for trial in shown:
        print(f"trial {trial['number']}: {value_text(trial)} with {params_text(trial)}")
        print(
            f"  task {trial['task']}: diamond show {short_id(trial['task'])}"
            if trial["task"]
            else ""
        )


@app.command()
def importances(
    study: MaybeStudy = None,
    objective: Annotated[str, typer.Option("--objective", help="Default: the first.")] = "",
    method: Annotated[str, typer.Option("--method", help="ped-anova or fanova.")] = "ped-anova",
    as_json: Json = False,
) -> None:
    """Show which params matter most for the objective."""
    shares = _find(study).importances(objective, method)
    if as_json:
        print_json(shares)
        return
    if not shares:
        say("Not known yet: it needs four complete trials with different values.")
        return
    print_table(("PARAM", "SHARE"), [(name, f"{share:.0%}") for name, share in shares.items()])


@app.command()
def pause(study: StudyId, as_json: Json = False) -> None:
    """Start no more trials; those that run continue."""
    _print(_find(study).pause(), as_json=as_json)


@app.command()
def resume(study: StudyId, as_json: Json = False) -> None:
    """Continue a study that is paused."""
    _print(_find(study).resume(), as_json=as_json)


@app.command()
def cancel(study: StudyId, as_json: Json = False) -> None:
    """End a study and all its trials."""
    _print(_find(study).cancel(), as_json=as_json)


@app.command(name="raise")
def raise_limits(
    study: StudyId,
    trials: Annotated[int | None, typer.Option("--trials", help="In all.")] = None,
    budget: Annotated[str, typer.Option("--budget", help="Such as '40 node-hours'.")] = "",
    parallel: Annotated[int | None, typer.Option("--parallel", help="At the same time.")] = None,
    as_json: Json = False,
) -> None:
    """Allow more trials, node-hours or trials at the same time; a study that is done continues."""
    if trials is None and parallel is None and not budget:
        raise BadRequest("Nothing to change", "Give --trials, --budget or --parallel.")
    changed = _find(study).raise_limits(trials=trials, budget=budget, parallel=parallel)
    _print(changed, as_json=as_json)


@app.command()
def add(
    study: StudyId,
    points: Annotated[
        list[str], typer.Argument(metavar="POINT…", help="Such as lr=0.01,width=64 or JSON.")
    ],
    as_json: Json = False,
) -> None:
    """Add points to try before the sampler's own."""
    _print(_find(study).add_points([_point(text) for text in points]), as_json=as_json)


@app.command()
def stop(study: StudyId, trial: TrialNumber, as_json: Json = False) -> None:
    """Stop one trial; it counts as pruned."""
    _print(_find(study).stop_trial(trial), as_json=as_json)


@app.command()
def register(
    study: MaybeStudy = None,
    model: Annotated[
        str, typer.Option("--model", help="Its name; default: the name of the study.")
    ] = "",
    trial: Annotated[int | None, typer.Option("--trial", help="Default: the best.")] = None,
    as_json: Json = False,
) -> None:
    """Make the results of the best trial a new version of a model. Nothing is copied."""
    version = _find(study).register(model, trial=trial)
    if as_json:
        print_json(version)
        return
    print(f"{version['model']}@v{version['number']}: {version['note']}")


@app.command()
def export(
    study: StudyId,
    place: Annotated[
        str | None,
        typer.Argument(metavar="PLACE", help="A .csv file, or Optuna's storage: a file or URL."),
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Of the study in Optuna's storage.")] = "",
    as_json: Json = False,
) -> None:
    """Write the trials as CSV, or as a study of Optuna. Without PLACE they are printed."""
    found = _find(study)
    if place is None and as_json:
        print_json(found.portable())
        return
    if place is None:
        print(found.csv(), end="")
        return
    if place.endswith(".csv"):
        Path(place).write_text(found.csv(), encoding="utf-8")
    else:
        from diamond.sdk.optuna_exchange import write_study

        write_study(found.portable(), place, name)
    if as_json:
        print_json({"study": found.id, "place": place})
    else:
        say(f"Wrote the trials to {place}")


@app.command(name="import")
def import_study(
    place: Annotated[str, typer.Argument(metavar="PLACE", help="Optuna's storage: a file or URL.")],
    name: Annotated[str, typer.Option("--name", help="Which study, if it has several.")] = "",
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="Name of an objective; repeatable.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Import a study of Optuna: to look at, or to learn from (`study: {from: [NAME]}`)."""
    from diamond.sdk.optuna_exchange import read_study

    found = read_study(place, name, metrics=tuple(metric or ()))
    _print(Client().import_study(found), as_json=as_json)


def follow(study: Study, *, as_json: bool) -> None:
    """Until it has ended or asks; exits with 1 unless it is done."""
    printed: set[str] = set()

    def print_progress(now: Study) -> None:
        line = progress_line(now)
        if line not in printed:
            printed.add(line)
            say(line)

    ended = study.wait(on_change=print_progress)
    _print(ended, as_json=as_json)
    if ended.state != "done":
        raise typer.Exit(NOT_DONE)


def _print(study: Study, *, as_json: bool) -> None:
    if as_json:
        print_json(dict(study.raw))
        return
    for line in study_lines(study):
        print(line)


def _find(study: str | None) -> Study:
    client = Client()
    if study:
        return client.get_study(study)
    for newest in client.studies(limit=1):
        return newest.refresh()
    raise BadRequest(
        "There is no study yet", "Start one: diamond run with a spec that has a `study:` block."
    )


def _ended(study: Study) -> int:
    counts = study.counts
    return counts["complete"] + counts["pruned"] + counts["failed"]


def _point(text: str) -> dict[str, Any]:
    if text.startswith("{"):
        try:
            return dict(json.loads(text))
        except ValueError:
            raise BadRequest(f"{text!r} is not JSON") from None
    point: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals:
            raise BadRequest(f"{part!r} is not NAME=VALUE", "Write, for example: lr=0.01,width=64")
        try:
            point[name.strip()] = json.loads(value)
        except ValueError:
            point[name.strip()] = value
    return point

"""`diamond model`: versions of trained models, their aliases and cards."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from diamond.cli.byte_progress import ByteProgress
from diamond.cli.format import time_ago, timestamp
from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, TargetOptions, TaskId, Yes
from diamond.cli.output import plural, print_json, print_table, say
from diamond.cli.transfer_progress import TransferProgress
from diamond.core.errors import BadRequest, DiamondError
from diamond.core.references import read_reference
from diamond.core.units import show_bytes
from diamond.sdk.client import Client

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Models: versions, aliases and cards of what was trained.",
)
SHOWN_VERSIONS = 10


def complete_model(incomplete: str) -> Iterator[tuple[str, str]]:
    try:
        for model in Client().models(limit=50):
            if str(model["name"]).startswith(incomplete):
                yield model["name"], model["description"]
    except DiamondError:
        return


ModelName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="NAME, NAME@v2, NAME@ALIAS, or OWNER/NAME for one that is shared with you.",
        autocompletion=complete_model,
    ),
]


@app.command()
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The model; created if it is new.")],
    task: TaskId,
    result: Annotated[
        str, typer.Option("--result", help="Which result of the task; default: artifacts.")
    ] = "artifacts",
    path: Annotated[
        str, typer.Option("--path", help="A file or folder of the run directory instead.")
    ] = "",
    note: Annotated[str, typer.Option("--note", help="A note on the version.")] = "",
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag; repeatable.")] = None,
    as_json: Json = False,
) -> None:
    """Make a result of a task a new version of a model. Nothing is copied: it is hashed where it is."""
    client = Client()
    task = client.task(task).id
    known = {found["name"]: found["state"] for found in client.results(task)}
    if path or known.get(result) not in ("ready", "waiting"):
        named = client.name_result(task, path or result, kind="model", on_change=_say_reading)
        result = named["name"]
    version = client.add_model_version(name, task=task, result=result, note=note, tags=tags or [])
    if as_json:
        print_json(version)
        return
    size = f"{plural(version['files'], 'file')}, {show_bytes(version['size'])}"
    print(f"{name}@v{version['number']}: {size}, {version['digest']}")


@app.command()
def push(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The model; created if it is new.")],
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="A folder or file of this computer.")
    ],
    on: Annotated[
        str, typer.Option("--on", help="The folder is on this endpoint: it is read there.")
    ] = "",
    format: Annotated[
        str, typer.Option("--format", help="What loads it; default: guessed from the file names.")
    ] = "",
    signature: Annotated[
        Path | None,
        typer.Option("--signature", metavar="FILE", help="Inputs and outputs, as a JSON file."),
    ] = None,
    note: Annotated[str, typer.Option("--note", help="A note on the version.")] = "",
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag; repeatable.")] = None,
    as_json: Json = False,
) -> None:
    """Make a folder from anywhere a new version of a model. If it is interrupted, run the same command again."""
    version = Client().push_model(
        name,
        folder if on else Path(folder).expanduser(),
        on=on,
        hashed=TransferProgress(quiet=as_json),
        sent=TransferProgress(quiet=as_json),
        format=format,
        signature=_read_signature(signature),
        note=note,
        tags=tags or [],
    )
    if as_json:
        print_json(version)
        return
    size = f"{plural(version['files'], 'file')}, {show_bytes(version['size'])}"
    print(f"{name}@v{version['number']}: {size}, {version['digest']}")


@app.command()
@option_groups
def tune(
    model: ModelName,
    file: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="Write the spec here; default: print it."),
    ] = None,
    run: Annotated[
        bool, typer.Option("--run", help="Submit it, with the code of the run that made it.")
    ] = False,
    *,
    target: TargetOptions,
    as_json: Json = False,
) -> None:
    """Print a spec that continues from a version: of the run that made it, with the version under `data`."""
    client = Client()
    if run:
        job = client.tune(model, on=target.on, set=target.settings or [])
        if as_json:
            print_json({"job": job.id, "tasks": [task.id for task in job.tasks]})
        else:
            print(f"{job.task.id} on {job.task.endpoint}")
        return
    found = client.model_tuning(model)
    if as_json:
        print_json(found)
        return
    from diamond.sdk.specs import spec_text

    text = spec_text(found["spec"])
    if file is None:
        print(text, end="")
    else:
        file.write_text(text)
    where = f"It uses the code of {found['task']}. " if found["task"] and found["code"] else ""
    say(f"{where}The program finds the model in $DIAMOND_DATA/weights.")


@app.command()
def results(task: TaskId, as_json: Json = False) -> None:
    """List the results of a task: names, digests, and where they are."""
    items = Client().results(task)
    if as_json:
        print_json({"items": items, "next": None})
        return
    if not items:
        say("No results. Save something in artifacts/, or use `diamond model add --path`.")
        return
    print_table(("NAME", "KIND", "STATE", "SIZE", "WHERE", "DIGEST"), map(_result_row, items))


@app.command()
def keep(
    model: ModelName,
    on: Annotated[
        str | None,
        typer.Option(
            "--on", help="Keep copies of this model on an endpoint that is not purged, or: service."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy the files of a version to where nobody purges them: the service, or the endpoint you choose."""
    shown: list[str] = []
    client = Client()
    if on is not None:
        client.change_model(model, kept_on="" if on == "service" else on)

    def show(safety: dict[str, Any]) -> None:
        if safety["message"] not in shown:
            shown.append(safety["message"])
            say(safety["message"])

    safety = client.keep_model(model, on_change=show)
    print_json(safety) if as_json else print(safety["message"])
    if safety["state"] != "kept":
        raise typer.Exit(1)


@app.command()
def pull(
    model: ModelName,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Default: the model's name.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Download the files of a version, each verified. Run it again to continue an interrupted download."""
    client = Client()
    version = client.model_version(model)
    target = folder or Path(version["model"])
    if client.model_safety(model)["state"] in ("copying", "on-endpoint", "purged-soon"):
        client.keep_model(model, on_change=lambda safety: say(safety["message"]))
    progress = ByteProgress(quiet=as_json)
    client.pull_model(model, target, progress)
    progress.end()
    answer = {"folder": str(target), "version": version["number"], "digest": version["digest"]}
    size = f"{plural(version['files'], 'file')}, {show_bytes(version['size'])}"
    print_json(answer) if as_json else print(f"{target}: {size}, every file verified")


@app.command()
def export(
    model: ModelName,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder.")],
    as_json: Json = False,
) -> None:
    """Write a version as the Hugging Face hub has it: files, README.md, .gitattributes, diamond.json."""
    pull(model, folder, as_json=as_json)
    for file in Client().add_hub_files(model, folder):
        say(f"{file}")


@app.command(name="list")
def list_models(
    search: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT...]", help="Text in the name, description or tags."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List your models and those shared with you, the last changed first."""
    items = list(Client().models(search=" ".join(search or [])))
    if as_json:
        print_json({"items": items, "next": None})
        return
    if not items:
        say("No models. Name one in your program: diamond.training.artifact(path, kind='model')")
        return
    print_table(("NAME", "VERSION", "ALIASES", "SIZE", "CHANGED", "OWNER"), map(_row, items))


@app.command()
def show(model: ModelName, as_json: Json = False) -> None:
    """Show a model: its versions, aliases, and who moved an alias when."""
    client = Client()
    found = client.model(model)
    versions = list(client.model_versions(model, limit=SHOWN_VERSIONS))
    history = client.model_alias_history(model)
    if as_json:
        print_json({**found, "versions": versions, "history": history})
        return
    print("\n".join(_lines(found, versions, history)))


@app.command()
def card(
    model: ModelName,
    file: Annotated[
        Path | None,
        typer.Option("--set", metavar="FILE", help="Replace it with this Markdown file."),
    ] = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="Go back to the card written from the record.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the card of a model, or replace it."""
    client = Client()
    if file is not None and reset:
        raise BadRequest("--set and --reset exclude each other", "Give one of them.")
    if file is not None or reset:
        client.change_model(model, card=file.read_text() if file else "")
    found = client.model_card(model)
    print_json(found) if as_json else print(found["text"].rstrip())


@app.command()
def alias(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="NAME@v2, or NAME@ALIAS.", autocompletion=complete_model
        ),
    ],
    alias: Annotated[str, typer.Argument(metavar="ALIAS", help="For example production.")],
    remove: Annotated[bool, typer.Option("--remove", help="Remove the alias.")] = False,
    as_json: Json = False,
) -> None:
    """Point an alias to a version: `diamond model alias digits@v3 production`."""
    client = Client()
    if remove:
        client.remove_model_alias(model, alias)
        items = client.model(model)["aliases"]
    else:
        version = client.model_version(model)
        items = client.set_model_alias(model, alias, version["number"])
    if as_json:
        print_json({"items": items, "next": None})
        return
    name = read_reference(model).name
    for item in items:
        print(f"{name}@{item['alias']} is v{item['version']}")
    if not items:
        say(f"{name} has no aliases.")


@app.command()
def edit(
    model: ModelName,
    name: Annotated[str | None, typer.Option("--name", help="Another name.")] = None,
    description: Annotated[
        str | None, typer.Option("--description", help="What it is, in a sentence.")
    ] = None,
    license: Annotated[
        str | None, typer.Option("--license", help="For example apache-2.0.")
    ] = None,
    intended_use: Annotated[
        str | None,
        typer.Option("--intended-use", help="What it should and should not be used for."),
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", help="Tags of the model; give all of them.")
    ] = None,
    note: Annotated[str | None, typer.Option("--note", help="A note on the version.")] = None,
    as_json: Json = False,
) -> None:
    """Change a model's description, license, tags or note. Its files never change."""
    client = Client()
    fields = {
        "name": name,
        "description": description,
        "license": license,
        "intended_use": intended_use,
        "tags": tags,
    }
    given = {field: value for field, value in fields.items() if value is not None}
    if note is None and not given:
        raise BadRequest("There is nothing to change", "Give --description, --license, --tag, …")
    if note is not None:
        client.change_model_version(model, note=note)
    found = client.change_model(model, **given) if given else client.model(model)
    print_json(found) if as_json else print("\n".join(_head(found)))


@app.command()
def delete(model: ModelName, yes: Yes = False, as_json: Json = False) -> None:
    """Delete a model's name with all its versions and aliases. Files stay until they are cleaned up."""
    client = Client()
    found = client.model(model)
    if not yes:
        versions = plural(found["newest"]["number"] if found["newest"] else 0, "version")
        typer.confirm(f"Delete {found['name']} with {versions}?", abort=True)
    client.delete_model(model)
    print_json({"deleted": found["id"]}) if as_json else say(f"{found['name']} is deleted.")


def _read_signature(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        data = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise BadRequest(f"{file} is not a JSON file: {error}") from None
    if not isinstance(data, dict):
        raise BadRequest(f"{file} is not a JSON object", 'For example {"inputs": …, "outputs": …}')
    return data


def _row(model: dict[str, Any]) -> tuple[str, ...]:
    newest = model["newest"]
    return (
        model["name"],
        f"v{newest['number']}" if newest else "-",
        " ".join(f"{alias['alias']}=v{alias['version']}" for alias in model["aliases"]) or "-",
        show_bytes(newest["size"]) if newest else "-",
        time_ago(model["updated"]),
        "you" if model["is_own"] else model["owner_name"],
    )


def _say_reading(result: dict[str, Any]) -> None:
    """Once: large results take a while."""
    if result["created"] > time.time() - 1:
        say(f"Reading {result['path']} of {result['task']} …")


def _result_row(result: dict[str, Any]) -> tuple[str, ...]:
    return (
        result["name"],
        result["kind"],
        result["state"],
        show_bytes(result["size"]) if result["digest"] else "-",
        ", ".join(result["places"]) or "-",
        result["digest"][:19] or result["message"],
    )


def _head(model: dict[str, Any]) -> Iterator[str]:
    owner = "" if model["is_own"] else f", shared by {model['owner_name']}"
    yield f"{model['name']}{owner}"
    fields = {"Description": "description", "License": "license", "Intended use": "intended_use"}
    for title, field in fields.items():
        if model[field]:
            yield f"  {title}: {model[field]}"
    if model["tags"]:
        yield f"  Tags: {', '.join(model['tags'])}"


def _lines(
    model: dict[str, Any], versions: list[dict[str, Any]], history: list[dict[str, Any]]
) -> Iterator[str]:
    yield from _head(model)
    for version in versions:
        words = [f"v{version['number']}", show_bytes(version["size"]), time_ago(version["created"])]
        words += [f"from {version['task']}"] if version["task"] else ["pushed"]
        words += [f"[{', '.join(version['aliases'])}]"] if version["aliases"] else []
        yield "  " + "  ".join(words) + (f"  {version['note']}" if version["note"] else "")
        yield f"      {version['digest']}"
    if not versions:
        yield "  No versions yet."
    for move in history[:SHOWN_VERSIONS]:
        yield f"  {timestamp(move['at'])}  {_move(move)}"


def _move(move: dict[str, Any]) -> str:
    if move["version"] is None:
        return f"{move['moved_by']} removed {move['alias']} (was v{move['before']})"
    was = f" (was v{move['before']})" if move["before"] else ""
    return f"{move['moved_by']} set {move['alias']} to v{move['version']}{was}"

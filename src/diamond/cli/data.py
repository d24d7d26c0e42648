"""`diamond data`: datasets, their versions, and where they are."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from diamond.cli.data_format import (
    check_line,
    dataset_lines,
    dataset_row,
    gc_row,
    is_changed,
    place_row,
    sent_text,
    transfer_text,
    way_line,
)
from diamond.cli.data_preview_format import preview_lines
from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, Yes, complete_endpoint, complete_task
from diamond.cli.output import plural, print_json, print_table, say
from diamond.cli.transfer_progress import TransferProgress
from diamond.core.errors import BadRequest
from diamond.core.units import parse_megabytes, show_bytes
from diamond.sdk.client import Client

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Datasets: data with a name, immutable versions, and copies on your endpoints.",
)
Reference = Annotated[
    str,
    typer.Argument(
        metavar="DATASET", help="NAME, NAME@v2, NAME@sha256:…, or OWNER/NAME of a shared one."
    ),
]
MaybeOn = Annotated[
    str,
    typer.Option(
        "--on", metavar="ENDPOINT", help="The endpoint.", autocompletion=complete_endpoint
    ),
]
Layout = Annotated[
    str,
    typer.Option(
        "--layout", help="files, or archive: one read-only file, for very many small files."
    ),
]
Detach = Annotated[bool, typer.Option("--detach", "-d", help="Do not wait for it.")]
_URL = re.compile(r"[a-z][a-z0-9+]*://")


@dataclass(frozen=True)
class About:
    """What is said about a dataset."""

    description: Annotated[str, typer.Option("--description", help="What it is.")] = ""
    license: Annotated[str, typer.Option("--license", help="Such as CC-BY-4.0.")] = ""
    layout: Layout = ""
    project: Annotated[
        str, typer.Option("--project", help="The project whose members may use it.")
    ] = ""
    only_on: Annotated[
        list[str] | None,
        typer.Option("--only-on", help="An endpoint that may hold it; repeatable. Default: any."),
    ] = None

    def fields(self) -> dict[str, Any]:
        given = {
            "description": self.description or None,
            "license": self.license or None,
            "layout": self.layout or None,
            "endpoints": self.only_on or None,
        }
        return {**given, "project": self.project}


@dataclass(frozen=True)
class UrlOptions:
    """How a URL is read."""

    secret: Annotated[
        str, typer.Option("--secret", help="A secret of the endpoint that opens the URL.")
    ] = ""
    server: Annotated[
        str, typer.Option("--server", help="The server of s3:// or hf://, if not the usual one.")
    ] = ""
    sha256: Annotated[
        str, typer.Option("--sha256", help="What the file of an http(s) URL must be.")
    ] = ""
    unpack: Annotated[bool, typer.Option("--unpack", help="Unpack archives at the URL.")] = False

    def fields(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class ResultOptions:
    """A result of a task, in place of a source."""

    task: Annotated[
        str,
        typer.Option(
            "--task", metavar="TASK", help="The task that made it.", autocompletion=complete_task
        ),
    ] = ""
    result: Annotated[
        str, typer.Option("--result", help="Which result of the task; default: artifacts.")
    ] = "artifacts"
    path: Annotated[
        str, typer.Option("--path", help="A file or folder of its run directory instead.")
    ] = ""


@app.command()
@option_groups
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The dataset's name.")],
    source: Annotated[
        str,
        typer.Argument(
            metavar="[PATH|URL]",
            help="A folder or file, or http(s)://, s3://, git+https://…@COMMIT, hf://…@REVISION.",
        ),
    ] = "",
    *,
    about: About,
    url: UrlOptions,
    made: ResultOptions,
    on: MaybeOn = "",
    upload: Annotated[
        bool, typer.Option("--upload", help="The path is on this computer: upload it.")
    ] = False,
    detach: Detach = False,
    as_json: Json = False,
) -> None:
    """Add data as a version: in place on an endpoint, from a URL, uploaded with --upload, or a result of a --task.

    Data on an endpoint is read there: nothing is moved or copied. Content that the dataset has already is
    that version. The same command continues what was interrupted.
    """
    client = Client()
    progress = TransferProgress(quiet=as_json)
    if bool(source) == bool(made.task):
        raise BadRequest(
            "Name either a path or URL, or a task",
            "For example: diamond data add era5 /scratch/era5, or: diamond data add features --task TASK",
        )
    if made.task:
        _add_result(client, name, made, about, as_json=as_json)
        return
    if upload:
        addition = client.upload_data(
            name,
            Path(source).expanduser(),
            on=on,
            hashed=progress,
            sent=TransferProgress(quiet=as_json),
            **about.fields(),
        )
        _added(addition, as_json=as_json)
        return
    is_url = bool(_URL.match(source))
    if not is_url and not source.startswith(("/", "~", "$")):
        raise BadRequest(
            f"{source!r} is not an absolute path on the endpoint",
            "Write the full path there, or add --upload for a folder of this computer.",
        )
    where = {"url": source, **url.fields()} if is_url else {"path": source}
    addition = client.add_data(name, on=on, **where, **about.fields())
    if not detach:
        addition = client.wait_for_addition(addition["id"], progress)
    _added(addition, as_json=as_json)


@app.command(name="list")
def list_datasets(
    search: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT...]", help="Text in the name or description."),
    ] = None,
    shared: Annotated[
        bool, typer.Option("--shared", help="Those of others that you may use.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List datasets, newest first."""
    items = list(Client().datasets(search=" ".join(search or []), shared=shared))
    if as_json:
        print_json({"items": items, "next": None})
    elif not items:
        say("No datasets. Add one: diamond data add NAME PATH --on ENDPOINT")
    else:
        head = ("NAME", "NEWEST", "FILES", "SIZE", "WHERE", "CHANGED")
        print_table(head, map(dataset_row, items))


@app.command()
def show(dataset: Reference, as_json: Json = False) -> None:
    """Show a dataset: its versions, what is on its way, who uses it, and a preview of its files."""
    client = Client()
    key, version = _id(client, dataset)
    found = client.dataset(key)
    preview = client.dataset_preview(key, version=version) if found["versions"] else None
    if as_json:
        print_json({**found, "preview": preview})
        return
    print("\n".join(dataset_lines(found)))
    for line in preview_lines(preview) if preview else []:
        print(line)


@app.command()
def preview(dataset: Reference, on: MaybeOn = "", as_json: Json = False) -> None:
    """Make the preview of a version again. Every version gets one automatically."""
    client = Client()
    key, version = _id(client, dataset)
    client.make_preview(key, on=on, version=version)
    made = client.wait_for_preview(key, version=version)
    if as_json:
        print_json(made)
    else:
        print("\n".join(preview_lines(made)))
    if made["state"] != "done":
        raise typer.Exit(1)


@app.command()
def files(
    dataset: Reference,
    folder: Annotated[str, typer.Argument(metavar="[FOLDER]", help="A folder in it.")] = "",
    as_json: Json = False,
) -> None:
    """List the files of a version, from its manifest."""
    client = Client()
    key, version = _id(client, dataset)
    found = client.dataset_files(key, version=version, folder=folder)
    if as_json:
        print_json(found)
        return
    rows = [
        (one["name"] + ("/" if one["kind"] == "folder" else ""), show_bytes(one["size"]))
        for one in found["entries"]
    ]
    print_table(("NAME", "SIZE"), rows)
    if found["next"]:
        say("There are more. Name a folder, or use --json and the API.")


@app.command()
def copy(
    dataset: Reference,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="ENDPOINT", help="Where to.", autocompletion=complete_endpoint
        ),
    ],
    layout: Layout = "",
    detach: Detach = False,
    as_json: Json = False,
) -> None:
    """Copy a version to an endpoint; only what is missing there moves."""
    client = Client()
    key, version = _id(client, dataset)
    answer = client.copy_data(key, to, version=version, layout=layout or None)
    for advice in answer["advice"]:
        say(advice)
    transfer = answer["transfer"]
    if transfer and not detach:
        answer["transfer"] = transfer = client.wait_for_data(
            transfer["id"], TransferProgress(quiet=as_json)
        )
    if as_json:
        print_json(answer)
    elif transfer is None:
        print(answer["words"])
    elif detach:
        print(transfer_text(transfer))
    else:
        print(f"{transfer['dataset']}@{transfer['version']} is on {to}: {sent_text(transfer)}.")


@app.command()
def where(dataset: Reference, as_json: Json = False) -> None:
    """List every copy on your endpoints, and how it would come to the others."""
    client = Client()
    key, version = _id(client, dataset, needs_version=False)
    found = client.dataset_places(key, version=version)
    if as_json:
        print_json(found)
        return
    if not found["items"]:
        say("It is not on any of your endpoints. Copy it: diamond data copy NAME --to ENDPOINT")
        return
    head = ("VERSION", "ENDPOINT", "KIND", "USED", "CHECKED", "NOTE", "PATH")
    print_table(head, map(place_row, found["items"]))
    for way in found["ways"]:
        say(way_line(way))
    for advice in found["advice"]:
        say(advice)


@app.command()
def check(
    dataset: Reference,
    on: MaybeOn = "",
    full: Annotated[bool, typer.Option("--full", help="Read every byte again.")] = False,
    source: Annotated[
        bool, typer.Option("--source", help="Look at its source: has it changed since?")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check whether copies, or the source, are unchanged; exits with 1 if one is not."""
    client = Client()
    key, version = _id(client, dataset, needs_version=False)
    started = client.check_data(key, on=on, version=version, full=full, source=source)
    ended = [client.wait_for_check(one["id"], TransferProgress(quiet=as_json)) for one in started]
    if as_json:
        print_json({"items": ended})
    bad = [one for one in ended if is_changed(one)]
    for one in ended if not as_json else []:
        print(check_line(one))
    if bad:
        raise typer.Exit(1)


@app.command()
def pin(dataset: Reference, on: MaybeOn = "", as_json: Json = False) -> None:
    """Keep copies: pinned ones are never removed to make room."""
    _pin(dataset, on, pinned=True, as_json=as_json)


@app.command()
def unpin(dataset: Reference, on: MaybeOn = "", as_json: Json = False) -> None:
    """Let copies be removed again to make room."""
    _pin(dataset, on, pinned=False, as_json=as_json)


@app.command()
def gc(
    on: MaybeOn = "",
    unused_days: Annotated[
        float, typer.Option("--unused-days", help="Only copies unused for this long.")
    ] = 30,
    free: Annotated[
        str, typer.Option("--free", help="Stop once this much is free, such as 500GB.")
    ] = "",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Show which copies may be removed, and remove them with --yes.

    Never the last copy, never a pinned one, never what a queued or running task needs; least recently used first.
    """
    client = Client()
    wanted = parse_megabytes(free) * 2**20 if free else 0
    asked: dict[str, Any] = {"on": on, "unused_days": unused_days, "free_bytes": wanted}
    found = client.make_room(**asked, dry_run=not yes)
    if as_json:
        print_json(found)
        return
    if found["items"]:
        head = ("DATASET", "ENDPOINT", "LAYOUT", "SIZE", "FILES", "USED")
        print_table(head, map(gc_row, found["items"]))
    for reason in found["kept"]:
        say(f"Stays: {reason}")
    copies = plural(len(found["items"]), "copy", "copies")
    total = f"{copies}, {show_bytes(found['bytes'])}, {found['inodes']:,} files"
    say(f"Removed: {total}" if yes else f"Could go: {total}. Add --yes to remove them.")


@app.command()
def remove(
    dataset: Reference,
    on: MaybeOn = "",
    layout: Layout = "",
    force: Annotated[bool, typer.Option("--force", help="Also the last copy.")] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove a dataset or one version of it; with --on, only its copy on an endpoint.

    Files that were registered in place are never deleted.
    """
    client = Client()
    key, version = _id(client, dataset, needs_version=False)
    if on:
        left = client.remove_copies(key, on=on, version=version, layout=layout or None, force=force)
        print_json(left) if as_json else print(f"The copy of {dataset} on {on} is removed.")
        return
    if not yes and not typer.confirm(f"Remove {dataset}? Its files stay where they are."):
        raise typer.Exit(1)
    client.remove_dataset(key, version=version)
    print_json({}) if as_json else print(f"{dataset} is removed.")


def _pin(dataset: str, on: str, *, pinned: bool, as_json: bool) -> None:
    client = Client()
    key, version = _id(client, dataset, needs_version=False)
    found = client.pin_data(key, on=on, version=version, pinned=pinned)
    if as_json:
        print_json(found)
    else:
        print(f"{dataset} is {'pinned' if pinned else 'no longer pinned'}.")


def _id(client: Client, text: str, *, needs_version: bool = True) -> tuple[str, str]:
    """The id and the version that a reference means; no version stays none where all are meant."""
    name, _, version = text.rpartition("/")[2].partition("@")
    if not version and "/" not in text:
        return name, ""
    if version or needs_version:
        found = client.find_data(text)
        return found["dataset"]["id"], found["version"]["name"] if version else ""
    shared = [one for one in client.datasets(shared=True) if one["name"] == name]
    owner = text.rpartition("/")[0]
    named = [one for one in shared if owner in (one["owner"], one["owner_name"])]
    return (named[0]["id"] if named else client.find_data(text)["dataset"]["id"]), ""


def _add_result(
    client: Client, name: str, made: ResultOptions, about: About, *, as_json: bool
) -> None:
    version = client.add_result_as_data(
        name, made.task, made.result, path=made.path, **about.fields()
    )
    if as_json:
        print_json(version)
        return
    size = f"{plural(version['files'], 'file')}, {show_bytes(version['bytes'])}"
    print(f"{name}@{version['name']}: {size}, {version['digest']}")


def _added(addition: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(addition)
        return
    if not addition["version"]:
        print(f"{addition['name']} is being read on {addition['endpoint']} ({addition['id']}).")
        say(f"Follow it: diamond data show {addition['name']}")
        return
    name = f"{addition['name']}@{addition['version']}"
    digest = addition["digest"][:19]
    if addition["is_new"]:
        print(f"{name} ({digest}) is on {addition['endpoint']}.")
    else:
        print(f"The content is the same as {name} ({digest}): no new version.")
    if addition["kind"] == "import" and addition["message"]:
        say(
            addition["message"]
            + (f" ({', '.join(addition['named'][:5])})" if addition["named"] else "")
        )

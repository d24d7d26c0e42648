"""`diamond record`: what ran, and how it ended."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from diamond.cli.format import time_ago
from diamond.cli.options import Json, TaskId, complete_task
from diamond.cli.output import color, print_json, print_table, say
from diamond.cli.record_format import entry_rows, print_crate, print_record
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client
from diamond.sdk.deposit import ZENODO, DepositSite

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Records: what ran, and how it ended.",
)
TaskIds = Annotated[
    list[str],
    typer.Argument(metavar="TASK…", help="Task ids or prefixes.", autocompletion=complete_task),
]
With = Annotated[
    str,
    typer.Option(
        "--with", metavar="PARTS", help="What to put in, with commas: code, lock, image, data."
    ),
]
PARTS = ("code", "lock", "image", "data")
Blind = Annotated[bool, typer.Option("--blind", help="Name nobody.")]
License = Annotated[str, typer.Option("--license", metavar="URL", help="The licence's address.")]


@app.command()
def show(task: TaskId, as_json: Json = False) -> None:
    """Show a task's record: code, environment, inputs, machines, attempts, metrics, and whether it is whole."""
    found = Client().record(task)
    if as_json:
        print_json(found)
        return
    print_record(found)
    print_table(("N", "WHEN", "WHAT", "HASH"), entry_rows(found["entries"]))


@app.command()
def verify(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TASK…]", help="Without a task: all anchors of the service."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check whether records are still what was written. Exits with 1 and says where, if not."""
    client = Client()
    if not tasks:
        _verify_anchors(client.check_anchors(), as_json)
        return
    checks = {task: client.check_record(task) for task in tasks}
    if as_json:
        print_json(checks if len(checks) > 1 else next(iter(checks.values())))
    else:
        for task, check in checks.items():
            print(_check_words(task, check))
    if not all(check["is_whole"] for check in checks.values()):
        raise typer.Exit(1)


@app.command()
def export(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TASK|PIPELINE|STUDY|VIEW|MODEL…]", autocompletion=complete_task),
    ] = None,
    to: Annotated[Path, typer.Option("--to", "-o", help="A file or a folder.")] = Path(),
    parts: With = "lock",
    format: Annotated[str, typer.Option("--format", help="crate or prov.")] = "crate",
    blind: Blind = False,
    license: License = "",
    name: Annotated[
        str, typer.Option("--matching", metavar="NAME", help="All tasks with this in their name.")
    ] = "",
    tag: Annotated[str, typer.Option("--tag", help="All tasks with this tag.")] = "",
    as_json: Json = False,
) -> None:
    """Write one RO-Crate (or PROV-JSON) with the records of these tasks, with scripts that run without Diamond."""
    if bool(tasks) == bool(name or tag):
        raise BadRequest(
            "Name some tasks, or choose them with --matching or --tag",
            "For example: diamond record export TASK",
        )
    matching = {"name": name, "tag": tag} if name or tag else None
    client = Client()
    chosen = [task for word in tasks or [] for task in client.record_set(word)]
    written = client.export_records(
        chosen,
        to,
        parts=_parts(parts),
        format=format,
        blind=blind,
        license=license,
        matching=matching,
    )
    if as_json:
        print_json({"file": str(written), "bytes": written.stat().st_size})
    else:
        say(f"Written: {written}")


@app.command("import")
def import_(
    crate: Annotated[
        Path, typer.Argument(metavar="CRATE", exists=True, help="A zip, a folder, or its metadata.")
    ],
    as_json: Json = False,
) -> None:
    """Show someone else's crate, and verify Diamond's records in it. Nothing in it is run."""
    found = Client().import_crate(crate)
    if as_json:
        print_json(found)
        return
    print_crate(found)


@app.command()
def imports(
    forget: Annotated[str, typer.Option("--forget", metavar="ID", help="Remove one.")] = "",
    as_json: Json = False,
) -> None:
    """List the crates that you imported."""
    client = Client()
    if forget:
        client.forget_crate(forget)
    items = list(client.imported_crates())
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [(one["id"], one["name"], time_ago(one["created"])) for one in items]
    print_table(("CRATE", "NAME", "IMPORTED"), rows)


@app.command()
def link(
    tasks: Annotated[
        list[str] | None, typer.Argument(metavar="[TASK…]", autocompletion=complete_task)
    ] = None,
    days: Annotated[int, typer.Option("--days", min=1, max=365, help="How long it works.")] = 30,
    named: Annotated[
        bool, typer.Option("--named", help="Show who you are; otherwise no names are shown.")
    ] = False,
    parts: With = "lock",
    title: Annotated[str, typer.Option("--title", help="What the reviewer sees.")] = "",
    withdraw: Annotated[str, typer.Option("--withdraw", metavar="ID", help="End a link.")] = "",
    as_json: Json = False,
) -> None:
    """Make a link to records for reviewers without an account; without a task, list your links."""
    client = Client()
    if withdraw:
        client.withdraw_record_link(withdraw)
    if not tasks:
        _list_links(client.record_links(), as_json)
        return
    made = client.make_record_link(
        tasks, days=days, blind=not named, parts=_parts(parts), title=title
    )
    if as_json:
        print_json(made)
        return
    print(made["url"])
    say(
        f"It works for {days} days and is shown once. End it: diamond record link --withdraw {made['id']}"
    )


@app.command()
def deposit(
    tasks: TaskIds,
    title: Annotated[str, typer.Option("--title", help="Title of the deposit.")],
    creator: Annotated[list[str], typer.Option("--creator", help="A name; may be repeated.")],
    site: Annotated[str, typer.Option("--site", help="Zenodo, or another InvenioRDM.")] = ZENODO,
    description: Annotated[str, typer.Option("--description")] = "",
    license_id: Annotated[
        str, typer.Option("--license-id", help="As the repository calls it: cc-by-4.0.")
    ] = "",
    parts: With = "code,lock",
    publish: Annotated[
        bool, typer.Option("--publish", help="Publish at once; this cannot be undone.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Deposit a crate at Zenodo or another InvenioRDM and get a DOI. Without --publish it stays a draft there.

    The token is read from DIAMOND_DEPOSIT_TOKEN, or asked for. It goes to the repository only and is not stored.
    """
    token = os.environ.get("DIAMOND_DEPOSIT_TOKEN") or typer.prompt(
        "Token", hide_input=True, err=True
    )
    about: dict[str, Any] = {"title": title, "creators": creator, "description": description}
    about |= {"license": license_id, "publish": publish}
    done = Client().deposit_records(tasks, DepositSite(site, token), about, parts=_parts(parts))
    if as_json:
        print_json(vars(done))
        return
    print(done.doi)
    say(f"{'Published' if done.is_published else 'A draft'}: {done.url}")


def _parts(text: str) -> list[str]:
    wanted = [part.strip() for part in text.split(",") if part.strip() and part.strip() != "none"]
    unknown = [part for part in wanted if part not in PARTS]
    if unknown:
        raise BadRequest(
            f"{unknown[0]!r} cannot be added to a crate", f"Parts: {', '.join(PARTS)}, none."
        )
    return wanted


def _check_words(task: str, check: dict[str, Any]) -> str:
    for fault in (check["fault"], check["anchor_fault"]):
        if fault:
            return f"{task}  {color('changed', 'red')}: {fault['message']}"
    covered = check["covered"]
    anchored = f"anchored up to entry {covered}" if covered else "not anchored yet"
    return f"{task}  {color('whole', 'green')}: {check['entries']} entries, {anchored}"


def _verify_anchors(line: dict[str, Any], as_json: bool) -> None:
    fault = line["fault"]
    if as_json:
        print_json(line)
    elif fault:
        print(f"anchors  {color('changed', 'red')}: {fault['message']}")
    else:
        print(f"anchors  {color('whole', 'green')}: {line['count']}")
        if line["last"]:
            say(f"Write down elsewhere: anchor {line['last']['n']} {line['last']['hash']}")
    if fault:
        raise typer.Exit(1)


def _list_links(links: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json({"items": links, "next": None})
        return
    rows = [
        (
            one["id"],
            one["title"],
            str(len(one["tasks"])),
            str(one["uses"]),
            time_ago(one["created"]),
        )
        for one in links
    ]
    print_table(("LINK", "TITLE", "TASKS", "USES", "MADE"), rows)

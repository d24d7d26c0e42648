"""`diamond storage`: what takes up space, how long it is kept, and archiving; `diamond admin storage`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from diamond.cli.format import short_id, time_ago
from diamond.cli.image_format import short_digest
from diamond.cli.options import Json, complete_endpoint
from diamond.cli.output import print_json, print_table, say
from diamond.cli.people import people
from diamond.core.errors import BadRequest
from diamond.core.units import parse_megabytes, show_bytes
from diamond.sdk.client import Client

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="What takes up space, and how long it is kept.",
)
PARTS = ("code", "logs", "curves", "copies", "total")
Days = Annotated[
    int | None, typer.Option("--days", min=1, help="How long ended tasks keep their logs.")
]
Forever = Annotated[bool, typer.Option("--forever", help="Remove the rule.")]


@app.command()
def show(as_json: Json = False) -> None:
    """Show what takes up space in the service and on your machines."""
    usage = Client().storage()
    if as_json:
        print_json(usage)
        return
    stored, quota = usage["service"], usage["quota_bytes"]
    limit = f" of {show_bytes(quota)}" if quota is not None else ""
    print(f"In the service: {show_bytes(stored['total'])}{limit}")
    for name in ("code", "logs", "curves", "copies"):
        print(f"  {name:<8}{show_bytes(stored[name])}")
    if usage["endpoints"]:
        rows = [
            (each["endpoint"], show_bytes(each["images"]), show_bytes(each["run_directories"]))
            for each in usage["endpoints"]
        ]
        print_table(("ENDPOINT", "IMAGES", "RUN DIRECTORIES"), rows)
    if usage["largest"]:
        tasks = [
            (short_id(each["id"]), each["name"], show_bytes(each["bytes"]), time_ago(each["ended"]))
            for each in usage["largest"]
        ]
        print_table(("TASK", "NAME", "LOGS AND CURVES", "ENDED"), tasks)
    say(_kept_for(usage))


@app.command()
def keep(
    days: Days = None,
    forever: Forever = False,
    project: Annotated[
        str, typer.Option("--project", help="For a project you manage; default: your own tasks.")
    ] = "",
    code: Annotated[
        bool, typer.Option("--code", help="How long code stays after its last task has ended.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Set how long ended tasks keep logs and curves, or code, in the service; their records stay."""
    if (days is None) == (not forever):
        raise BadRequest("Say how long", "Give --days N, or --forever.")
    rules = Client().set_retention(days, project=project, of_code=code)
    what = "Code is" if code else "Logs and curves are"
    last = "the last task that used it" if code else "a task"
    if as_json:
        print_json(rules)
    elif days is None:
        say("This rule is removed; the service's own still applies.")
    else:
        say(f"{what} removed {days} days after the end of {last}.")


@app.command(name="code")
def list_code(
    limit: Annotated[int, typer.Option("--limit", min=1, max=500)] = 50,
    as_json: Json = False,
) -> None:
    """List the code you store in the service, and who needs it."""
    items = Client().stored_code(limit)
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (
            short_digest(item["digest"]),
            item["name"] or "-",
            show_bytes(item["bytes"]),
            show_bytes(item["frees_bytes"]),
            time_ago(item["used"]),
            ", ".join([*item["blocked_by"], *item["recorded_by"]]) or "nothing",
        )
        for item in items
    ]
    print_table(("DIGEST", "TASK", "SIZE", "FREES", "USED", "NEEDED BY"), rows)


@app.command()
def remove(
    digests: Annotated[
        list[str] | None,
        typer.Argument(metavar="DIGEST...", help="As `diamond storage code` shows them."),
    ] = None,
    unused: Annotated[
        bool, typer.Option("--unused", help="All code that no task and nothing else needs.")
    ] = False,
    recorded: Annotated[
        bool,
        typer.Option("--recorded", help="Also code of ended tasks; they keep their records."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Remove code from the service, except the code of tasks that have not ended."""
    if bool(digests) == unused:
        raise BadRequest("Say which code", "Give digests (diamond storage code), or --unused.")
    client = Client()
    items = [client.remove_code(digest, recorded=recorded) for digest in digests or []]
    items += [client.remove_unused_code()] if unused else []
    if as_json:
        print_json({"items": items, "next": None})
        return
    for item in items:
        what = f"{short_digest(item['digest'])} is" if item["digest"] else "Unused code is"
        say(f"{what} removed: {show_bytes(item['bytes'])} freed.")


@app.command()
def archive(
    tasks: Annotated[list[str], typer.Argument(metavar="TASK...", help="Tasks that have ended.")],
    as_json: Json = False,
) -> None:
    """Remove logs and curves of tasks from the service; records and final values stay."""
    client = Client()
    items = [client.archive(task) for task in tasks]
    if as_json:
        print_json({"items": items, "next": None})
        return
    for item in items:
        say(f"{short_id(item['task'])} is archived: {show_bytes(item['bytes'])} freed.")


@app.command(name="list")
def list_artifacts(
    kind: Annotated[str, typer.Option("--kind", help="snapshot, image or file.")] = "",
    on: Annotated[
        str,
        typer.Option(
            "--on",
            help="An endpoint, or `service`; default: everywhere.",
            autocompletion=complete_endpoint,
        ),
    ] = "",
    limit: Annotated[int, typer.Option("--limit", min=1)] = 50,
    as_json: Json = False,
) -> None:
    """List artifacts (code and image files) by digest, newest first, with their places."""
    items = list(Client().artifacts(kind=kind, endpoint=on, limit=limit))
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (
            short_digest(item["digest"]),
            item["kind"],
            show_bytes(item["size"]),
            ", ".join(place["endpoint"] or "service" for place in item["places"]),
            time_ago(item["used"]),
        )
        for item in items
    ]
    print_table(("DIGEST", "KIND", "SIZE", "WHERE", "USED"), rows)


@app.command()
def find(
    digest: Annotated[str, typer.Argument(metavar="DIGEST", help="A whole sha256 digest.")],
    as_json: Json = False,
) -> None:
    """Show where an artifact is."""
    artifact = Client().artifact(digest)
    if as_json:
        print_json(artifact)
        return
    print(f"{artifact['digest']}  {artifact['kind']}  {show_bytes(artifact['size'])}")
    for place in artifact["places"]:
        print(f"  {place['endpoint'] or 'service'}  {place['path']}".rstrip())


def admin_storage(
    user: Annotated[str, typer.Option("--user", help="The quota of this person alone.")] = "",
    days: Days = None,
    forever: Forever = False,
    code_days: Annotated[
        int | None,
        typer.Option("--code-days", min=1, help="How long code stays after its last task's end."),
    ] = None,
    quota: Annotated[
        str, typer.Option("--quota", metavar="SIZE", help="Such as 20GB, for each person.")
    ] = "",
    no_quota: Annotated[bool, typer.Option("--no-quota", help="Remove the quota.")] = False,
    as_json: Json = False,
) -> None:
    """Show who stores how much in the service, or set how long and how much."""
    calls, bytes_ = people(), parse_megabytes(quota) * 2**20 if quota else None
    changes_days, changes_quota = bool(days or forever or code_days), bool(quota or no_quota)
    if user and changes_days:
        raise BadRequest(
            "How long is a rule of the service or of a project", "Leave out --user, or --days."
        )
    if user and changes_quota:
        _print_rule(calls.set_quota(user, bytes_), as_json=as_json)
    elif changes_days or changes_quota:
        rule = calls.storage_defaults()
        rule |= {"days": days} if days or forever else {}
        rule |= {"code_days": code_days} if code_days or forever else {}
        rule |= {"quota_bytes": bytes_} if changes_quota else {}
        _print_rule(calls.set_storage_defaults(rule), as_json=as_json)
    else:
        _print_people(calls.storage_of_people(), calls.storage_defaults(), as_json=as_json)


def _print_rule(rule: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(rule)
        return
    if "days" in rule:
        say(
            f"Tasks keep logs and curves {_days(rule['days'])}, and code {_days(rule['code_days'])}."
        )
    quota = rule["quota_bytes"]
    say(f"Quota: {show_bytes(quota) if quota is not None else 'none'}")


def _print_people(items: list[dict[str, Any]], rule: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json({"items": items, "defaults": rule, "next": None})
        return
    rows = [
        (
            item["name"],
            *(show_bytes(item["service"][kind]) for kind in PARTS),
            show_bytes(item["quota_bytes"]) if item["quota_bytes"] is not None else "-",
        )
        for item in items
    ]
    print_table(("WHO", *(part.upper() for part in PARTS), "QUOTA"), rows)
    _print_rule(rule, as_json=False)


def _kept_for(rules: dict[str, Any]) -> str:
    known = [days for days in (rules["days"], rules["default_days"]) if days is not None]
    return f"Ended tasks keep logs and curves {_days(min(known, default=None))}."


def _days(days: int | None) -> str:
    return "forever" if days is None else f"for {days} days"

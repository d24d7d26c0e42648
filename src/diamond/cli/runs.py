"""`diamond runs`: many runs in one table; `diamond compare`: some of them side by side."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from diamond.cli.format import duration, short_id, timestamp
from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, complete_task
from diamond.cli.output import plural, print_json, print_table, say
from diamond.cli.verdict_format import print_verdict
from diamond.core.errors import BadRequest, NotFound
from diamond.sdk.client import Client

app = typer.Typer(rich_markup_mode=None)
TITLES = {
    "params": "PARAMETERS",
    "data": "DATA",
    "code": "CODE",
    "image": "IMAGE",
    "packages": "PACKAGES THAT DIFFER",
    "resources": "RESOURCES",
    "metrics": "METRICS, LAST",
    "best": "METRICS, BEST",
    "ending": "ENDING",
}


@dataclass(frozen=True)
class TableOptions:
    """What the table shows."""

    column: Annotated[
        list[str] | None,
        typer.Option("--column", "-c", help="Such as param.lr, metric.loss, best.acc, duration."),
    ] = None
    where: Annotated[
        list[str] | None,
        typer.Option("--where", "-w", help="Such as 'param.lr>0.01', state=failed, name~resnet."),
    ] = None
    sort: Annotated[
        list[str] | None,
        typer.Option("--sort", "-s", help="A column; with - in front, the highest first."),
    ] = None
    group: Annotated[
        list[str] | None,
        typer.Option("--group", "-g", help="Mean and spread for each value of this column."),
    ] = None
    project: Annotated[str, typer.Option("--project", help="Runs of everyone in a project.")] = ""


@dataclass(frozen=True)
class ViewOptions:
    view: Annotated[str, typer.Option("--view", help="Use a saved view.")] = ""
    save: Annotated[str, typer.Option("--save", metavar="NAME", help="Save as a view.")] = ""


@app.command()
@option_groups
def runs(
    table: TableOptions,
    view: ViewOptions,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, help="Show at most this many.")
    ] = 20,
    csv: Annotated[
        str, typer.Option("--csv", metavar="FILE", help="Write all rows as CSV; - prints them.")
    ] = "",
    names: Annotated[bool, typer.Option("--names", help="List the columns there are.")] = False,
    as_json: Json = False,
) -> None:
    """Show many runs in one table, with the columns you choose."""
    client = Client()
    if names:
        _print_names(client.run_columns(project=table.project), as_json=as_json)
        return
    query = _query(client, table, view.view)
    if view.save:
        saved = {key: value for key, value in query.items() if value and key != "project"}
        client.save_view(view.save, saved, project=query["project"])
        say(f"Saved as view {view.save}. Show it with: diamond runs --view {view.save}")
    if csv:
        _write_csv(client, query, csv)
        return
    found = client.run_table(
        query["column"],
        where=query["filter"],
        sort=query["sort"],
        group=query["group"],
        project=query["project"],
        limit=limit,
    )
    if as_json:
        print_json(found)
    else:
        _print(found, query["group"])


@app.command()
def compare(
    tasks: Annotated[
        list[str],
        typer.Argument(
            metavar="TASK...",
            help="Two to ten tasks or imported runs.",
            autocompletion=complete_task,
        ),
    ],
    everything: Annotated[
        bool, typer.Option("--all", "-a", help="Also show what is equal.")
    ] = False,
    code: Annotated[
        bool,
        typer.Option("--code", help="Also show how the code of the last differs from the first."),
    ] = False,
    why: Annotated[
        bool, typer.Option("--why", help="Judge the last against the first, with the likely cause.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show runs side by side: parameters, data, code, packages, resources, metrics, endings."""
    client = Client()
    found = client.side_by_side(tasks)
    first, last = found["runs"][0]["id"], found["runs"][-1]["id"]
    verdict = client.why(last, first) if why else None
    if as_json:
        print_json({**found, **({"verdict": verdict} if verdict else {})})
        return
    shown = [_print_part(found["runs"], part, everything=everything) for part in found["parts"]]
    if not any(shown):
        say("They do not differ. Show everything with --all.")
    if code:
        print(client.diff(last, first) or "The code is the same.")
    if verdict:
        print_verdict(verdict)


@app.command(name="import")
def import_runs(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="An mlruns folder, an mlflow.db, the address of an MLflow server, or a W&B folder.",
        ),
    ],
    project: Annotated[str, typer.Option("--project", help="Its members see the runs too.")] = "",
    as_json: Json = False,
) -> None:
    """Bring runs of MLflow or W&B into the table, read-only; run it again to fetch only what is new."""
    from diamond.sdk.importing import read_runs

    client = Client()
    items = []
    for run in read_runs(source):
        item = client.import_run(run.as_body(project))
        items.append(item)
        if not as_json:
            word = "imported" if item["is_new"] else "known"
            say(f"{word}  {item['id'][:8]}  {item['name']}  {item['state']}")
    if as_json:
        print_json({"items": items, "next": None})
        return
    new = sum(item["is_new"] for item in items)
    say(f"{plural(new, 'run')} imported, {len(items) - new} known. See them: diamond runs")


def _query(client: Client, table: TableOptions, view: str) -> dict[str, Any]:
    """Of a saved view, with what the options say instead of its own."""
    saved = _saved(client, view) if view else {}
    given = {
        "column": table.column,
        "filter": table.where,
        "sort": table.sort,
        "group": table.group,
    }
    query = {name: _listed(value or saved.get(name)) for name, value in given.items()}
    return {**query, "project": table.project or saved.get("project") or ""}


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


def _saved(client: Client, name: str) -> dict[str, Any]:
    views = client.views("runs")
    for view in views:
        if view["name"] == name:
            return {**view["query"], "project": view["project"]}
    known = ", ".join(view["name"] for view in views) or "none yet"
    raise NotFound(f"There is no view {name!r}", f"Views: {known}. Save one with --save NAME.")


def _write_csv(client: Client, query: dict[str, Any], path: str) -> None:
    if query["group"]:
        raise BadRequest("Groups have no CSV", "Leave out --group, or use --json.")
    text = client.runs_csv(
        query["column"], where=query["filter"], sort=query["sort"], project=query["project"]
    )
    if path == "-":
        sys.stdout.write(text)
        return
    Path(path).write_text(text)
    say(f"Wrote {plural(text.count(chr(10)) - 1, 'row')} to {path}.")


def _print_names(names: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(names)
        return
    print("Every run:  " + ", ".join(column["name"] for column in names["own"]))
    for title, prefix, key in (
        ("Parameters", "param", "params"),
        ("Metrics", "metric", "metrics"),
        ("Data", "data", "data"),
        ("Tags", "tag", "tags"),
    ):
        if names[key]:
            print(f"{title}:  " + ", ".join(f"{prefix}.{name}" for name in names[key]))
    say("Of a metric also min.NAME, max.NAME, best.NAME and step.NAME.")


def _print(found: dict[str, Any], group: list[str]) -> None:
    columns = found["columns"]
    if group:
        _print_groups(found, group)
    elif not found["rows"]:
        say("No runs match.")
    else:
        headings = ["RUN", *(column["name"] for column in columns)]
        rows = [
            [
                short_id(row["id"]),
                *(_cell(*pair) for pair in zip(columns, row["values"], strict=True)),
            ]
            for row in found["rows"]
        ]
        print_table(headings, rows)
    shown = len(found["rows"])
    if not group and found["total"] > shown:
        say(f"{shown} of {found['total']} runs. Show more with --limit.")
    if not found["is_complete"]:
        say(f"Only the newest {found['looked_at']} runs were looked at.")


def _print_groups(found: dict[str, Any], group: list[str]) -> None:
    headings = [*group, "RUNS", *(column["name"] for column in found["columns"])]
    rows = [
        [*map(_text, each["by"]), str(each["count"]), *map(_spread, each["columns"])]
        for each in found["groups"]
    ]
    print_table(headings, rows)
    if found["group_count"] > len(rows):
        say(f"The first {len(rows)} of {found['group_count']} groups. Group by fewer columns.")


def _print_part(runs: list[dict[str, Any]], part: dict[str, Any], *, everything: bool) -> bool:
    rows = [row for row in part["rows"] if everything or row["differs"]]
    if not rows:
        return False
    headings = [TITLES[part["name"]], *(f"{run['name']} {short_id(run['id'])}" for run in runs)]
    print_table(headings, [[row["name"], *map(_text, row["values"])] for row in rows])
    print()
    return True


def _cell(column: dict[str, Any], value: Any) -> str:
    if value is None:
        return ""
    if column["kind"] == "time":
        return timestamp(value)
    if column["kind"] == "seconds":
        return duration(value)
    return short_id(value) if column["name"] == "id" else _text(value)


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return f"{text[:19]}…" if text.startswith("sha256:") else text


def _spread(spread: dict[str, Any] | None) -> str:
    if spread is None:
        return "-"
    around = f" ± {spread['spread']:.3g}" if spread["spread"] is not None else ""
    return f"{spread['mean']:.6g}{around}"

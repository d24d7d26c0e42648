"""`diamond course`: teach with Diamond."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from diamond.cli.format import format_amount, short_id, time_ago
from diamond.cli.options import Json, complete_endpoint
from diamond.cli.output import print_json, print_table, say
from diamond.cli.run import print_job
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client
from diamond.sdk.courses import Courses

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Courses: projects of lecturers and students."
)
Course = Annotated[str, typer.Argument(metavar="COURSE", help="The project's name or id.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The assignment.")]


def courses() -> Courses:
    return Courses(Client())


@app.command(name="set")
def set_course(
    course: Course,
    starts: Annotated[str, typer.Option("--starts", help="Such as 2026-09-01.")] = "",
    ends: Annotated[str, typer.Option("--ends", help="No work of students after it.")] = "",
    account: Annotated[str, typer.Option("--account", help="Pays for all work in it.")] = "",
    reservation: Annotated[str, typer.Option("--reservation", help="For all work in it.")] = "",
    as_json: Json = False,
) -> None:
    """Make a project a course, or change all its terms."""
    terms = {
        "starts": _moment(starts),
        "ends": _moment(ends),
        "account": account,
        "reservation": reservation,
    }
    made = courses().set(course, terms)
    print_json(made) if as_json else say(f"{made['name']} is a course.")


@app.command()
def stop(course: Course, as_json: Json = False) -> None:
    """Make it a project like others again: its members then see one another's work."""
    courses().stop(course)
    print_json({"project": course}) if as_json else say("It is a project like others again.")


@app.command()
def roster(
    course: Course,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV with a column of addresses.")],
    as_json: Json = False,
) -> None:
    """Add students by a CSV file; who has no account gets a link of her own."""
    taken = courses().roster(course, file.read_text("utf-8-sig"))
    if as_json:
        print_json(taken)
        return
    for one in taken["faults"]:
        say(f"Line {one['line']} was passed over: {one['message']}")
    say(
        f"{len(taken['added'])} added, {len(taken['known'])} known, {len(taken['invited'])} invited."
    )
    if taken["invited"]:
        print_table(("ADDRESS", "LINK"), [(one["email"], one["url"]) for one in taken["invited"]])
        say("Each link works once, for that address, and is not shown again.")


@app.command()
def assign(
    course: Course,
    name: Name,
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="A diamond.yaml; its code goes along.")
    ],
    title: Annotated[str, typer.Option("--title", help="A line for its heading.")] = "",
    text: Annotated[
        Path | None, typer.Option("--text", metavar="FILE", help="What is to be done.")
    ] = None,
    due: Annotated[str, typer.Option("--due", help="Such as 2026-10-01T12:00.")] = "",
    as_json: Json = False,
) -> None:
    """Give an assignment; students run it as it is, or a copy that they change."""
    words = text.read_text("utf-8") if text else ""
    made = courses().assign(course, name, spec, title=title, text=words, due=_moment(due), say=say)
    run = f"diamond course run {course} {made['name']}"
    print_json(made) if as_json else say(f"{made['name']} can be run: {run}")


@app.command()
def assignments(course: Course, as_json: Json = False) -> None:
    """List what there is to do."""
    items = courses().assignments(course)
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [(one["name"], one["title"], _day(one["due"])) for one in items]
    print_table(("ASSIGNMENT", "TITLE", "DUE"), rows)


@app.command()
def run(
    course: Course,
    name: Name,
    on: Annotated[
        str, typer.Option("--on", help="Where it runs.", autocompletion=complete_endpoint)
    ] = "",
    as_json: Json = False,
) -> None:
    """Run an assignment as your own job."""
    print_job(courses().run(course, name, on=on), as_json=as_json)


@app.command()
def table(course: Course, as_json: Json = False) -> None:
    """Everyone's state in each assignment, and last error; for managers."""
    found = courses().table(course)
    if as_json:
        print_json(found)
        return
    heads = ("PERSON", *(one.upper() for one in found["assignments"]), "NODE-HOURS", "LAST ERROR")
    print_table(heads, [_line(one, found["assignments"]) for one in found["items"]])


@app.command()
def collect(
    course: Course,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Is made if it is not there.")],
    assignment: Annotated[str, typer.Option("--assignment", help="Only of this one.")] = "",
    as_json: Json = False,
) -> None:
    """Bring everyone's newest results home as one folder: FOLDER/ASSIGNMENT/PERSON/."""
    quiet = (lambda words: None) if as_json else say
    found = courses().collect(course, folder, assignment=assignment, say=quiet)
    failed = [one for one in found if one["error"]]
    if as_json:
        print_json({"items": found, "next": None})
    else:
        say(f"{len(found) - len(failed)} of {len(found)} results are in {folder}.")
    if failed:
        raise typer.Exit(1)


def _line(one: dict[str, Any], names: list[str]) -> tuple[str, ...]:
    cells = {cell["assignment"]: cell for cell in one["cells"]}
    states = [_cell(cells.get(name)) for name in names]
    person = one["name"] or f"{one['email']} (invited)"
    return person, *states, format_amount(one["use"]["node_hours"]), one["last_error"][:60]


def _cell(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return "-"
    late = ", late" if cell["is_late"] else ""
    return f"{cell['state']} {short_id(cell['task'])}, {time_ago(cell['created'])}{late}"


def _day(at: float | None) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M") if at else ""


def _moment(text: str) -> float | None:
    """Local time, unless the text names a zone."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest(
            f"{text!r} is not a date", "Write 2026-09-01, or 2026-09-01T12:00."
        ) from None
    return (found if found.tzinfo else found.astimezone()).astimezone(UTC).timestamp()

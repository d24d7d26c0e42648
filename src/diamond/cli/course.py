"""`diamond course`: courses and assignments."""

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
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Courses: projects for lecturers and students.",
)
Course = Annotated[str, typer.Argument(metavar="COURSE", help="The project's name or id.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The assignment.")]


def courses() -> Courses:
    return Courses(Client())


@app.command(name="set")
def set_course(
    course: Course,
    starts: Annotated[str, typer.Option("--starts", help="Such as 2026-09-01.")] = "",
    ends: Annotated[str, typer.Option("--ends", help="Students cannot submit after it.")] = "",
    account: Annotated[
        str, typer.Option("--account", help="The account that pays for all its work.")
    ] = "",
    reservation: Annotated[
        str, typer.Option("--reservation", help="The reservation for all its work.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Turn a project into a course, or change its terms."""
    terms = {
        "starts": _parse_time(starts),
        "ends": _parse_time(ends),
        "account": account,
        "reservation": reservation,
    }
    made = courses().set(course, terms)
    print_json(made) if as_json else say(f"{made['name']} is a course.")


@app.command()
def stop(course: Course, as_json: Json = False) -> None:
    """Turn a course back into an ordinary project, whose members see each other's work."""
    courses().stop(course)
    print_json({"project": course}) if as_json else say("It is an ordinary project again.")


@app.command()
def roster(
    course: Course,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV with a column of e-mail addresses.")
    ],
    as_json: Json = False,
) -> None:
    """Add students from a CSV file; those without an account get an invitation link."""
    result = courses().roster(course, file.read_text("utf-8-sig"))
    if as_json:
        print_json(result)
        return
    for fault in result["faults"]:
        say(f"Line {fault['line']} was skipped: {fault['message']}")
    say(
        f"{len(result['added'])} added, {len(result['known'])} already members, "
        f"{len(result['invited'])} invited."
    )
    if result["invited"]:
        print_table(
            ("ADDRESS", "LINK"), [(person["email"], person["url"]) for person in result["invited"]]
        )
        say("Each link works once, for that address, and is not shown again.")


@app.command()
def assign(
    course: Course,
    name: Name,
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="A diamond.yaml; its code is uploaded.")
    ],
    title: Annotated[str, typer.Option("--title", help="A one-line title.")] = "",
    text: Annotated[
        Path | None, typer.Option("--text", metavar="FILE", help="The instructions.")
    ] = None,
    due: Annotated[str, typer.Option("--due", help="Such as 2026-10-01T12:00.")] = "",
    as_json: Json = False,
) -> None:
    """Publish an assignment; students run it as it is, or change a copy."""
    instructions = text.read_text("utf-8") if text else ""
    made = courses().assign(
        course, name, spec, title=title, text=instructions, due=_parse_time(due), say=say
    )
    run = f"diamond course run {course} {made['name']}"
    print_json(made) if as_json else say(f"{made['name']} is published. Run it: {run}")


@app.command()
def assignments(course: Course, as_json: Json = False) -> None:
    """List the assignments."""
    items = courses().assignments(course)
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [(item["name"], item["title"], _day(item["due"])) for item in items]
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
    """Show everyone's state in each assignment, and their last error; for managers."""
    progress = courses().table(course)
    if as_json:
        print_json(progress)
        return
    names = progress["assignments"]
    headings = ("PERSON", *(name.upper() for name in names), "NODE-HOURS", "LAST ERROR")
    print_table(headings, [_row(person, names) for person in progress["items"]])


@app.command()
def collect(
    course: Course,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Created if it does not exist.")],
    assignment: Annotated[str, typer.Option("--assignment", help="Only this assignment.")] = "",
    as_json: Json = False,
) -> None:
    """Download everyone's newest results to FOLDER/ASSIGNMENT/PERSON/."""
    progress = (lambda message: None) if as_json else say
    results = courses().collect(course, folder, assignment=assignment, say=progress)
    failed = [result for result in results if result["error"]]
    if as_json:
        print_json({"items": results, "next": None})
    else:
        say(f"{len(results) - len(failed)} of {len(results)} results are in {folder}.")
    if failed:
        raise typer.Exit(1)


def _row(person: dict[str, Any], names: list[str]) -> tuple[str, ...]:
    cells = {cell["assignment"]: cell for cell in person["cells"]}
    states = [_cell(cells.get(name)) for name in names]
    name = person["name"] or f"{person['email']} (invited)"
    return name, *states, format_amount(person["use"]["node_hours"]), person["last_error"][:60]


def _cell(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return "-"
    late = ", late" if cell["is_late"] else ""
    return f"{cell['state']} {short_id(cell['task'])}, {time_ago(cell['created'])}{late}"


def _day(at: float | None) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M") if at else ""


def _parse_time(text: str) -> float | None:
    """Local time, unless the text has a time zone."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest(
            f"{text!r} is not a date", "Write 2026-09-01, or 2026-09-01T12:00."
        ) from None
    return (moment if moment.tzinfo else moment.astimezone()).astimezone(UTC).timestamp()

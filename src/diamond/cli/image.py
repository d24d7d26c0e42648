"""`diamond image`: build, look inside, compare, move, remove."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from diamond.cli.image_build import follow_build, print_build
from diamond.cli.image_format import (
    contents_lines,
    describe_transfer,
    diff_lines,
    image_lines,
    image_row,
    use_lines,
)
from diamond.cli.options import Json, On, Yes, complete_endpoint
from diamond.cli.output import plural, print_json, print_table, say
from diamond.cli.saved_links import load_link
from diamond.cli.ssh_bootstrap import terminal_command
from diamond.core.errors import BadRequest, NotFound
from diamond.core.units import show_bytes
from diamond.sdk.client import Client
from diamond.sdk.client_config import diamond_home

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Images: what programs run inside."
)
ImageName = Annotated[
    str, typer.Argument(metavar="IMAGE", help="A name, an id, or the beginning of a digest.")
]
BuildId = Annotated[str, typer.Argument(metavar="BUILD", help="The build's task id.")]
Where = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="ENDPOINT",
        help="Endpoint, or endpoint/partition.",
        autocompletion=complete_endpoint,
    ),
]
Name = Annotated[str, typer.Option("--name", help="The image's name.")]
Account = Annotated[str, typer.Option("--account", help="The allocation that pays.")]
SHOWN_USES = 10
Detach = Annotated[bool, typer.Option("--detach", "-d", help="Do not wait for its end.")]


@app.command()
def build(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="An environment (YAML), or a requirements.txt, environment.yml, Dockerfile or .def.",
        ),
    ],
    name: Name = "",
    on: Where = "auto",
    runtime: Annotated[
        str, typer.Option("--runtime", help="apptainer, charliecloud, podman, …; else by the site.")
    ] = "",
    account: Account = "auto",
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Resolve base and packages anew.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Only show the definition; build nothing.")
    ] = False,
    detach: Detach = False,
    as_json: Json = False,
) -> None:
    """Build an image, or find it if it is there already; the log is followed to its end."""
    client = Client()
    read = client.read_environment(file)
    for words in read["left_out"]:
        say(f"Not taken over: {words}")
    if show:
        environment = client.with_files(read["environment"], file.parent, send=False)
        _tell_preview(client.preview_environment(environment, on=on), as_json=as_json)
        return
    answer = client.build_image(
        read["environment"],
        name=name or _name_of(file),
        on=on,
        runtime=runtime,
        upgrade=upgrade,
        account=account,
        folder=file.parent,
    )
    _finish(client, answer, detach=detach, as_json=as_json)


@app.command()
def resume(
    build: BuildId,
    edits: Annotated[
        list[str] | None,
        typer.Option("--edit", metavar="STEP=TEXT", help="Such as command-2='make -j4'."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="Go on with this environment instead.")
    ] = None,
    detach: Detach = False,
    as_json: Json = False,
) -> None:
    """Go on with a build that has ended, with a step edited; what was done is not done again."""
    client = Client()
    environment = None
    if file is not None:
        environment = client.with_files(client.read_environment(file)["environment"], file.parent)
    answer = client.resume_build(
        build, edits=dict(map(_edit, edits or [])), environment=environment
    )
    _finish(client, answer, detach=detach, as_json=as_json)


@app.command(name="import")
def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What people already have.")],
    as_json: Json = False,
) -> None:
    """Print the environment that a requirements.txt, environment.yml, Dockerfile or .def describes."""
    found = Client().read_environment(file)
    if as_json:
        print_json(found)
        return
    print(str(found.get("yaml") or file.read_text()).rstrip())
    for path, place in found["copies"].items():
        say(f"Wants the file {path} at {place}: `diamond image build` sends it along.")
    for words in found["left_out"]:
        say(f"Not taken over: {words}")


@app.command(name="list")
def list_images(
    search: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD...]", help="In the name, the base, a package, a label."),
    ] = None,
    on: Annotated[
        str,
        typer.Option("--on", help="Only what is there.", autocompletion=complete_endpoint),
    ] = "",
    as_json: Json = False,
) -> None:
    """List images, newest first."""
    items = list(Client().images(search=" ".join(search or []), endpoint=on))
    if as_json:
        print_json({"items": items, "next": None})
        return
    if not items:
        say("No images. Build one: diamond image build FILE")
        return
    print_table(("NAME", "DIGEST", "BASE", "SIZE", "WHERE", "BUILT"), map(image_row, items))


@app.command()
def show(
    image: Annotated[str, typer.Argument(metavar="IMAGE", help="An image, or a build's task id.")],
    packages: Annotated[bool, typer.Option("--packages", help="All that is inside.")] = False,
    definition: Annotated[
        bool, typer.Option("--definition", help="The file to build it from without Diamond.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show an image: what it is, where it is, who uses it; or a build, step by step."""
    client = Client()
    try:
        found = client.image(image)
    except NotFound:
        print_build(_known_build(client, image), as_json=as_json)
        return
    if definition:
        print(client.image_definition(image).rstrip())
    elif packages:
        inside = client.image_contents(image)
        print_json(inside) if as_json else print("\n".join(contents_lines(inside)))
    elif as_json:
        print_json(found)
    else:
        print("\n".join([*image_lines(found), *use_lines(_last_uses(client, found))]))


@app.command()
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="An image.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    as_json: Json = False,
) -> None:
    """Say what two images hold otherwise."""
    found = Client().image_diff(a, b)
    if as_json:
        print_json(found)
        return
    lines = diff_lines(found)
    print("\n".join(lines) if lines else "They hold the same.")


@app.command()
def shell(
    build: BuildId,
    step: Annotated[
        str, typer.Option("--step", help="Before this step; default: the one that failed.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Open a shell in the state just before a build's failed step; changes there are thrown away.

    With --json nothing is opened: it prints what to type, and where.
    """
    client = Client()
    found = client.build(build)
    words = shlex.split((found["failure"] or {}).get("shell") or "")
    if not words:
        raise BadRequest(
            f"{build} has no failed step to look into",
            "`diamond image show BUILD` shows its steps.",
        )
    if step:
        words[-1] = step
    endpoint = client.endpoint(found["task"]["endpoint"])
    line = _shell_line(words, _modules(endpoint.raw))
    if as_json:
        print_json({"line": line, "host": endpoint.raw["host"], "user": endpoint.raw["user"]})
        return
    if endpoint.raw["carrier"] == "local":
        raise typer.Exit(subprocess.call(["bash", "-c", line]))
    if endpoint.raw["carrier"] == "ssh":
        raise typer.Exit(subprocess.call(_over_ssh(endpoint.name, endpoint.raw["ssh_host"], line)))
    say(f"On {endpoint.raw['host']}, as {endpoint.raw['user']}, type:")
    print(line)


@app.command()
def copy(
    image: ImageName,
    on: On,
    how: Annotated[str, typer.Option("--how", help="auto, move or rebuild.")] = "auto",
    account: Account = "auto",
    detach: Detach = False,
    as_json: Json = False,
) -> None:
    """Bring an image to another endpoint: by its file, or by building it there, as is faster."""
    client = Client()
    answer = client.copy_image(image, on, how, account=account)
    if not as_json:
        say(f"{image}: {answer['words']}")
    if answer["how"] == "rebuild" and not detach:
        raise typer.Exit(follow_build(client, answer["build"]["id"], as_json=as_json))
    if answer["how"] == "move" and not detach:
        answer["move"] = client.wait_for_move(answer["move"]["id"])
    if as_json:
        print_json(answer)
    elif answer["move"]:
        say(describe_transfer(answer["move"]))


@app.command()
def push(
    image: ImageName,
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="HOST/NAME:TAG")],
    on: Annotated[
        str, typer.Option("--on", help="Who sends it.", autocompletion=complete_endpoint)
    ] = "",
    as_json: Json = False,
) -> None:
    """Push an image to a registry, from an endpoint that has it."""
    client = Client()
    done = client.wait_for_move(client.push_image(image, reference, on=on)["id"])
    print_json(done) if as_json else say(describe_transfer(done))


@app.command()
def pull(
    reference: Annotated[
        str, typer.Argument(metavar="REFERENCE", help="oras://HOST/NAME:TAG or docker://NAME:TAG")
    ],
    name: Name = "",
    on: Where = "auto",
    as_json: Json = False,
) -> None:
    """Pull an image from a registry to an endpoint."""
    client = Client()
    answer = client.pull_image(reference, name=name, on=on)
    if not answer.get("move"):
        _finish(client, answer, detach=False, as_json=as_json)
        return
    done = client.wait_for_move(answer["move"]["id"])
    print_json(done) if as_json else say(describe_transfer(done))


@app.command()
def cancel(
    what: Annotated[
        str,
        typer.Argument(metavar="MOVE", help="A move's id, or an image: all its moves."),
    ],
    as_json: Json = False,
) -> None:
    """Call off what is on its way: a copy to another endpoint, a push or a pull.

    A build is a task: `diamond cancel BUILD`.
    """
    client = Client()
    done = [client.cancel_move(one) for one in _open_moves(client, what)]
    if as_json:
        print_json({"items": done})
        return
    for one in done:
        say(describe_transfer(one))
    if not done:
        say(f"Nothing of {what} is on its way.")


@app.command()
def rename(
    image: ImageName,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new name.")],
    as_json: Json = False,
) -> None:
    """Give an image another name."""
    found = Client().rename_image(image, name)
    print_json(found) if as_json else say(f"{found['identity'][:19]} is now called {name}")


@app.command()
def delete(image: ImageName, yes: Yes = False, as_json: Json = False) -> None:
    """Delete an image everywhere; refused while a task needs it."""
    client = Client()
    found = client.image(image)
    places = ", ".join(sorted({one["endpoint"] for one in found["copies"]})) or "nowhere now"
    if not yes:
        typer.confirm(f"Delete {found['name'] or image} ({places})?", abort=True)
    client.delete_image(found["id"])
    print_json({"deleted": found["id"]}) if as_json else say(f"{image} is deleted ({places})")


@app.command()
def prune(
    on: On,
    unused_days: Annotated[
        float, typer.Option("--unused", metavar="DAYS", help="Not used for so long.")
    ] = 30,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove what nobody needs: old layers, bases, unnamed images; without --yes, only say what."""
    found = Client().prune_images(on, unused_days=unused_days, dry_run=not yes)
    if as_json:
        print_json(found)
        return
    rows = [
        (one["kind"], one["name"], show_bytes(one["bytes"]), one["why"]) for one in found["items"]
    ]
    if not rows:
        say("Nothing to remove.")
        return
    print_table(("KIND", "NAME", "SIZE", "WHY"), rows)
    total = f"{plural(len(rows), 'thing')}, {show_bytes(found['bytes'])}"
    say(
        f"Removed: {total}" if yes else f"Nothing was removed. To free {total}: the same with --yes"
    )


def _shell_line(words: list[str], modules: list[str]) -> str:
    """As the build was started: after the site's own lines, in a login shell, which knows `module`."""
    if not modules:
        return shlex.join(words)
    return shlex.join(["bash", "-lc", "\n".join([*modules, f"exec {shlex.join(words)}"])])


def _over_ssh(name: str, host: str, line: str) -> list[str]:
    """As the endpoint itself is reached from here; from another machine by its name alone."""
    ssh = os.environ.get("DIAMOND_SSH") or "ssh"
    try:
        link = load_link(diamond_home(), name)
    except NotFound:
        return terminal_command(host, line, ssh=ssh)
    return terminal_command(
        link.ssh_host, line, ssh=ssh, config=link.ssh_config, options=link.ssh_options
    )


def _modules(endpoint: Mapping[str, Any]) -> list[str]:
    profile = endpoint.get("profile") or {}
    known = {**(profile.get("facts") or {}), **(profile.get("corrections") or {})}
    return [str(line) for line in (known.get("modules") or {}).get("value") or []]


def _last_uses(client: Client, image: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Only an image's owner sees who used it."""
    return list(client.image_uses(image["id"], SHOWN_USES)) if image["uses"] else []


def _open_moves(client: Client, what: str) -> list[str]:
    try:
        found = client.image(what)
    except NotFound:
        return [client.move(what)["id"]]
    return [one["id"] for one in found["moves"] if one["state"] in ("waiting", "running")]


def _finish(client: Client, answer: dict[str, Any], *, detach: bool, as_json: bool) -> None:
    for words in answer.get("warnings") or []:
        say(words)
    if answer["image"]:
        image = answer["image"]
        print_json(answer) if as_json else say(
            f"{image['name']} is there already: {image['identity']}"
        )
        return
    task = answer["build"]["task"]
    if detach:
        print_json(answer) if as_json else print(f"Build {task['id']} on {task['endpoint']}")
        return
    raise typer.Exit(follow_build(client, task["id"], as_json=as_json))


def _tell_preview(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    for fault in found["faults"]:
        say(f"{fault['field']}: {fault['message']} {fault['hint']}".strip())
    print(found["definition"].rstrip())


def _known_build(client: Client, text: str) -> dict[str, Any]:
    try:
        return client.build(text)
    except NotFound:
        raise NotFound(
            f"There is no image and no build {text!r}", "`diamond image list` lists images."
        ) from None


def _edit(text: str) -> tuple[str, str]:
    step, equals, script = text.partition("=")
    if not equals:
        raise BadRequest(f"{text!r} is not an edit", "Write STEP=TEXT, such as command-2='make'.")
    return step, script


def _name_of(file: Path) -> str:
    """After its file; a file that is called as all are, after its folder."""
    common = {"requirements", "environment", "dockerfile", "containerfile"}
    return file.stem if file.stem.lower() not in common else file.absolute().parent.name

"""`diamond image`: build, inspect, compare, transfer and delete images."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
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
from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, On, Yes, complete_endpoint
from diamond.cli.output import plural, print_json, print_table, say
from diamond.cli.saved_links import load_link
from diamond.cli.ssh_bootstrap import terminal_command
from diamond.cli.transfer_progress import TransferProgress
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
TargetEndpoint = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="ENDPOINT",
        help="Endpoint, or endpoint/partition.",
        autocompletion=complete_endpoint,
    ),
]
Name = Annotated[str, typer.Option("--name", help="The image's name.")]
Account = Annotated[str, typer.Option("--account", help="The account that pays.")]
SHOWN_USES = 10
Detach = Annotated[bool, typer.Option("--detach", "-d", help="Do not wait for it.")]


@dataclass(frozen=True)
class BuildOptions:
    """How and where an image is built."""

    name: Name = ""
    on: TargetEndpoint = "auto"
    runtime: Annotated[
        str,
        typer.Option("--runtime", help="apptainer, charliecloud, podman, …; default: the site's."),
    ] = ""
    account: Account = "auto"
    upgrade: Annotated[bool, typer.Option("--upgrade", help="Resolve base and packages again.")] = (
        False
    )


@app.command()
@option_groups
def build(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="An environment (YAML), or a requirements.txt, environment.yml, Dockerfile or .def.",
        ),
    ],
    options: BuildOptions,
    show: Annotated[bool, typer.Option("--show", help="Only show the definition.")] = False,
    detach: Detach = False,
    as_json: Json = False,
) -> None:
    """Build an image, or find it if it exists; follows the log until the build ends."""
    client = Client()
    read = client.read_environment(file)
    for line in read["left_out"]:
        say(f"Not imported: {line}")
    if show:
        environment = client.with_files(read["environment"], file.parent, send=False)
        _print_preview(client.preview_environment(environment, on=options.on), as_json=as_json)
        return
    answer = client.build_image(
        read["environment"],
        name=options.name or _name_of(file),
        on=options.on,
        runtime=options.runtime,
        upgrade=options.upgrade,
        account=options.account,
        folder=file.parent,
    )
    _finish(client, answer, detach=detach, as_json=as_json)


@app.command()
def resume(
    build: BuildId,
    edits: Annotated[
        list[str] | None,
        typer.Option("--edit", metavar="STEP=TEXT", help="For example command-2='make -j4'."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="Continue with this environment instead.")
    ] = None,
    detach: Detach = False,
    as_json: Json = False,
) -> None:
    """Continue a build that has ended, optionally with edited steps; finished steps are not repeated."""
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
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to convert.")],
    as_json: Json = False,
) -> None:
    """Convert a requirements.txt, environment.yml, Dockerfile or .def to an environment, and print it."""
    imported = Client().read_environment(file)
    if as_json:
        print_json(imported)
        return
    print(str(imported.get("yaml") or file.read_text()).rstrip())
    for path, target in imported["copies"].items():
        say(f"Needs the file {path} at {target}: `diamond image build` uploads it.")
    for line in imported["left_out"]:
        say(f"Not imported: {line}")


@app.command(name="list")
def list_images(
    search: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT...]", help="Text in the name, base, packages or labels."),
    ] = None,
    on: Annotated[
        str,
        typer.Option(
            "--on", help="Only images on this endpoint.", autocompletion=complete_endpoint
        ),
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
    packages: Annotated[bool, typer.Option("--packages", help="List all packages.")] = False,
    definition: Annotated[
        bool, typer.Option("--definition", help="Print the file to build it without Diamond.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show an image: what it contains, where it is and who uses it; or the steps of a build."""
    client = Client()
    try:
        shown = client.image(image)
    except NotFound:
        print_build(_known_build(client, image), as_json=as_json)
        return
    if definition:
        print(client.image_definition(image).rstrip())
    elif packages:
        inside = client.image_contents(image)
        print_json(inside) if as_json else print("\n".join(contents_lines(inside)))
    elif as_json:
        print_json(shown)
    else:
        print("\n".join([*image_lines(shown), *use_lines(_last_uses(client, shown))]))


@app.command()
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="An image.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another image.")],
    as_json: Json = False,
) -> None:
    """Show the differences between two images."""
    difference = Client().image_diff(a, b)
    if as_json:
        print_json(difference)
        return
    lines = diff_lines(difference)
    print("\n".join(lines) if lines else "The images are the same.")


@app.command()
def shell(
    build: BuildId,
    step: Annotated[
        str, typer.Option("--step", help="Before this step; default: the failed one.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Open a shell just before the failed step of a build; changes are discarded.

    With --json, only print the command and where to run it.
    """
    client = Client()
    failed = client.build(build)
    command = shlex.split((failed["failure"] or {}).get("shell") or "")
    if not command:
        raise BadRequest(
            f"{build} has no failed step",
            "See its steps: diamond image show BUILD",
        )
    if step:
        command[-1] = step
    endpoint = client.endpoint(failed["task"]["endpoint"])
    line = _shell_line(command, _modules(endpoint.raw))
    if as_json:
        print_json({"line": line, "host": endpoint.raw["host"], "user": endpoint.raw["user"]})
        return
    if endpoint.raw["carrier"] == "local":
        raise typer.Exit(subprocess.call(["bash", "-c", line]))
    if endpoint.raw["carrier"] == "ssh":
        raise typer.Exit(subprocess.call(_over_ssh(endpoint.name, endpoint.raw["ssh_host"], line)))
    say(f"On {endpoint.raw['host']}, as {endpoint.raw['user']}, run:")
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
    """Make an image available on another endpoint, by transfer or by building it there, whichever is faster."""
    client = Client()
    answer = client.copy_image(image, on, how, account=account)
    if not as_json:
        say(f"{image}: {answer['words']}")
    if answer["how"] == "rebuild" and not detach:
        raise typer.Exit(follow_build(client, answer["build"]["id"], as_json=as_json))
    if answer["how"] == "move" and not detach:
        progress = TransferProgress(quiet=as_json)
        answer["move"] = client.wait_for_move(answer["move"]["id"], progress)
    if as_json:
        print_json(answer)
    elif answer["move"]:
        say(describe_transfer(answer["move"]))


@app.command()
def push(
    image: ImageName,
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="HOST/NAME:TAG")],
    on: Annotated[
        str,
        typer.Option("--on", help="The endpoint that sends it.", autocompletion=complete_endpoint),
    ] = "",
    as_json: Json = False,
) -> None:
    """Push an image to a registry, from an endpoint that has it."""
    client = Client()
    progress = TransferProgress(quiet=as_json)
    done = client.wait_for_move(client.push_image(image, reference, on=on)["id"], progress)
    print_json(done) if as_json else say(describe_transfer(done))


@app.command()
def pull(
    reference: Annotated[
        str, typer.Argument(metavar="REFERENCE", help="oras://HOST/NAME:TAG or docker://NAME:TAG")
    ],
    name: Name = "",
    on: TargetEndpoint = "auto",
    as_json: Json = False,
) -> None:
    """Pull an image from a registry to an endpoint."""
    client = Client()
    answer = client.pull_image(reference, name=name, on=on)
    if not answer.get("move"):
        _finish(client, answer, detach=False, as_json=as_json)
        return
    done = client.wait_for_move(answer["move"]["id"], TransferProgress(quiet=as_json))
    print_json(done) if as_json else say(describe_transfer(done))


@app.command()
def cancel(
    what: Annotated[
        str,
        typer.Argument(metavar="TRANSFER", help="A transfer's id, or an image: all its transfers."),
    ],
    as_json: Json = False,
) -> None:
    """Cancel transfers: a copy to another endpoint, a push or a pull.

    A build is a task: `diamond cancel BUILD`.
    """
    client = Client()
    cancelled = [client.cancel_move(transfer) for transfer in _open_transfers(client, what)]
    if as_json:
        print_json({"items": cancelled})
        return
    for transfer in cancelled:
        say(describe_transfer(transfer))
    if not cancelled:
        say(f"{what} has no open transfers.")


@app.command()
def rename(
    image: ImageName,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new name.")],
    as_json: Json = False,
) -> None:
    """Rename an image."""
    shown = Client().rename_image(image, name)
    print_json(shown) if as_json else say(f"{shown['identity'][:19]} is now named {name}")


@app.command()
def delete(image: ImageName, yes: Yes = False, as_json: Json = False) -> None:
    """Delete an image everywhere; not possible while a task needs it."""
    client = Client()
    shown = client.image(image)
    where = ", ".join(sorted({copy["endpoint"] for copy in shown["copies"]})) or "no copies"
    if not yes:
        typer.confirm(f"Delete {shown['name'] or image} ({where})?", abort=True)
    client.delete_image(shown["id"])
    print_json({"deleted": shown["id"]}) if as_json else say(f"{image} is deleted ({where})")


@app.command()
def prune(
    on: On,
    unused_days: Annotated[
        float, typer.Option("--unused", metavar="DAYS", help="Not used for this long.")
    ] = 30,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove unused layers, bases and unnamed images; without --yes, only list them."""
    pruned = Client().prune_images(on, unused_days=unused_days, dry_run=not yes)
    if as_json:
        print_json(pruned)
        return
    rows = [
        (item["kind"], item["name"], show_bytes(item["bytes"]), item["why"])
        for item in pruned["items"]
    ]
    if not rows:
        say("Nothing to remove.")
        return
    print_table(("KIND", "NAME", "SIZE", "WHY"), rows)
    total = f"{plural(len(rows), 'item')}, {show_bytes(pruned['bytes'])}"
    say(f"Removed: {total}" if yes else f"Nothing was removed. To remove {total}, add --yes.")


def _shell_line(command: list[str], modules: list[str]) -> str:
    """Like the build itself: after the site's module lines, in a login shell that knows `module`."""
    if not modules:
        return shlex.join(command)
    return shlex.join(["bash", "-lc", "\n".join([*modules, f"exec {shlex.join(command)}"])])


def _over_ssh(name: str, host: str, line: str) -> list[str]:
    """With the saved connection of the endpoint if there is one, else by host name."""
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
    """The last tasks that used the image; only its owner sees them."""
    return list(client.image_uses(image["id"], SHOWN_USES)) if image["uses"] else []


def _open_transfers(client: Client, what: str) -> list[str]:
    try:
        shown = client.image(what)
    except NotFound:
        return [client.move(what)["id"]]
    return [move["id"] for move in shown["moves"] if move["state"] in ("waiting", "running")]


def _finish(client: Client, answer: dict[str, Any], *, detach: bool, as_json: bool) -> None:
    for warning in answer.get("warnings") or []:
        say(warning)
    if answer["image"]:
        image = answer["image"]
        print_json(answer) if as_json else say(
            f"{image['name']} already exists: {image['identity']}"
        )
        return
    task = answer["build"]["task"]
    if detach:
        print_json(answer) if as_json else print(f"Build {task['id']} on {task['endpoint']}")
        return
    raise typer.Exit(follow_build(client, task["id"], as_json=as_json))


def _print_preview(preview: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(preview)
        return
    for fault in preview["faults"]:
        say(f"{fault['field']}: {fault['message']} {fault['hint']}".strip())
    print(preview["definition"].rstrip())


def _known_build(client: Client, text: str) -> dict[str, Any]:
    try:
        return client.build(text)
    except NotFound:
        raise NotFound(
            f"There is no image or build {text!r}", "List images: diamond image list"
        ) from None


def _edit(text: str) -> tuple[str, str]:
    step, equals, script = text.partition("=")
    if not equals:
        raise BadRequest(f"{text!r} is not an edit", "Write STEP=TEXT, such as command-2='make'.")
    return step, script


def _name_of(file: Path) -> str:
    """Named after the file, or after the folder if the file has a generic name."""
    generic = {"requirements", "environment", "dockerfile", "containerfile"}
    return file.stem if file.stem.lower() not in generic else file.absolute().parent.name

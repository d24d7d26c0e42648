"""The command line: `diamond lab up|env|run|break|status|down`."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, get_args

from .faults import ControllerAction, NodeAction
from .lab import DEFAULT_FOLDER, Lab, LabStatus
from .machine import say
from .shape import SITES, LabError, UpOptions, checked_root
from .shutdown import take_down

INCOMPLETE = 3

if TYPE_CHECKING:
    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]


def main(argv: Sequence[str]) -> int:
    own, command = split_at_dashes(list(argv))
    arguments = parser().parse_args(own)
    arguments.command = command
    try:
        return int(arguments.do(arguments))
    except LabError as error:
        say(f"error: {error}")
        return 1


def split_at_dashes(argv: list[str]) -> tuple[list[str], list[str]]:
    at = argv.index("--") if "--" in argv else len(argv)
    return argv[:at], argv[at + 1 :]


def up(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    options = UpOptions(**{key: getattr(arguments, key) for key in UpOptions.__annotations__})  # type: ignore[typeddict-item]
    lab = Lab.up(arguments.folder or arguments.dir, **options)
    nodes = sum(cluster.shape.nodes for cluster in lab.clusters)
    note = (
        "" if lab.shape.isolated else " (nodes share one host name: no permission to isolate them)"
    )
    clusters = "1 cluster" if len(lab.clusters) == 1 else f"{len(lab.clusters)} clusters"
    say(f"{clusters}, {nodes} nodes in {time.monotonic() - began:.1f} s{note}")
    if arguments.json:
        print_json(lab.status())
    return 0


def env(arguments: argparse.Namespace) -> int:
    lab = Lab(arguments.dir)
    values = lab.cluster(arguments.cluster).env()
    if lab.shape.netns:
        say("this lab has its own network; use `diamond lab run` or ssh")
    if arguments.json:
        print_json(values)
    else:
        print("\n".join(f"export {key}={shlex.quote(value)}" for key, value in values.items()))
    return 0


def run(arguments: argparse.Namespace) -> int:
    if not arguments.command:
        raise LabError("no command was given; put it after --")
    cluster = Lab(arguments.dir).cluster(arguments.cluster)
    command = cluster.command(arguments.command, user=arguments.user, node=arguments.node)
    sys.stdout.flush()
    os.execvpe(command[0], command, cluster.command_env(arguments.user))


def break_node(arguments: argparse.Namespace) -> int:
    Lab(arguments.dir).cluster(arguments.cluster).break_node(arguments.node, arguments.action)
    return print_status(arguments)


def break_controller(arguments: argparse.Namespace) -> int:
    Lab(arguments.dir).cluster(arguments.cluster).break_controller(arguments.action)
    return print_status(arguments)


def print_status(arguments: argparse.Namespace) -> int:
    if arguments.json:
        print_json(Lab(arguments.dir).cluster(arguments.cluster).status())
    return 0


def status(arguments: argparse.Namespace) -> int:
    known = Lab(arguments.dir).status()
    if arguments.json:
        print_json(known)
    else:
        print("\n".join(status_lines(known)))
    return 0 if known["complete"] else INCOMPLETE


def down(arguments: argparse.Namespace) -> int:
    root = checked_root(arguments.folder or arguments.dir)
    lab = take_down(root, purge=arguments.purge)
    if arguments.json:
        print_json({"down": True, "purged": arguments.purge, "found": lab})
    elif lab:
        print(f"The lab in {root} is down{' and purged' if arguments.purge else ''}.")
    else:
        print(f"There is no lab in {root}. Nothing was changed.")
    return 0


def status_lines(known: LabStatus) -> Iterator[str]:
    for cluster in known["clusters"]:
        up_or_down = "up" if cluster["controller"] else "DOWN"
        yield f"{cluster['name']}: slurmctld {up_or_down}, SLURM_CONF={cluster['conf']}"
        for node in cluster["nodes"]:
            yield f"  {node['name']} {node['state']}, slurmd {'up' if node['slurmd'] else 'DOWN'}"
    for name, pid in known["processes"].items():
        yield f"  pid {pid} {name}"


def print_json(value: object) -> None:
    print(json.dumps(value, indent=2))


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="diamond lab",
        description="Real Slurm clusters on one machine, for tests and teaching.",
    )
    verbs = top.add_subparsers(required=True, metavar="COMMAND")
    add_up(verbs)
    command = add(verbs, "env", env, "print the export lines for a cluster")
    command.add_argument("cluster")
    add_run(verbs)
    add_break(verbs)
    add(verbs, "status", status, "show what is running; exit status 3 unless everything is")
    command = add(verbs, "down", down, "cancel all jobs and stop everything; records are kept")
    command.add_argument("folder", nargs="?", metavar="DIR", help="same as --dir")
    command.add_argument("--purge", action="store_true", help="also delete the lab's files")
    return top


def add(verbs: Verbs, name: str, do: Callable[..., int], text: str) -> argparse.ArgumentParser:
    command = verbs.add_parser(name, help=text, description=text)
    command.set_defaults(do=do)
    add_common(command)
    return command


def add_common(command: argparse.ArgumentParser) -> None:
    add_dir(command)
    command.add_argument("--json", action="store_true", help="print JSON")


def add_dir(command: argparse.ArgumentParser) -> None:
    folder = os.environ.get("DIAMOND_LAB_DIR", DEFAULT_FOLDER)
    command.add_argument("--dir", default=folder, help="the lab's folder (%(default)s)")


def add_up(verbs: Verbs) -> None:
    command = add(verbs, "up", up, "start a lab, or its missing parts; safe to repeat")
    each = "; or NAME=VALUE,... per cluster"
    flag = argparse.BooleanOptionalAction
    command.add_argument("folder", nargs="?", metavar="DIR", help="same as --dir")
    command.add_argument("--clusters", help="names (alpha,beta)")
    command.add_argument("--nodes", help=f"nodes per cluster (4){each}")
    command.add_argument("--cpus", help=f"CPUs a node pretends to have (8){each}")
    command.add_argument("--memory", help=f"MB a node pretends to have (16000){each}")
    command.add_argument("--gpus", help=f"GPUs per node, as TYPE:COUNT (a100:4), 0 for none{each}")
    command.add_argument("--users", help="users, created if missing (alice,bob)")
    command.add_argument("--like", metavar="SITE", help=f"one of {', '.join(SITES)} (open){each}")
    command.add_argument("--set", action="append", metavar="KEY=VALUE", help="a slurm.conf setting")
    command.add_argument("--programs", metavar="DIR", help="a folder with another Slurm's programs")
    command.add_argument("--accounting", action=flag, help="MariaDB and slurmdbd, for sacct (yes)")
    command.add_argument("--ssh", action=flag, help="a login node per cluster (no)")
    command.add_argument(
        "--netns", action=flag, help="its own network, without internet access (no)"
    )


def add_run(verbs: Verbs) -> None:
    text = "run a command against a cluster: run CLUSTER [options] -- COMMAND..."
    command = verbs.add_parser("run", help=text, description=text)
    command.set_defaults(do=run)
    add_dir(command)
    command.add_argument("cluster")
    command.add_argument("--user", help="as this user instead of root")
    command.add_argument("--node", help="on this compute node, by name or number")


def add_break(verbs: Verbs) -> None:
    command = verbs.add_parser(
        "break", help="make a node or controller fail, crash or hang, or repair it"
    )
    add_common(command)
    command.add_argument("cluster")
    parts = command.add_subparsers(required=True, metavar="node|controller")
    node = add(parts, "node", break_node, "a compute node")
    node.add_argument("node", help="its name or number")
    node.add_argument("action", choices=get_args(NodeAction))
    keep_earlier_options(node)
    controller = add(parts, "controller", break_controller, "the slurmctld")
    controller.add_argument("action", choices=get_args(ControllerAction))
    keep_earlier_options(controller)


def keep_earlier_options(command: argparse.ArgumentParser) -> None:
    """--dir and --json may come before or after the other arguments; `break` itself has their defaults."""
    for action in command._actions:
        if action.dest in ("dir", "json"):
            action.default = argparse.SUPPRESS

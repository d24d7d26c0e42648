"""The agent's command line: `run`, `pair`, `renew`, `status`, `stop`, `shell`, `cron-line`."""

from __future__ import annotations

import argparse
import logging
import logging.handlers
import os
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from diamond import __version__
from diamond.agent.disk import read_json, write_json
from diamond.agent.folders import Folders, choose_folders
from diamond.agent.guard.fence import Fence
from diamond.agent.guard.policy import Policy
from diamond.agent.link.carriers import Declined, HttpLink, Link, LinkDown
from diamond.agent.link.lease import Lease
from diamond.agent.link.pairing import check_address, pair, read_code
from diamond.agent.link.stdio import StdioLink
from diamond.agent.parent import end_with_parent
from diamond.agent.site.presence import (
    BATCH_JOB,
    RESIDENT,
    cron_line,
    how_it_stays,
    own_command,
    settle,
    tables,
    ways,
)
from diamond.core.errors import BadRequest, DiamondError

if TYPE_CHECKING:
    from diamond.schedulers.base import Scheduler


def main(argv: list[str] | None = None) -> int:
    given = sys.argv[1:] if argv is None else argv
    if given[:1] == ["sample"]:
        from diamond.training.sampler import main as sample

        return sample(given[1:]) or 0
    if given[:1] == ["serve-data"]:
        from diamond.agent.data.by_ssh import main as serve_data

        return serve_data(given[1:])
    if given[:1] == ["data-work"]:
        from diamond.agent.data.transfer_node import main as data_work

        return data_work()
    if given[:1] == ["build"]:
        from diamond.runtimes.builder import main as build

        return build(given[1:])
    arguments = _parser().parse_args(given)
    code = _do(arguments)
    if getattr(arguments, "stdio", False):
        _leave(code)
    return code


def _do(arguments: argparse.Namespace) -> int:
    acts = {
        "run": _run,
        "status": _status,
        "stop": _stop,
        "shell": _shell,
        "cron-line": _cron_line,
        "renew": _renew,
    }
    try:
        if arguments.act == "pair":
            return _pair(arguments)
        folders = choose_folders(os.environ, Path.home(), arguments.endpoint)
        return acts[arguments.act](arguments, folders)
    except DiamondError as error:
        print(f"{error.message}\n{error.hint}".strip(), file=sys.stderr)
        return 1


def _leave(code: int) -> NoReturn:
    """A thread still waits for standard input, and an interpreter that ends under it aborts instead."""
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="diamond-agent", description="Diamond's agent on a machine"
    )
    parser.add_argument("--version", action="version", version=__version__)
    acts = parser.add_subparsers(dest="act", required=True)
    run = acts.add_parser("run", help="run as this endpoint until stopped")
    run.add_argument(
        "--stdio", action="store_true", help="talk over standard input and output (ssh)"
    )
    run.add_argument("--with-parent", action="store_true", help="end once standard input closes")
    run.add_argument("--url", help="the service's address; default: the paired one")
    run.add_argument("--key-file", type=Path, help="a file with the endpoint's key")
    _add_scheduler(run)
    pairing = acts.add_parser("pair", help="become an endpoint: asks for the pairing code")
    pairing.add_argument("--url", required=True)
    pairing.add_argument("--no-run", action="store_true", help="only store the key")
    pairing.add_argument("--foreground", action="store_true", help="run in this process")
    pairing.add_argument(
        "--stay", choices=ways(), default=RESIDENT, help="how the agent keeps running here"
    )
    _add_scheduler(pairing)
    status = acts.add_parser("status", help="show whether an agent is running here")
    stop = acts.add_parser("stop", help="stop the agent; jobs continue")
    cron = acts.add_parser("cron-line", help="print a crontab line that keeps the agent alive")
    renew = acts.add_parser(
        "renew", help="renew the pairing; only its owner can, in a terminal here"
    )
    shell = acts.add_parser("shell", help="open a shell inside a running task")
    _add_shell(shell)
    for act in (run, status, stop, cron, renew, shell):
        act.add_argument("--endpoint", default="", help="which endpoint, where several are paired")
    return parser


def _add_shell(act: argparse.ArgumentParser) -> None:
    where = act.add_mutually_exclusive_group()
    where.add_argument("--node", default="", help="on this node; default: the first one of the job")
    where.add_argument("--rank", type=int, help="on the node of this rank")
    act.add_argument("task", metavar="TASK", help="the whole id of the task")
    act.add_argument("command", metavar="COMMAND", nargs="*", help="behind --, instead of a shell")


def _add_scheduler(act: argparse.ArgumentParser) -> None:
    act.add_argument("--scheduler", help="the batch system's adapter; default: detected")
    act.add_argument(
        "--this-machine",
        action="store_true",
        help="run jobs on this machine itself, even if it belongs to a batch system",
    )


def _run(arguments: argparse.Namespace, folders: Folders) -> int:
    """Already acting on this host: nothing to do under cron, else take over."""
    if os.environ.get("DIAMOND_STAYS") in tables() and Fence(folders.keep).acting()[0]:
        return 0
    folders.make()
    pipe = _private_stdout() if arguments.stdio else None
    _start_log(folders, quiet=arguments.stdio)
    return _act(arguments, folders, _link(arguments, folders, pipe))


def _act(arguments: argparse.Namespace, folders: Folders, link: Link) -> int:
    from diamond.agent.loop import Agent
    from diamond.agent.tasks.pace import pace_of

    scheduler = _scheduler(arguments, folders)
    stdio = isinstance(link, StdioLink)
    stays, pace = how_it_stays(os.environ, stdio=stdio), pace_of(os.environ)
    agent = Agent(folders, link, scheduler, stays=stays, pace=pace)
    signal.signal(signal.SIGTERM, lambda *_: agent.stop())
    signal.signal(signal.SIGINT, lambda *_: agent.stop())
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if getattr(arguments, "with_parent", False):
        end_with_parent()
    code = agent.run()
    if code == 3:
        print("Another agent of this endpoint has taken over; this one stops.", file=sys.stderr)
    elif code == 4:
        print("The service does not accept this agent's key. Pair again.", file=sys.stderr)
    return code


def _scheduler(arguments: argparse.Namespace, folders: Folders) -> Scheduler:
    from diamond.schedulers.registry import detect, load_scheduler, this_machine

    name = this_machine() if arguments.this_machine else arguments.scheduler or detect()
    return load_scheduler(name, folders.work / "schedulers" / name)


def _link(arguments: argparse.Namespace, folders: Folders, pipe: BinaryIO | None) -> Link:
    if pipe is not None:
        return StdioLink(sys.stdin.buffer, pipe)
    paired = read_json(folders.keep / "agent.json") or {}
    url = arguments.url or paired.get("url")
    key = arguments.key_file.read_text().strip() if arguments.key_file else paired.get("key")
    if not url or not key:
        raise BadRequest("This machine is not paired yet", "Run: agent.pyz pair --url ADDRESS")
    check_address(url)
    return HttpLink(url, key)


def _private_stdout() -> BinaryIO:
    """The pipe carries frames only: whatever else is printed goes to standard error."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


def _start_log(folders: Folders, *, quiet: bool) -> None:
    file = logging.handlers.RotatingFileHandler(
        folders.keep / "agent.log", maxBytes=2_000_000, backupCount=2
    )
    handlers: list[logging.Handler] = [file]
    if not quiet and sys.stderr.isatty():
        handlers.append(logging.StreamHandler())
    (folders.keep / "agent.log").chmod(0o600)
    layout = "%(asctime)s %(levelname)s %(threadName)s %(message)s"
    logging.basicConfig(level=logging.INFO, handlers=handlers, format=layout)
    logging.raiseExceptions = False


def _pair(arguments: argparse.Namespace) -> int:
    try:
        record = pair(arguments.url, read_code())
    except (Declined, LinkDown) as error:
        print(f"Pairing failed: {error}\nAsk for a fresh code and try again.", file=sys.stderr)
        return 1
    folders = choose_folders(os.environ, Path.home(), str(record["endpoint"]))
    folders.make()
    write_json(folders.keep / "agent.json", record, mode=0o600, durable=True)
    Lease(folders.keep, Policy(folders.keep)).renew()
    name, endpoint = record["name"], str(record["endpoint"])
    print(f"Paired as endpoint {name}. Its owner must confirm this host and user.", file=sys.stderr)
    if arguments.no_run:
        return 0
    if not arguments.foreground:
        scheduler = _scheduler_arguments(arguments)
        command = own_command(["run", "--endpoint", endpoint, *scheduler])
        if arguments.stay == BATCH_JOB:
            print(_submit_itself(arguments, folders, command))
        else:
            print(settle(arguments.stay, command))
        return 0
    _start_log(folders, quiet=False)
    plain = argparse.Namespace(
        url=None,
        key_file=None,
        scheduler=arguments.scheduler,
        this_machine=arguments.this_machine,
    )
    return _act(plain, folders, _link(plain, folders, None))


def _scheduler_arguments(arguments: argparse.Namespace) -> list[str]:
    if arguments.this_machine:
        return ["--this-machine"]
    return ["--scheduler", arguments.scheduler] if arguments.scheduler else []


def _submit_itself(arguments: argparse.Namespace, folders: Folders, command: list[str]) -> str:
    from diamond.agent.site.batch_job import submit_agent
    from diamond.schedulers.base import tools_of

    scheduler = _scheduler(arguments, folders)
    number, script = submit_agent(scheduler, folders, command)
    submit = tools_of(scheduler).submit_command
    again = f": {submit} {shlex.quote(str(script))}" if submit else f", with {script}"
    return f"The agent is batch job {number}. When that ends, submit it again{again}"


def _status(_: argparse.Namespace, folders: Folders) -> int:
    pid, host = Fence(folders.keep).acting()
    print(f"acting: process {pid} on {host}" if pid else "no agent is acting here")
    return 0 if pid else 1


def _stop(_: argparse.Namespace, folders: Folders) -> int:
    import socket

    pid, host = Fence(folders.keep).acting()
    if not pid:
        print("no agent is acting here")
        return 0
    if host != socket.gethostname():
        raise BadRequest(f"The agent acts on {host}", f"Sign in to {host} and stop it there.")
    os.kill(pid, signal.SIGTERM)
    print(f"process {pid} was asked to stop; jobs continue")
    return 0


def _shell(arguments: argparse.Namespace, folders: Folders) -> int:
    from diamond.agent.tasks.shell import Where, open_shell

    open_shell(folders, arguments.task, Where(arguments.node, arguments.rank), arguments.command)


def _renew(_: argparse.Namespace, folders: Folders) -> int:
    """Only from a terminal, which the site's own sign-in protects; a script of somebody else cannot."""
    if not sys.stdin.isatty():
        raise BadRequest("Only its owner can renew a pairing", "Run this command in a terminal.")
    until = Lease(folders.keep, Policy(folders.keep)).renew()
    print(f"The pairing is good until {time.strftime('%Y-%m-%d', time.localtime(until))}.")
    return 0


def _cron_line(_: argparse.Namespace, folders: Folders) -> int:
    print(cron_line(own_command(["run", "--endpoint", folders.keep.name])))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What this machine lets a service do: the site's file and the owner's own; the stricter of both wins.

Whatever the service says, nothing beyond it is run, and nothing beyond it leaves. A file that cannot be read allows nothing.
"""

from __future__ import annotations

import fnmatch
import os
import pwd
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diamond.agent.guard.signatures import signature_fault
from diamond.agent.guard.small_toml import read_small_toml
from diamond.core.errors import BadRequest, DiamondError, Forbidden
from diamond.core.order import Order
from diamond.core.protocol import Person, TaskRequest
from diamond.images.scripts import VENV
from diamond.pilots.environment import environment_of

SITE_FILE = Path("/etc/diamond/site.toml")
OWN_NAME = "policy.toml"
EGRESS = ("all", "logs", "states")
"""From the least strict: everything; logs and metrics, no files; states of tasks alone."""
LEASE_DAYS = 30.0
IDLE_HOURS = 12.0
LOOK_SECONDS = 2.0
_OF_SHELLS = frozenset(";&|<>$`(){}\n")
LISTS = frozenset(
    {
        *("partitions", "images", "commands", "variables", "signers", "community"),
        *("data_folders", "data_sources"),
    }
)
# Requests whose answers hold nothing of what a program wrote or read.
OF_STATES = frozenset({"set-secret", "list-secrets", "delete-secret", "prune-images", "usage"})
OF_FILES = frozenset({"browse", "read-file", "stat-file"})
OF_WORK = frozenset({"modules", "build", "data"})
"""Facts whose corrections become part of what is run: lines of a shell, where packages come from, hosts that ssh reaches."""
OF_BOUNDS = frozenset({"partitions", "flags"})
"""Facts that say where a job goes which names no partition, and which of its options are left out: its time limit, say."""


@dataclass(frozen=True)
class Rules:
    """One file's. None: no limit."""

    source: str
    partitions: list[str] | None = None
    max_nodes: float | None = None
    max_hours: float | None = None
    images: list[str] | None = None
    """sha256 digests of the image files that may be run; nothing may be built then."""
    commands: list[str] | None = None
    """Patterns with * and ?; the whole command must fit one. Whatever else could change what runs is rejected then."""
    data_folders: list[str] | None = None
    """Folders whose files a service may have registered as data. None: any, unless this file lists what may run."""
    data_sources: list[str] | None = None
    """Patterns of addresses that data may be fetched from. None: any, unless this file lists what may run."""
    variables: list[str] | None = None
    """Beside `commands`: names of variables that a spec may set. None: none of them."""
    egress: str = "all"
    lease_days: float = LEASE_DAYS
    require_signed: bool = False
    signers: list[str] | None = None
    """Public keys in OpenSSH's form, of those whose orders are taken."""
    community: list[str] | None = None
    """Unix accounts that several people run through; only the site may say so."""
    syslog: bool = False
    max_queued: float | None = None
    submits_per_hour: float | None = None
    withdrawn_per_day: float | None = None
    data_mb_per_second: float | None = None
    """The most that transfers of data may use, all together."""
    idle_hours: float | None = None
    """After so many hours without work a paired agent ends; 0: never."""
    pilots: bool = True
    """Whether allocations may run other tasks of the same person inside them."""

    def rejection(self, order: Order, partition: str) -> str:
        """Why an order is rejected, even if it is signed; '' if it is allowed."""
        if not self.pilots and (order.pilot is not None or order.placement.pilot):
            return "pilots are switched off (pilots = false)"
        is_inside = bool(order.placement.pilot)  # the partition is the pilot's, which was judged
        if self.partitions is not None and partition not in self.partitions and not is_inside:
            return f"partition {partition!r} is not one of {', '.join(self.partitions)}"
        if not _is_count(order.resources.nodes) or not _is_count(order.resources.walltime_minutes):
            return "it does not say how many nodes for how many minutes"
        if self.max_nodes is not None and order.resources.nodes > self.max_nodes:
            return f"{order.resources.nodes} nodes are more than {self.max_nodes:g}"
        hours = order.resources.walltime_minutes / 60
        if self.max_hours is not None and hours > self.max_hours:
            return f"{hours:g} hours are more than {self.max_hours:g}"
        if order.pilot is not None:
            return self._pilot_fault(order)
        if self.images is not None and not self._has_image(order):
            return "only the images of its list may be run"
        return self._command_fault(order, self.commands) if self.commands is not None else ""

    def _command_fault(self, order: Order, patterns: list[str]) -> str:
        """Why an order is not exactly one of the listed commands, started as the machine itself would."""
        if order.build is not None:
            return "a build runs its own commands, and only those of its list may be run"
        if not _fits(order.program.text, patterns):
            return "the command fits none of its patterns"
        unlisted = sorted(_set_by(order) - set(self.variables or []))
        if unlisted:
            names = ", ".join(unlisted)
            return f"variables can change what runs, and these are not listed (variables): {names}"
        environment = order.environment
        if environment is not None and (environment.requirements or environment.python):
            return "packages can change what runs: only a listed image may bring them (images)"
        if order.image is not None and self.images is None:
            return "an image can change what runs, and none is listed (images)"
        if order.image is not None and set(order.image.path) - {f"{VENV}/bin"}:
            return "its image puts its own folder in front of PATH"
        return ""

    def _pilot_fault(self, order: Order) -> str:
        """Where work is listed, a pilot is Diamond's own program in its own environment; each stage in it is judged by itself."""
        own = environment_of(order.pilot.engine) if order.pilot is not None else None
        if not self.lists_work or (order.environment == own and not _brings_more(order)):
            return ""
        return "a pilot brings its own environment, and nothing else may be listed for it"

    @property
    def lists_work(self) -> bool:
        """What may run is listed, or signed."""
        return self.require_signed or self.commands is not None or self.images is not None

    def may_register(self, real: str) -> bool:
        """Where work is listed or signed, a service could otherwise read any file of the account as data."""
        if self.data_folders is None:
            return not self.lists_work
        return any(
            f"{real}/".startswith(os.path.realpath(one).rstrip("/") + "/")
            for one in self.data_folders
        )

    @property
    def bounds_jobs(self) -> bool:
        return (self.partitions, self.max_nodes, self.max_hours) != (None, None, None)

    def _has_image(self, order: Order) -> bool:
        """By the digest of its file, the only one that the agent enters then."""
        image = order.image
        if image is None or order.build is not None or image.format == "venv":
            return False
        return bool(image.sha256) and _bare(image.sha256) in map(_bare, self.images or [])


@dataclass
class Policy:
    """Both files, read again when they may have changed."""

    keep: Path
    site: Path = SITE_FILE
    _looked_at: float = -LOOK_SECONDS
    _rules: list[Rules] = field(default_factory=list)
    _fault: str = ""

    def rejection(self, request: TaskRequest, partition: str) -> str:
        """Why this machine rejects an order, as its owner reads it; '' when it accepts it."""
        rules = self._now()
        if self._fault:
            return f"nothing runs here until this file is corrected: {self._fault}"
        for each in rules:
            why = each.rejection(request.order, partition)
            if not why and each.require_signed:
                why = signature_fault(request, _signers(each, rules))
            if why:
                return f"the policy of this machine ({each.source}) does not allow it: {why}"
        return ""

    @property
    def egress(self) -> str:
        rules = self._now()
        if self._fault:
            return EGRESS[-1]
        return max([each.egress for each in rules] or ["all"], key=EGRESS.index)

    @property
    def allows_logs(self) -> bool:
        """Whether logs and metrics may leave the machine."""
        return self.egress != "states"

    @property
    def allows_files(self) -> bool:
        return self.egress == "all"

    def check_data_folder(self, path: str, tasks: Path) -> None:
        """Raise unless data in this folder may be registered: what is registered can be sent elsewhere.

        Diamond's own folders are not data, except what runs leave in their working directories below `tasks`.
        """
        real = os.path.realpath(path)
        for each in self._now():
            if not each.may_register(real):
                raise Forbidden(
                    f"The policy of this machine ({each.source}) does not let {path} be registered as data",
                    "Ask for the folder to be listed there: data_folders = [...]",
                )
        kept = os.path.realpath(self.keep)
        own = real == kept or f"{real}/".startswith(f"{kept}/")
        if self._fault or (own and not _is_left_by_a_run(real, tasks)):
            raise Forbidden(f"{path} cannot be registered as data", "Choose a folder of your data.")

    def data_sources(self) -> list[list[str]]:
        """For each file that limits them, patterns of addresses that may be fetched. Raises `Forbidden` where nothing may be."""
        limits = []
        for each in self._now():
            if each.data_sources is not None:
                limits.append(each.data_sources)
            elif each.lists_work:
                raise Forbidden(
                    f"The policy of this machine ({each.source}) does not let data be fetched from elsewhere",
                    "Ask for the address to be listed there: data_sources = [...]",
                )
        if self._fault:
            raise Forbidden(
                f"Nothing is fetched here until this file is corrected: {self._fault}",
                "Correct the policy file on the machine.",
            )
        return limits

    @property
    def data_folders(self) -> list[str] | None:
        """Those that the files list, each that lists any; none where work is listed and folders are not. None: any."""
        rules = self._now()
        if self._fault:
            return []
        lists = [each.data_folders for each in rules if each.data_folders is not None]
        if lists:
            return [folder for folders in lists for folder in folders]
        return [] if any(each.lists_work for each in rules) else None

    @property
    def lease_days(self) -> float:
        return min([each.lease_days for each in self._now()] or [LEASE_DAYS])

    @property
    def require_signed(self) -> bool:
        return any(each.require_signed for each in self._now())

    def person_fault(self, person: Person | None, secrets: list[str]) -> str:
        """Why work for this person is rejected, or ''. `person`: whom the service names beside the account's owner."""
        if not self.is_community:
            message = "this is not a community account: it runs for its owner alone"
            return message if person else ""
        if person is None or not person.id or not person.name:
            return "this is a community account, and the work names no person"
        return "secrets of a community account are its owner's" if secrets else ""

    @property
    def stands(self) -> bool:
        """Whether there is any policy file."""
        return bool(self._now()) or bool(self._fault)

    def agent_fault(self) -> str:
        """Why a service may not replace the agent: another one could pass the policy by."""
        message = "a machine with a policy accepts no agent from its service"
        return f"{message}: put agent.pyz there by hand" if self.stands else ""

    @property
    def own_facts(self) -> frozenset[str]:
        """Facts that are corrected in `settings.json` on this machine alone: the service could run something unlisted with them."""
        rules = self._now()
        if self._fault:
            return OF_WORK | OF_BOUNDS
        of_work = OF_WORK if any(each.lists_work for each in rules) else frozenset()
        return of_work | (OF_BOUNDS if any(each.bounds_jobs for each in rules) else frozenset())

    @property
    def is_community(self) -> bool:
        return any(account_name() in (each.community or []) for each in self._now())

    def bound(self, name: str) -> tuple[float | None, str]:
        """The smallest number that a file sets, and the file; None where none does."""
        given = [(getattr(each, name), each.source) for each in self._now()]
        return min((each for each in given if each[0] is not None), default=(None, ""))

    @property
    def bounds_submissions(self) -> bool:
        names = ("max_queued", "submits_per_hour", "withdrawn_per_day")
        return any(self.bound(name)[0] is not None for name in names)

    @property
    def idle_hours(self) -> float:
        """The shortest time that a file sets; a 0 says that it never ends, unless the other file disagrees."""
        given = [each.idle_hours for each in self._now() if each.idle_hours is not None]
        return min((hours for hours in given if hours), default=0.0 if given else IDLE_HOURS)

    @property
    def allows_pilots(self) -> bool:
        rules = self._now()
        return not self._fault and all(each.pilots for each in rules)

    @property
    def syslog(self) -> bool:
        return any(each.syslog for each in self._now())

    def check_answer(self, kind: str, place: str) -> None:
        """Raise unless the answer to such a request may leave; the hint says where to look instead."""
        egress = self.egress
        is_held = egress == "states" and kind not in OF_STATES
        if is_held or (egress == "logs" and kind in OF_FILES):
            raise Forbidden(
                f"This stays on the machine: its policy lets only {egress} leave",
                f"Sign in there and look at {place}",
                code="egress",
            )

    def _now(self) -> list[Rules]:
        if time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._looked_at = time.monotonic()
            try:
                self._rules, self._fault = load_rules(self.site, self.keep / OWN_NAME), ""
            except (DiamondError, OSError) as error:
                self._rules, self._fault = [], str(error)
        return self._rules


def _signers(rules: Rules, every: list[Rules]) -> list[str]:
    """A file that lists keys counts no others; else those of the other file."""
    if rules.signers is not None:
        return rules.signers
    return [key for each in every for key in each.signers or []]


def load_rules(site: Path, own: Path) -> list[Rules]:
    """From the files that exist; raises for one that is not valid."""
    rules = []
    if site.exists():
        _check_site_file(site)
        rules.append(_read(site))
    if own.exists():
        rules.append(_read(own))
        if rules[-1].community is not None:
            raise BadRequest(f"{own}: only {site} makes an account a community account")
    return rules


def account_name() -> str:
    return pwd.getpwuid(os.getuid()).pw_name


def _check_site_file(file: Path) -> None:
    """Only root speaks for the site: a file that others can write does not count."""
    facts = file.stat()
    if facts.st_uid != 0 or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise BadRequest(f"{file} must belong to root and be writable by root alone")


def _read(file: Path) -> Rules:
    try:
        given = read_small_toml(file.read_text())
        known = {name for name in Rules.__dataclass_fields__ if name != "source"}
        unknown = sorted(set(given) - known)
        if unknown:
            raise BadRequest(
                f"unknown settings: {', '.join(unknown)}; known: {', '.join(sorted(known))}"
            )
        return Rules(
            source=os.fspath(file), **{name: _checked(name, given[name]) for name in given}
        )
    except BadRequest as error:
        raise BadRequest(f"{file}: {error}") from None


def _checked(name: str, value: Any) -> Any:
    if name in LISTS:
        good = isinstance(value, list) and all(isinstance(each, str) for each in value)
    elif name in ("require_signed", "syslog", "pilots"):
        good = isinstance(value, bool)
    elif name == "egress":
        good = value in EGRESS
    else:
        good = isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
    if not good:
        raise BadRequest(f"{name} cannot be {value!r}")
    return value


def _is_count(value: Any) -> bool:
    """Batch systems read 0 minutes as no limit at all."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _fits(command: str, patterns: list[str]) -> bool:
    """A line that a shell could read as several commands must be listed literally: * would match anything after a ;"""
    if set(command) & _OF_SHELLS:
        return command in patterns
    return any(fnmatch.fnmatchcase(command, pattern) for pattern in patterns)


def _set_by(order: Order) -> set[str]:
    """Names of the variables that its program would be started with; where the image's own Python is, changes nothing."""
    own = order.environment.variables if order.environment else {}
    image = order.image.variables if order.image else {}
    return {*own, *(name for name in image if (name, image[name]) != ("VIRTUAL_ENV", VENV))}


def _brings_more(order: Order) -> bool:
    return bool(
        order.image or order.build or order.code or order.data or order.trees or order.secrets
    )


def _bare(digest: str) -> str:
    return digest.replace("sha256:", "")


def _is_left_by_a_run(real: str, tasks: Path) -> bool:
    """Whether it is in tasks/TASK/run/."""
    root = Path(os.path.realpath(tasks))
    names = Path(real).relative_to(root).parts if root in Path(real).parents else ()
    return len(names) > 2 and names[1] == "run"

"""The layout of a lab: its clusters, their nodes, ports and folders."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from diamond.core.errors import DiamondError

SITES = ("open", "tacc", "delta")
RESERVED_NAMES = ("run", "log", "munge", "db", "ssh")
LONGEST_UNIX_SOCKET = 107

T = TypeVar("T")


class LabError(DiamondError):
    """A lab command failed; the message says why and what to do."""

    code = "lab"


class UpOptions(TypedDict, total=False):
    """Options of `up`; omitted ones keep their value."""

    clusters: str | Sequence[str] | None
    nodes: str | int | None
    cpus: str | int | None
    memory: str | int | None
    gpus: str | int | None
    users: str | Sequence[str] | None
    like: str | None
    set: Sequence[str] | None
    programs: str | None
    accounting: bool | None
    ssh: bool | None
    netns: bool | None


@dataclass(frozen=True)
class Options:
    """The options of `up`, as on the command line; saved in the lab's folder."""

    clusters: str = "alpha,beta"
    nodes: str = "4"
    cpus: str = "8"
    memory: str = "16000"
    gpus: str = "a100:4"
    users: str = "alice,bob"
    like: str = "open"
    set: str = ""
    programs: str = ""
    """A folder with the programs of another Slurm, used in place of the machine's."""
    accounting: bool = True
    ssh: bool = False
    netns: bool = False

    @property
    def user_names(self) -> list[str]:
        return [name for name in self.users.split(",") if name]

    @property
    def settings(self) -> list[str]:
        return self.set.splitlines()


@dataclass(frozen=True)
class Gpus:
    kind: str
    count: int


@dataclass(frozen=True)
class ClusterShape:
    """One cluster: the resources its nodes pretend to have, and its ports."""

    root: Path
    name: str
    nodes: int
    cpus: int
    memory_mb: int
    gpus: Gpus | None
    like: str
    controller_port: int
    ssh_port: int
    node_ports: tuple[int, ...]

    @property
    def conf(self) -> Path:
        return self.root / "slurm.conf"

    @property
    def controller(self) -> str:
        return f"{self.name}.slurmctld"

    @property
    def login(self) -> str:
        return f"{self.name}-login"

    @property
    def node_names(self) -> list[str]:
        return [f"{self.name}-n{i}" for i in range(1, self.nodes + 1)]

    @property
    def is_strict(self) -> bool:
        return self.like != "open"

    def address(self, index: int) -> str:
        """Derived from names only, so that two labs never disagree about /etc/hosts."""
        net = 10 + zlib.crc32(self.name.encode()) % 200
        return f"127.{net}.{index // 250}.{index % 250}"

    def node(self, name: str | int) -> str:
        full = f"{self.name}-n{name}" if str(name).isdigit() else str(name)
        if full not in self.node_names:
            raise LabError(f"there is no node {full!r}; nodes: {', '.join(self.node_names)}")
        return full


@dataclass(frozen=True)
class LabShape:
    """A whole lab, as saved in lab.json."""

    root: Path
    options: Options
    isolated: bool
    database_port: int
    slurmdbd_port: int
    clusters: tuple[ClusterShape, ...]

    @property
    def munge_socket(self) -> Path:
        return self.root / "munge" / "socket"

    @property
    def ssh_config(self) -> Path:
        return self.root / "ssh" / "config"

    @property
    def netns(self) -> str | None:
        """The name of the lab's network namespace, if it has one."""
        return netns_name(self.root) if self.options.netns else None

    def cluster(self, name: str) -> ClusterShape:
        for cluster in self.clusters:
            if cluster.name == name:
                return cluster
        names = ", ".join(cluster.name for cluster in self.clusters)
        raise LabError(f"there is no cluster {name!r}; clusters: {names}")


def netns_name(root: Path) -> str:
    return f"dl-{zlib.crc32(str(root).encode()):08x}"


def checked_root(folder: str | Path) -> Path:
    root = Path(folder).absolute()
    if not re.fullmatch(r"[\w./@+:-]+", str(root)):
        raise LabError(
            f"{root}: the path contains characters that Slurm misreads; use letters, digits and . / @ + : - _"
        )
    return root


def merge(old: Options, new: UpOptions) -> Options:
    """The old options with the new ones; a strict site needs some more."""
    given: dict[str, Any] = {
        key: as_option(key, value) for key, value in new.items() if value is not None
    }
    merged = Options(**{**asdict(old), **given})
    if all(site == "open" for site in sites_of(merged).values()):
        return merged
    return Options(**{**asdict(merged), "accounting": True, "ssh": True, "netns": True})


def sites_of(options: Options) -> dict[str, str]:
    return per_cluster(options, "like", parse_site)


def as_option(key: str, value: object) -> str | bool:
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, Sequence):
        return ("\n" if key == "set" else ",").join(str(part) for part in value)
    return str(value)


def lay_out(root: Path, options: Options, *, isolated: bool, ports: Sequence[int]) -> LabShape:
    """Decide every name, size and port of a lab."""
    names = cluster_names(options)
    nodes = per_cluster(options, "nodes", parse_positive)
    cpus = per_cluster(options, "cpus", parse_positive)
    memory = per_cluster(options, "memory", parse_positive)
    gpus = per_cluster(options, "gpus", parse_gpus)
    like = sites_of(options)
    free = iter(ports)
    database_port, slurmdbd_port = next(free), next(free)
    clusters = tuple(
        ClusterShape(
            root / name,
            name,
            nodes[name],
            cpus[name],
            memory[name],
            gpus[name],
            like[name],
            next(free),
            next(free),
            tuple(next(free) for _ in range(nodes[name])),
        )
        for name in names
    )
    for cluster in clusters:
        check_length(cluster)
    return LabShape(root, options, isolated, database_port, slurmdbd_port, clusters)


def count_ports(options: Options) -> int:
    return 2 + sum(count + 2 for count in per_cluster(options, "nodes", parse_positive).values())


def cluster_names(options: Options) -> list[str]:
    names = [name for name in options.clusters.split(",") if name]
    for name in names:
        if not re.fullmatch("[a-z][a-z0-9]*", name) or name in RESERVED_NAMES:
            raise LabError(f"invalid cluster name {name!r}: use lower-case letters and digits")
    if not names:
        raise LabError("--clusters: name at least one")
    return names


def per_cluster(options: Options, option: str, convert: Callable[[str], T]) -> dict[str, T]:
    """Read '4', meant for all clusters, or 'alpha=4,beta=2'."""
    text, names = getattr(options, option), cluster_names(options)
    given = dict.fromkeys(names, text)
    if "=" in text:
        given = dict(part.split("=", 1) for part in text.split(","))
    try:
        return {name: convert(given[name]) for name in names}
    except KeyError as error:
        raise LabError(f"--{option} has no value for cluster {error}") from None
    except ValueError as error:
        raise LabError(f"--{option}: {error}") from None


def parse_positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"{text!r} is not a whole number above 0")
    return int(text)


def parse_gpus(text: str) -> Gpus | None:
    if text in ("", "0", "none"):
        return None
    kind, _, count = text.partition(":")
    return Gpus(kind, parse_positive(count))


def parse_site(text: str) -> str:
    if text not in SITES:
        raise ValueError(f"there is no site {text!r}; sites: {', '.join(SITES)}")
    return text


def check_length(cluster: ClusterShape) -> None:
    """slurmstepd listens on a Unix socket in its node's spool folder."""
    node = cluster.node_names[-1]
    path = cluster.root / "spool" / node / f"{node}_1234567.4294967291"
    excess = len(str(path)) - LONGEST_UNIX_SOCKET
    if excess > 0:
        raise LabError(
            f"the path {cluster.root.parent} is {excess} characters too long for Unix sockets"
        )


def save(lab: LabShape) -> None:
    text = json.dumps(asdict(lab), indent=2, default=str) + "\n"
    new = lab.root / "lab.json.new"
    new.write_text(text)
    new.replace(lab.root / "lab.json")


def load(root: Path) -> LabShape | None:
    """The lab saved in a folder, or None."""
    try:
        saved = json.loads((root / "lab.json").read_text())
    except FileNotFoundError:
        return None
    if set(saved) != {field.name for field in fields(LabShape)}:
        raise LabError(
            f"{root}/lab.json was written by another version of Diamond; use another folder"
        )
    clusters = tuple(load_cluster(cluster) for cluster in saved["clusters"])
    options = Options(**saved["options"])
    return LabShape(**{**saved, "root": root, "options": options, "clusters": clusters})


def load_cluster(saved: dict[str, Any]) -> ClusterShape:
    gpus = Gpus(**saved["gpus"]) if saved["gpus"] else None
    exact = {"root": Path(saved["root"]), "node_ports": tuple(saved["node_ports"]), "gpus": gpus}
    return ClusterShape(**{**saved, **exact})

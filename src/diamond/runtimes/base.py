"""What a program runs inside: built step by step in a job, entered by the batch script.

A runtime only builds command lines and knows where its layers are. Order, cache, logs, failures and cancelling
are written once, in `building.py`; the suite that every runtime passes is `diamond.testing.runtimes`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Protocol, Sequence, Tuple

from diamond.core.errors import EnvironmentFailed
from diamond.images.plan import BuildPlan, Step
from diamond.runtimes.calls import Call
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.manifests import ImageManifest
from diamond.runtimes.site import Site, SiteFolder


class NotBegun(EnvironmentFailed):
    """What a build asks for cannot be had, so that nothing is begun. `step` is the one to mend."""

    def __init__(self, step: str, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.step = step


@dataclass(frozen=True)
class Entered:
    """How a program gets inside, and with what."""

    variables: Dict[str, str] = field(default_factory=dict)
    """For the program alone, set as it is started: inside the container where there is one."""
    exported: Dict[str, str] = field(default_factory=dict)
    """What the batch script itself sets: names and values of Diamond's own making."""
    path: List[str] = field(default_factory=list)
    """Folders in front of PATH: of the batch script without a `prefix`, else inside."""
    prefix: List[str] = field(default_factory=list)
    """Words that enter the container."""
    mounts: List[Tuple[str, str]] = field(default_factory=list)
    """Archives that the batch script mounts on its node, and where."""
    caches: List[Tuple[str, str, str]] = field(default_factory=list)
    """Manifest, source and target of data that it copies to the node's own disk first."""
    filler: List[str] = field(default_factory=list)
    """The words that do so."""


@dataclass(frozen=True)
class Probe:
    """What a runtime can do on this node. `why` says what is missing, or how it will go about it."""

    version: str = ""
    builds: bool = False
    runs: bool = False
    why: str = ""


@dataclass(frozen=True)
class BuildContext:
    """One build on its way, as its runtime sees it."""

    plan: BuildPlan
    image_folders: ImageFolders
    site: Site
    inside: SiteFolder
    scratch: Path
    """A folder of this build alone; what is left there at the end is removed."""
    call: Call
    discards: bool = False
    """None of it is kept: a shell to look around in."""


class Builder(Protocol):
    """Makes layers, one on the other. At most one working state is open at a time."""

    def route(self) -> str:
        """In a sentence: how the steps are run here."""

    def has(self, key: str) -> bool:
        """Whether the layer of this key is complete."""

    def make_base(self) -> None:
        """Make the layer of the plan's base. Raises `EnvironmentFailed`."""

    def begin(self, step: Step) -> None:
        """Open a working state on the layer of `step`."""

    def run(self, step: Step) -> int:
        """Run the script of `step` in the working state; returns its exit code."""

    def inside(self, command: Sequence[str], *, terminal: bool = False) -> List[str]:
        """The command line that runs `words` in the working state."""

    def read(self, top: Step, script: str) -> str:
        """What a script of the site folder prints on the layer of `top`; '' if it fails."""

    def native(self, top: Step) -> str:
        """The id that the runtime itself knows the image by, or ''."""

    def shell_notice(self) -> str:
        """What a person must know before they type into a shell of the working state."""

    def variables(self) -> Dict[str, str]:
        """What the process of `inside` needs among its variables."""

    def keep(self, step: Step) -> None:
        """Make a layer of the working state, under the key of `step`, and close it."""

    def abandon(self) -> None:
        """Throw the working state away; fine without one."""

    def pack(self, top: Step, target: Path) -> None:
        """Write the image file. Raises `EnvironmentFailed`."""

    def remove(self, key: str) -> None:
        """Forget a layer."""


@dataclass(frozen=True)
class TreeFolders:
    """Versioned data on this machine, by the names of the order: folders that a program only reads."""

    paths: Dict[str, str] = field(default_factory=dict)
    archives: Dict[str, str] = field(default_factory=dict)
    """Those of the folders that show what is in a SquashFS file: the file of each."""
    caches: List[Tuple[str, str, str]] = field(default_factory=list)
    """Manifest, source and target of what the batch script copies to its node's own disk first."""

    @property
    def mounts(self) -> List[Tuple[str, str]]:
        return [(file, folder) for folder, file in self.archives.items()]

    @property
    def plain(self) -> List[str]:
        return [path for path in self.paths.values() if path not in self.archives]


@dataclass(frozen=True)
class Inside:
    """What a program needs in a container: what is bound, and where it starts."""

    binds: Sequence[Tuple[str, str]] = ()
    """ImageFolders of this machine and where they are seen inside."""
    folder: str = ""
    read_only: Sequence[str] = ()
    """Folders that nobody writes to, seen under the same path."""
    archives: Sequence[Tuple[str, str]] = ()
    """SquashFS files and the folder that shows what is in each."""


@dataclass(frozen=True)
class Enter:
    """The parts of `enter.sh` that differ between runtimes: quoted words, and fixed shell text."""

    words: Sequence[str]
    """Up to and with the image; the command follows."""
    at: int
    """Options may be put behind so many of the words."""
    pass_on: str
    """Shell text for each variable `$name` that may go in."""
    before: str = ""
    """Shell text that is run first. It may set `diamond_run`: how the command is run inside, instead of by `exec`."""
    tmp: str = ""
    """Shell words that bind `$diamond_tmp` on /tmp."""
    gpu_words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Options for each kind of GPU: nvidia, amd."""
    start: str = 'exec "$@"\n'
    """Shell text that starts the words, which are `$@` then."""


class Runtime(Protocol):
    """One way to build and to run inside."""

    name: str
    format: str
    """The kind of file it makes and runs: squashfs, docker-archive, venv."""
    binds_archives: bool
    """Whether it mounts archives itself; otherwise they are mounted on the node first."""

    def probe(self, tmp: Path) -> Probe:
        """Ask this node; changes nothing."""

    def builder(self, context: BuildContext) -> Builder:
        """For one build."""

    def enter(self, manifest: ImageManifest, inside: Inside) -> Optional[Enter]:
        """How to start a command inside; None where variables and PATH are enough."""

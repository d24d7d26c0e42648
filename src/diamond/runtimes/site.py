"""What a site needs while building (certificates, proxies, indexes, wheels): there for the build, never in the image.

A *site folder* is bound on /mnt inside; it holds uv, the certificates, the scripts of the steps and their inputs.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple
from urllib.parse import urlsplit

from diamond.core.errors import BadRequest
from diamond.images.plan import BuildPlan, Step, inputs
from diamond.images.scripts import SITE
from diamond.runtimes.image_folders import ImageFolders, link_or_copy, write_whole
from diamond.runtimes.pip_settings import pip_settings, uv_variables
from diamond.runtimes.sharing import shared_folders

Bind = Tuple[str, str]
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE")
COMPRESSIONS = {
    "zstd": ["-comp", "zstd", "-Xcompression-level", "3"],
    "gzip": ["-comp", "gzip"],
    "lz4": ["-comp", "lz4"],
}


@dataclass(frozen=True)
class Site:
    """Settings of a site, for builds alone."""

    ca: str = ""
    """A file with the certificates to trust."""
    find_links: List[str] = field(default_factory=list)
    """Wheel folders of this machine, or addresses."""
    variables: Dict[str, str] = field(default_factory=dict)
    """Indexes and proxies as variables: an address may hold a password, and arguments are seen by `ps`."""
    no_index: bool = False
    accelerators: Dict[str, str] = field(default_factory=dict)
    """The package index of each accelerator; see `accelerated` for where none is named."""
    cache: str = ""
    tmp: str = ""
    compression: str = "zstd"
    insecure: List[str] = field(default_factory=list)
    """Registries that speak http; those on this very machine always may."""
    overlay: bool = True
    """Off for file systems that take an overlay and then break."""
    registry: str = ""
    """The registry that is meant by a base without a host."""
    shared: List[str] = field(default_factory=list)
    """Folders in which people keep images together: a group's own, and one of the whole site."""

    @property
    def secrets(self) -> List[str]:
        """Passwords in addresses, to be masked in logs."""
        links = [urlsplit(word) for value in self.variables.values() for word in value.split()]
        return [part.password for part in links if part.password]

    def accelerated(self, accelerator: str) -> Tuple[str, str]:
        """The site's package index for an accelerator; or, by default, uv's name for the builds of PyTorch that fit it.

        A site with its own packages has chosen them: there nothing is added by itself.
        """
        index = self.accelerators.get(accelerator, "")
        indexes = {"UV_INDEX_URL", "UV_EXTRA_INDEX_URL"} & set(self.variables)
        chosen = self.no_index or self.find_links or indexes
        if index or chosen or not accelerator:
            return index, ""
        kind, _, version = accelerator.partition("-")
        names = {"cuda": f"cu{version.replace('.', '')}", "rocm": f"rocm{version}"}
        return "", names.get(kind, kind)

    def squashfs_words(self) -> List[str]:
        known = COMPRESSIONS.get(self.compression)
        if known is None:
            raise BadRequest(
                f"{self.compression!r} is not a compression",
                f"Known are: {', '.join(COMPRESSIONS)}.",
            )
        return known


def read_site(facts: Mapping[str, Any], environ: Optional[Mapping[str, str]] = None) -> Site:
    """From pip's settings and the agent's variables, overlaid by the profile's fact `build`."""
    environ = os.environ if environ is None else environ
    pip = pip_settings(environ)
    variables = {name: environ[name] for name in _PROXIES if environ.get(name)}
    variables.update(_uv_variables(pip, environ))
    if facts.get("proxy"):
        variables.update(
            {name: str(facts["proxy"]) for name in _PROXIES if "no" not in name.lower()}
        )
    if facts.get("index"):
        variables["UV_INDEX_URL"] = str(facts["index"])
    ca = str(facts.get("ca") or pip.get("cert") or _first(environ, _CERTIFICATES))
    links = [str(link) for link in facts.get("find_links") or []] or _find_links(pip, environ)
    return Site(
        ca=ca if ca and Path(ca).is_file() else "",
        find_links=links,
        variables=variables,
        no_index=pip.get("no-index", "").lower() in ("1", "true", "yes", "on"),
        accelerators={str(k): str(v) for k, v in (facts.get("accelerators") or {}).items()},
        cache=str(facts.get("cache") or ""),
        tmp=str(facts.get("tmp") or ""),
        compression=str(facts.get("compression") or "zstd"),
        insecure=[str(host) for host in facts.get("insecure") or []],
        overlay=facts.get("overlay") is not False,
        registry=str(facts.get("registry") or ""),
        shared=shared_folders(facts.get("shared")),
    )


@dataclass(frozen=True)
class SiteFolder:
    """The folder itself, what must be bound below it, and the variables that a step gets."""

    path: Path
    binds: List[Bind]
    """ImageFolders of this machine and where they belong inside; the first is the folder itself."""
    variables: Dict[str, str]
    """As seen from inside; a step reads them from `site.env`."""

    def outside(self) -> Dict[str, str]:
        """The same variables for a step that runs on the machine itself."""
        return {name: self._outside(value) for name, value in self.variables.items()}

    def _outside(self, value: str) -> str:
        for source, target in reversed(self.binds):
            value = re.sub(re.escape(target) + r"(?![0-9])", lambda _, s=source: s, value)  # type: ignore[misc]
        return value


def lay_out_site(
    site: Site, plan: BuildPlan, *, folder: Path, image_folders: ImageFolders, uv: Optional[str]
) -> SiteFolder:
    """Make the site folder of one build."""
    for name in ("steps", "inputs", "cache"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    if uv:
        shutil.copy2(Path(uv).resolve(), folder / "uv")
    if site.ca:
        shutil.copyfile(site.ca, folder / "ca.crt")
    for step in plan.steps:
        if step.script:
            (folder / "steps" / step_file(step)).write_text(step.script, encoding="utf-8")
    _lay_out_inputs(plan, folder / "inputs", image_folders)
    cache = Path(site.cache or image_folders.cache) / "uv"
    cache.mkdir(parents=True, exist_ok=True)
    binds = _Binds(folder, [(str(folder), SITE), (str(cache), f"{SITE}/cache")])
    variables = _inside_variables(site, plan.recipe.environment.accelerator, binds)
    if not has_torch_builds(plan.recipe.lock):
        variables.pop("UV_TORCH_BACKEND", None)
    made = SiteFolder(folder, binds.made, variables)
    _write_variables(folder / "site.env", made.outside() if plan.builder == "venv" else variables)
    return made


def has_torch_builds(lock: str) -> bool:
    """Whether a lock names PyTorch's own builds (torch==2.9.0+cpu), which other indexes don't have."""
    return bool(re.search(r"^torch\S*==\S*\+", lock, re.M))


def step_file(step: Step) -> str:
    """Named so that a shell's complaint is understood; the key is for tools that cache by their command's words."""
    return f"{step.name}.{step.key.split(':')[-1][:16]}.sh"


def _write_variables(file: Path, variables: Mapping[str, str]) -> None:
    """Steps read them from a file: as variables of a container they would be committed with it, or seen by `ps`."""
    file.touch(mode=0o600)
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in variables.items()]
    file.write_text("".join(lines), encoding="utf-8")


@dataclass(frozen=True)
class _Binds:
    """ImageFolders of this machine that steps need, each bound below the site folder."""

    folder: Path
    made: List[Bind]

    def bind(self, source: Path) -> str:
        name = f"bound{len(self.made)}"
        (self.folder / name).mkdir(exist_ok=True)
        self.made.append((str(source.resolve()), f"{SITE}/{name}"))
        return f"{SITE}/{name}"

    def wheels(self, link: str) -> str:
        """A wheel folder as seen from inside; an address stays as it is."""
        return self.bind(Path(link)) if Path(link).is_dir() else link

    def index(self, url: str) -> str:
        """A package index in a folder: its pages point to files beside that folder, so both are bound."""
        place = Path(urlsplit(url).path)
        if not url.startswith("file://") or not place.is_dir():
            return url
        return f"file://{self.bind(place.parent)}/{place.name}"


def _inside_variables(site: Site, accelerator: str, binds: _Binds) -> Dict[str, str]:
    variables = dict(site.variables)
    for name in ("UV_INDEX_URL", "UV_EXTRA_INDEX_URL"):
        if variables.get(name):
            variables[name] = " ".join(binds.index(url) for url in variables[name].split())
    index, backend = site.accelerated(accelerator)
    if index:
        urls = [binds.index(index), variables.get("UV_EXTRA_INDEX_URL", "")]
        variables["UV_EXTRA_INDEX_URL"] = " ".join(urls).strip()
    if backend:
        variables["UV_TORCH_BACKEND"] = backend
    variables.update(_link_variables(site, [binds.wheels(link) for link in site.find_links]))
    if site.ca:
        variables.update(dict.fromkeys(_CERTIFICATES, f"{SITE}/ca.crt"))
    return {**variables, "UV_CACHE_DIR": f"{SITE}/cache"}


def _link_variables(site: Site, links: List[str]) -> Dict[str, str]:
    variables = {}
    if links:
        variables = {"UV_FIND_LINKS": ",".join(links), "PIP_FIND_LINKS": " ".join(links)}
    if site.no_index:
        variables["PIP_NO_INDEX"] = (
            "1"  # The step's script hands it to uv, which has no variable for it.
        )
    return variables


def _lay_out_inputs(plan: BuildPlan, folder: Path, image_folders: ImageFolders) -> None:
    for name, file in inputs(plan.recipe).items():
        target = folder / name
        if target.exists():
            continue
        if not file.digest:
            write_whole(target, file.text.encode())
            continue
        blob = image_folders.blobs / "sha256" / name[:2] / name
        if not blob.is_file():
            raise BadRequest(f"The content of {file.to} is not here", "Send the environment again.")
        link_or_copy(blob, target)


def _uv_variables(pip: Mapping[str, str], environ: Mapping[str, str]) -> Dict[str, str]:
    own = {name: value for name, value in environ.items() if name in _UV_OWN and value}
    own_variables = {name: value for name, value in uv_variables(pip).items() if name in _UV_OWN}
    return {**own_variables, **own}


_UV_OWN = (
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_INDEX_STRATEGY",
    "UV_INSECURE_HOST",
    "UV_HTTP_TIMEOUT",
    "UV_PRERELEASE",
    "UV_OFFLINE",
)


def _find_links(pip: Mapping[str, str], environ: Mapping[str, str]) -> List[str]:
    listed = environ.get("UV_FIND_LINKS", "").split(",") if environ.get("UV_FIND_LINKS") else []
    return listed or pip.get("find-links", "").split()


def _first(environ: Mapping[str, str], names: Tuple[str, ...]) -> str:
    return next((environ[name] for name in names if environ.get(name)), "")

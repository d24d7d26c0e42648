"""An Apptainer or Singularity definition file."""

from __future__ import annotations

import re
import textwrap
from typing import Dict, List, Tuple

from diamond.core.errors import BadRequest
from diamond.core.order import Environment
from diamond.images.importing.base import Imported, filled, split_words

_BOOTSTRAPS = {
    "docker": "docker://",
    "oras": "oras://",
    "localimage": "sif:",
    "docker-archive": "docker-archive:",
    "oci-archive": "oci-archive:",
}
_AS_APPTAINER = "set +u\n"
"""It runs `%post` by `sh -ex`: a name without a value is not an error there."""
_EXPORT = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$")


def from_definition(text: str) -> Imported:
    """Header, %post, %environment, %files, %labels and %test; the rest is listed as not imported."""
    if len(re.findall(r"^\s*bootstrap\s*:", text, re.I | re.M)) > 1:
        raise BadRequest(
            "This definition has several stages",
            "Build it elsewhere and name the result as `base:`.",
        )
    header, sections = _split(text)
    left_out = [
        f"`%{name}` is not imported: {_WHY.get(name.split()[0], 'it has no counterpart')}"
        for name, _ in sections
        if name.split()[0] not in ("post", "environment", "files", "labels", "test")
    ]
    variables, said = _variables(_joined(sections, "environment"))
    post = textwrap.dedent(_joined(sections, "post")).strip("\n")
    said += [
        f"`%{name}`: its commands are run by sh all the same"
        for name, _ in sections
        if name.split()[0] == "post" and name.split()[1:]
    ]
    environment = Environment(
        base=_base(header),
        variables=variables,
        commands=[f"{_AS_APPTAINER}{post}"] if post.strip() else [],
        test=_joined(sections, "test").strip(),
        labels=_labels(_joined(sections, "labels")),
    )
    return Imported(environment, [*left_out, *said], _copies(_joined(sections, "files")))


_WHY = {
    "runscript": "a job says itself what runs",
    "startscript": "a job says itself what runs",
    "setup": "it would change the machine that builds",
    "help": "use `labels:`",
    "appinstall": "apps of SCIF have no counterpart",
}


def _split(text: str) -> Tuple[Dict[str, str], List[Tuple[str, str]]]:
    parts = re.split(r"^%(\S[^\n]*)\n", text, flags=re.M)
    header = {}
    for line in parts[0].splitlines():
        name, mark, value = line.partition(":")
        if mark and not line.lstrip().startswith("#"):
            header[name.strip().lower()] = value.strip()
    sections = [(name.strip(), body) for name, body in zip(parts[1::2], parts[2::2])]
    return header, sections


def _base(header: Dict[str, str]) -> str:
    bootstrap, address = header.get("bootstrap", "").lower(), header.get("from", "")
    if bootstrap not in _BOOTSTRAPS or not address:
        raise BadRequest(
            f"`Bootstrap: {bootstrap or 'nothing'}` cannot be taken over",
            f"Known are: {', '.join(_BOOTSTRAPS)}; each with `From:`.",
        )
    registry = header.get("registry", "")
    return _BOOTSTRAPS[bootstrap] + (f"{registry}/{address}" if registry else address)


def _joined(sections: List[Tuple[str, str]], name: str) -> str:
    return "\n".join(body for title, body in sections if title.split()[0] == name)


def _variables(text: str) -> Tuple[Dict[str, str], List[str]]:
    variables: Dict[str, str] = {}
    said = []
    for line in text.splitlines():
        match = _EXPORT.match(line)
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        value, unknown = filled(match.group(2), variables) if match else ("", [])
        if match and not unknown and not re.search(r"[$`;&|]", value):
            variables[match.group(1)] = "".join(split_words(value))
        else:
            said.append(
                f"`{line.strip()}` of %environment is not a plain value: set it in a command or in the job"
            )
    return variables, said


def _labels(text: str) -> Dict[str, str]:
    pairs = [[*line.split(None, 1), ""] for line in text.splitlines() if line.strip()]
    return {name: value.strip() for name, value, *_ in pairs}


def _copies(text: str) -> Dict[str, str]:
    lines = [line for line in text.splitlines() if line.strip()]
    pairs = [split_words(line) for line in lines if not line.lstrip().startswith("#")]
    return {pair[0]: pair[-1] for pair in pairs}

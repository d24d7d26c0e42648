"""The part of a Dockerfile that maps: one stage of FROM, RUN, ENV, COPY, WORKDIR, LABEL."""

from __future__ import annotations

import json
import re
import shlex
from itertools import takewhile
from typing import Dict, Iterator, List, Optional, Tuple

from diamond.core.errors import BadRequest
from diamond.core.order import Environment, EnvironmentFile
from diamond.images.importing.base import Imported, filled, split_words

_INSTRUCTION = re.compile(r"\s*([A-Za-z]+)\s+(.*)", re.S)
_PACKED = re.compile(r"\.(tar|tgz|tar\.\w+|tbz2|txz)$")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")


class _Reader:
    def __init__(self) -> None:
        self.base, self.folder = "", "/"
        self.variables: Dict[str, str] = {}
        self.labels: Dict[str, str] = {}
        self.arguments: Dict[str, str] = {}
        self.commands: List[str] = []
        self.copies: Dict[str, str] = {}
        self.files: List[EnvironmentFile] = []
        self.left_out: List[str] = []

    def take(self, word: str, rest: str, text: Optional[str] = None) -> None:
        """`text` is what a here-document holds."""
        if text is not None and word != "RUN":
            self._inline(rest, text)
            return
        if text is not None:
            rest = text if rest.startswith("<<") else f"{rest}\n{text}{_mark(rest)}"
            rest = f"\n{rest}"
        act = getattr(self, f"_{word.lower()}", None)
        if act is None:
            self.left_out.append(
                f"`{word} {_short(rest)}` is not imported: {_WHY.get(word, 'it has no counterpart')}"
            )
            return
        act(rest)

    def _from(self, rest: str) -> None:
        if self.base:
            raise BadRequest(
                "This Dockerfile has several stages",
                "Build it elsewhere and name the result as `base:`.",
            )
        arguments = [word for word in rest.split() if not word.startswith("--")]
        if not arguments:
            raise BadRequest("This FROM names no image", "Write `FROM NAME:TAG`.")
        self._say_options("FROM", rest)
        name = self._filled(arguments[0])
        if name == "scratch":
            raise BadRequest("FROM scratch names no base", "Use `base: rootfs:PATH` instead.")
        self.base = f"docker://{name}"

    def _arg(self, rest: str) -> None:
        name, mark, value = rest.partition("=")
        if mark:
            self.arguments[name.strip()] = self._filled(_unquoted(value.strip()))
        else:
            self.left_out.append(
                f"`ARG {rest}` has no value: write it into the commands that use it"
            )

    def _env(self, rest: str) -> None:
        self.variables.update({k: self._filled(v, of=k) for k, v in _pairs(rest)})

    def _label(self, rest: str) -> None:
        self.labels.update(dict(_pairs(rest)))

    def _workdir(self, rest: str) -> None:
        place = self._filled(_unquoted(rest.strip()))
        self.folder = place if place.startswith("/") else f"{self.folder.rstrip('/')}/{place}"
        self.commands.append(f"mkdir -p {shlex.quote(self.folder)}")

    def _run(self, rest: str) -> None:
        options = re.match(r"((?:--\S+\s+)*)(.*)", rest, re.S)
        assert options is not None
        if options.group(1):
            self.left_out.append(
                f"`RUN {options.group(1).strip()}` is not imported, the command itself is"
            )
        self.commands.append(self._in_folder(_command(options.group(2))))

    def _shell(self, rest: str) -> None:
        self.left_out.append(f"`SHELL {rest}` is not imported: commands are run by `sh -eu`")

    def _copy(self, rest: str) -> None:
        arguments = _split_arguments(rest)
        if any(word.startswith("--from") for word in arguments):
            self.left_out.append(
                f"`COPY {_short(rest)}` is not imported: it copies from another stage"
            )
            return
        *sources, target = [word for word in arguments if not word.startswith("--")] or [""]
        self._say_options("COPY", rest)
        place = self._absolute(target)
        for source in sources:
            if re.search(r"^\w+://|^git@|[*?]", source) or _PACKED.search(source):
                self.left_out.append(
                    f"`{_short(rest)}` is not imported: write single files of your own one by one, and fetch or unpack the rest in a command"
                )
                continue
            if source in (".", "./"):
                self.left_out.append(
                    f"`COPY {_short(rest)}` is not imported: code is sent with the job"
                )
                continue
            is_folder = place.endswith("/") or len(sources) > 1 or target in (".", "./")
            name = source.rstrip("/").rsplit("/", 1)[-1]
            self.copies[source] = f"{place.rstrip('/.') or ''}/{name}" if is_folder else place

    _add = _copy

    def _inline(self, rest: str, text: str) -> None:
        """`COPY <<END /opt/x`: a file whose content stands in the Dockerfile itself."""
        self._say_options("COPY", rest)
        target = self._absolute(rest.split()[-1])
        if not _HEREDOC.search(rest).group(1):  # type: ignore[union-attr]
            text = self._filled(text)
        self.files.append(EnvironmentFile(target, text=text))

    def _absolute(self, place: str) -> str:
        place = self._filled(place)
        return place if place.startswith("/") else f"{self.folder.rstrip('/')}/{place}"

    def _say_options(self, word: str, rest: str) -> None:
        options = [option for option in rest.split() if option.startswith("--")]
        if options:
            self.left_out.append(f"`{word} {' '.join(options)}`: the option is not imported")

    def _in_folder(self, command: str) -> str:
        lines = ["set +eu"]  # as docker runs it; a job's own commands are held to more
        lines += [f"export {name}={shlex.quote(value)}" for name, value in self.arguments.items()]
        if self.folder != "/":
            lines.append(f"cd {shlex.quote(self.folder)}")
        return "\n".join([*lines, command])

    def _filled(self, text: str, of: str = "") -> str:
        expanded, unknown = filled(text, {**self.arguments, **self.variables})
        for name in unknown:
            self.left_out.append(
                f"`${name}` in {of or _short(text)} is left empty: what the base sets is not known here"
            )
        return expanded


_WHY = {
    "CMD": "a job says itself what runs",
    "ENTRYPOINT": "a job says itself what runs",
    "USER": "a program runs as you",
    "EXPOSE": "ports are not needed",
    "VOLUME": "data is named by the job",
    "HEALTHCHECK": "use `test:`",
}


def from_dockerfile(text: str) -> Imported:
    reader = _Reader()
    for word, rest, inner in _instructions(text):
        reader.take(word.upper(), rest, inner)
    if not reader.base:
        raise BadRequest("This Dockerfile has no FROM", "It must name the image it builds on.")
    environment = Environment(
        base=reader.base,
        variables=reader.variables,
        commands=reader.commands,
        labels=reader.labels,
        files=reader.files,
    )
    return Imported(environment, reader.left_out, reader.copies)


def _instructions(text: str) -> Iterator[Tuple[str, str, Optional[str]]]:
    lines = iter(text.splitlines())
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        while line.rstrip().endswith("\\"):
            following = next(lines, "")
            if not following.lstrip().startswith("#"):
                line = line.rstrip()[:-1] + "\n" + following
        match = _INSTRUCTION.match(line)
        if not match:
            raise BadRequest(
                f"This line is not an instruction: {line.strip()[:80]}", "Check the file."
            )
        word, rest = match.groups()
        mark = _HEREDOC.search(rest) if word.upper() in ("RUN", "COPY", "ADD") else None
        inner = (
            "".join(f"{inner_line}\n" for inner_line in _until(mark.group(2), lines))
            if mark
            else None
        )
        yield word, rest.strip(), inner


def _mark(rest: str) -> str:
    match = _HEREDOC.search(rest)
    return match.group(2) if match else ""


def _until(mark: str, lines: Iterator[str]) -> Iterator[str]:
    return takewhile(lambda line: line.strip() != mark, lines)


def _command(rest: str) -> str:
    listed = _listed(rest)
    if listed is not None:
        return " ".join(map(shlex.quote, listed))
    return re.sub(r"\s*\n\s*", " ", rest) if not rest.startswith("\n") else rest.strip("\n")


def _pairs(rest: str) -> List[Tuple[str, str]]:
    """`A=1 B="two words"`, or the old `A some words`."""
    if "=" not in rest.split()[0]:
        name, _, value = rest.partition(" ")
        return [(name, value.strip())]
    return [(name, value) for name, _, value in (w.partition("=") for w in split_words(rest))]


def _split_arguments(rest: str) -> List[str]:
    start = rest.find("[")
    listed = _listed(rest[start:]) if start >= 0 else None
    return rest.split() if listed is None else [*rest[:start].split(), *listed]


def _listed(text: str) -> Optional[List[str]]:
    """Words as a list of JSON; what only looks like one (`[ -d x ] || mkdir x`) is a command for the shell."""
    try:
        items = json.loads(text)
    except ValueError:
        return None
    return [str(item) for item in items] if isinstance(items, list) else None


def _unquoted(text: str) -> str:
    return "".join(split_words(text)) if text else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"

"""The part of a Dockerfile that maps: one stage of FROM, RUN, ENV, COPY, WORKDIR, LABEL."""

from __future__ import annotations

import json
import re
import shlex
from itertools import takewhile
from typing import Dict, Iterator, List, Tuple

from diamond.core.errors import BadRequest
from diamond.core.order import Environment
from diamond.images.importing.base import Imported

_INSTRUCTION = re.compile(r"\s*([A-Za-z]+)\s+(.*)", re.S)
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")


class _Reader:
    def __init__(self) -> None:
        self.base, self.folder = "", "/"
        self.variables: Dict[str, str] = {}
        self.labels: Dict[str, str] = {}
        self.arguments: Dict[str, str] = {}
        self.commands: List[str] = []
        self.copies: Dict[str, str] = {}
        self.left_out: List[str] = []

    def take(self, word: str, rest: str) -> None:
        act = getattr(self, f"_{word.lower()}", None)
        if act is None:
            self.left_out.append(
                f"`{word} {_short(rest)}` is not taken: {_WHY.get(word, 'it has no counterpart')}"
            )
            return
        act(rest)

    def _from(self, rest: str) -> None:
        if self.base:
            raise BadRequest(
                "This Dockerfile has several stages",
                "Build it elsewhere and name the result as `base:`.",
            )
        words = [word for word in rest.split() if not word.startswith("--")]
        name = self._filled(words[0])
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
        self.variables.update({k: self._filled(v) for k, v in _pairs(rest)})

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
                f"`RUN {options.group(1).strip()}` is not taken, the command itself is"
            )
        self.commands.append(self._in_folder(_command(options.group(2))))

    def _shell(self, rest: str) -> None:
        self.left_out.append(f"`SHELL {rest}` is not taken: commands are run by `sh -eu`")

    def _copy(self, rest: str) -> None:
        words = _words(rest)
        if any(word.startswith("--from") for word in words):
            self.left_out.append(
                f"`COPY {_short(rest)}` is not taken: it copies from another stage"
            )
            return
        *sources, target = [word for word in words if not word.startswith("--")]
        place = target if target.startswith("/") else f"{self.folder.rstrip('/')}/{target}"
        for source in sources:
            if source in (".", "./"):
                self.left_out.append(
                    f"`COPY {_short(rest)}` is not taken: code travels with the job"
                )
                continue
            is_folder = place.endswith("/") or len(sources) > 1 or target in (".", "./")
            name = source.rstrip("/").rsplit("/", 1)[-1]
            self.copies[source] = f"{place.rstrip('/.') or ''}/{name}" if is_folder else place

    _add = _copy

    def _in_folder(self, command: str) -> str:
        lines = [f"export {name}={shlex.quote(value)}" for name, value in self.arguments.items()]
        if self.folder != "/":
            lines.append(f"cd {shlex.quote(self.folder)}")
        return "\n".join([*lines, command])

    def _filled(self, text: str) -> str:
        known = {**self.arguments, **self.variables}
        return re.sub(r"\$\{?(\w+)(?::-([^}]*))?\}?", lambda m: known.get(m[1], m[2] or m[0]), text)


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
    for word, rest in _instructions(text):
        reader.take(word.upper(), rest)
    if not reader.base:
        raise BadRequest("This Dockerfile has no FROM", "It must name the image it builds on.")
    environment = Environment(
        base=reader.base,
        variables=reader.variables,
        commands=reader.commands,
        labels=reader.labels,
    )
    return Imported(environment, reader.left_out, reader.copies)


def _instructions(text: str) -> Iterator[Tuple[str, str]]:
    lines = iter(text.splitlines())
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        while line.rstrip().endswith("\\"):
            following = next(lines, "")
            if not following.lstrip().startswith("#"):
                line = line.rstrip()[:-1] + "\n" + following
        found = _INSTRUCTION.match(line)
        if not found:
            raise BadRequest(f"This line is no instruction: {line.strip()[:80]}", "Check the file.")
        word, rest = found.groups()
        mark = _HEREDOC.search(rest) if word.upper() == "RUN" else None
        if mark:
            yield word, "\n" + "\n".join(_until(mark.group(2), lines))
        else:
            yield word, rest.strip()


def _until(mark: str, lines: Iterator[str]) -> Iterator[str]:
    return takewhile(lambda line: line.strip() != mark, lines)


def _command(rest: str) -> str:
    if rest.lstrip().startswith("["):
        return " ".join(shlex.quote(str(word)) for word in json.loads(rest))
    return re.sub(r"\s*\n\s*", " ", rest) if not rest.startswith("\n") else rest.strip("\n")


def _pairs(rest: str) -> List[Tuple[str, str]]:
    """`A=1 B="two words"`, or the old `A some words`."""
    if "=" not in rest.split()[0]:
        name, _, value = rest.partition(" ")
        return [(name, value.strip())]
    return [(name, value) for name, _, value in (w.partition("=") for w in shlex.split(rest))]


def _words(rest: str) -> List[str]:
    start = rest.find("[")
    if start >= 0 and rest.rstrip().endswith("]"):
        return [*rest[:start].split(), *(str(one) for one in json.loads(rest[start:]))]
    return rest.split()


def _unquoted(text: str) -> str:
    return "".join(shlex.split(text)) if text else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"

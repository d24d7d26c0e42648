"""Find words that nobody says in everything a person reads: prose, messages, help texts, docstrings, comments.

List what is left in a folder: `python tests/unit/test_plain_words.py src/diamond/cli docs`.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parents[2]
AREAS = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "docs",
    "recipes",
    "src/diamond",
    "web/src",
    "web/openapi.json",
)


@dataclass(frozen=True)
class Avoided:
    """A word to avoid, as a regular expression, and what to write instead."""

    pattern: str
    instead: str


AVOIDED = (
    Avoided(r"fore(told|tells?|telling)", "planned, estimated, predicted"),
    Avoided(r"told", "reported, updated, shown; notified; 'told apart': distinguished"),
    Avoided(r"reckon(s|ed|ing|ings)?", "estimate, calculate, count"),
    Avoided(r"anew|afresh", "again, retry"),
    Avoided(r"whence|wherein|whereof|thereof", "from where, in which, its"),
    Avoided(r"(un)?heed(s|ed|ing)?", "follow, apply, check"),
    Avoided(r"of which(?! of)", "two sentences, or 'whose'"),
    Avoided(r"as long as [^.;:]{1,80}?, so\b", "while …; if …"),
    Avoided(r"the one\b[^.;:|]{1,60}?\bthe other", "name both things"),
    Avoided(
        r"(?<!there )(is|are|was|were) no (?!longer|more|better|worse|different)\w+", "is not a …"
    ),
    Avoided(r"that of", "repeat the noun: 'the partition's limit'"),
    Avoided(r"such as (are|is)", "those that are"),
    Avoided(r"begin of", "start of"),
    Avoided(r"(its|their) kin", "similar, the others like it"),
    Avoided(r"t(ake|akes|aken|aking|ook)( it| them)? back", "cancel, withdraw, undo"),
    Avoided(r"call(s|ed|ing)?( it| them)? off", "cancel"),
    Avoided(r"let(s|ting)?( \w+){0,2} go on", "continue, resume"),
    Avoided(
        r"(go|goes|going|went|gone) on(?! (the|a|an|your|its|this|each|every|one|with)\b)",
        "continue, resume",
    ),
    Avoided(r"look(s|ed|ing)? after", "check, watch, manage"),
    Avoided(r"she|her|hers|herself|he|his|him|himself", "they, you, the user"),
    Avoided(r"ceilings?", "limit"),
    Avoided(r"(did|does|do) not take(?! part)|not taken", "rejected"),
    Avoided(r"travel(s|led|ling|ing)?", "transfer, is sent"),
    Avoided(r"for ever", "forever, permanently, or say how long"),
    Avoided(r"in vain", "without success"),
    Avoided(r"seldom", "rarely"),
    Avoided(
        r"where(ver)? \w+ (lies|lie)|(lies|lie) (on|in|below|there|only|nowhere)", "is, is stored"
    ),
    Avoided(r"nothing of (it|them)", "nothing in it, none of it"),
    Avoided(r"for so long", "for this long"),
    Avoided(r"(break|breaks|broke|broken) off", "was interrupted"),
    Avoided(r"another than", "differs from"),
    Avoided(r"the very same", "exactly the same"),
    Avoided(r"pass(es|ed|ing)? over", "skip"),
    Avoided(r"(older|newer) than records", "from before records existed"),
    Avoided(r"no (task|job|person) may", "tasks cannot"),
)
WORDS = tuple((re.compile(rf"\b(?:{one.pattern})\b", re.IGNORECASE), one) for one in AVOIDED)

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`[^`\n]*`")
LINK_TARGET = re.compile(r"\]\([^)\s]*\)")
SCRIPT_TEXT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`""",
    re.DOTALL,
)
JSX_TEXT = re.compile(r"(?<=[>}])[^<>{}]+(?=[<{])")
# What stands between two braces of code, not of markup.
CODE = re.compile(r";|=|\b(const|function|return|import|export|type|else|case)\b|\)\s*$|^\s*[),]")
DESCRIPTION = re.compile(r'"(?:description|summary)": ("(?:[^"\\]|\\.)*")')
SHELL_NAME = re.compile(r"\$\{?\w+|\b\w+=|^\s*\w+\(\)")


@dataclass(frozen=True)
class Text:
    """A passage for people, and where it starts."""

    line: int
    words: str


@dataclass(frozen=True)
class Finding:
    path: Path
    line: int
    found: str
    instead: str

    def __str__(self) -> str:
        shown = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        return f"{shown}:{self.line}: {self.found} -> {self.instead}"


def findings_in(places: Iterable[Path]) -> list[Finding]:
    """All findings in files and folders, in reading order."""
    return [one for place in places for path in _files(place) for one in _findings(path)]


def _files(place: Path) -> list[Path]:
    inside = sorted(place.rglob("*")) if place.is_dir() else [place]
    return [one for one in inside if one.suffix in READERS and not _is_made(one)]


def _is_made(path: Path) -> bool:
    """Files that a tool wrote are not anybody's prose."""
    parts = set(path.parts)
    return path.name == "schema.d.ts" or bool(
        parts & {"static", "docs_site", "node_modules", "__pycache__"}
    )


def _findings(path: Path) -> list[Finding]:
    found = {
        Finding(
            path, text.line + text.words.count("\n", 0, match.start()), _shown(match), word.instead
        )
        for text in READERS[path.suffix](path.read_text())
        for pattern, word in WORDS
        for match in pattern.finditer(text.words)
    }
    return sorted(found, key=lambda one: (one.line, one.found))


def _shown(match: re.Match[str]) -> str:
    return " ".join(match.group().split())


def read_markdown(source: str) -> Iterator[Text]:
    """Prose and what examples say; `code` in a line, where a word to avoid may be quoted, is left out."""
    yield Text(1, LINK_TARGET.sub("]", INLINE_CODE.sub("``", source)))


def read_python(source: str) -> Iterator[Text]:
    """String literals of more than one word (others are keys and codes), docstrings and comments."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_prose(node.value):
            yield Text(node.lineno, node.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Text(token.start[0], token.string)


def read_script(source: str) -> Iterator[Text]:
    """String literals, comments and the text between tags of TypeScript."""
    lines = _Lines(source)
    blanked = list(source)
    for match in SCRIPT_TEXT.finditer(source):
        if _is_prose(match.group()):
            yield Text(lines.at(match.start()), match.group())
        blanked[match.start() : match.end()] = (
            "\n" if sign == "\n" else " " for sign in match.group()
        )
    for match in JSX_TEXT.finditer("".join(blanked)):
        if match.group().strip() and not CODE.search(match.group()):
            yield Text(lines.at(match.start()), match.group())


def read_description(source: str) -> Iterator[Text]:
    """What an OpenAPI description says to people."""
    lines = _Lines(source)
    for match in DESCRIPTION.finditer(source):
        yield Text(lines.at(match.start()), match.group(1).replace("\\n", " "))


def read_shell(source: str) -> Iterator[Text]:
    for number, line in enumerate(source.splitlines(), 1):
        yield Text(number, SHELL_NAME.sub(" ", line))


def read_plain(source: str) -> Iterator[Text]:
    yield Text(1, source)


READERS = {
    ".md": read_markdown,
    ".py": read_python,
    ".ts": read_script,
    ".tsx": read_script,
    ".json": read_description,
    ".sh": read_shell,
    ".html": read_plain,
    ".svg": read_plain,
    ".yaml": read_plain,
    ".toml": read_plain,
}


def _is_prose(words: str) -> bool:
    return " " in words.strip()


class _Lines:
    """The number of the line that a place in a text lies in."""

    def __init__(self, source: str) -> None:
        self._starts = [0, *accumulate(len(line) for line in source.splitlines(keepends=True))]

    def at(self, place: int) -> int:
        return bisect_right(self._starts, place)


def main(arguments: Sequence[str]) -> int:
    """Print each finding, then how many there are per file or folder asked for."""
    places = [Path(one).resolve() for one in arguments] or [ROOT / area for area in AREAS]
    counted: Counter[str] = Counter()
    for place in places:
        findings = findings_in([place])
        counted[str(place.relative_to(ROOT) if place.is_relative_to(ROOT) else place)] += len(
            findings
        )
        print(*findings, sep="\n", end="\n" if findings else "")
    print(*(f"{count:6} {area}" for area, count in counted.items()), sep="\n", file=sys.stderr)
    return int(any(counted.values()))

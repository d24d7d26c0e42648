"""The text of a model's card, written from what is known about the run that made it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diamond.core.units import show_bytes

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|!~])")
NOTHING_SAID = "Not stated. Edit this card to say it."


@dataclass(frozen=True)
class RunFacts:
    """What the record says about the run."""

    task: str
    name: str
    command: str
    endpoint: str
    ended: str
    """A date, for people."""
    code: str
    """A commit or the digest of a snapshot."""
    image: str
    data: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    node_hours: float = 0.0


@dataclass(frozen=True)
class CardFacts:
    name: str
    number: int
    digest: str
    size: int
    files: int
    format: str
    description: str
    license: str
    intended_use: str
    tags: Sequence[str]
    metrics: Mapping[str, float]
    picture: str = ""
    """The file beside the card that shows its curves."""
    run: RunFacts | None = None


def write_card(facts: CardFacts) -> str:
    """Markdown with the header that model hubs read."""
    parts = [
        _header(facts),
        f"# {plain(facts.name)}",
        plain(facts.description) or NOTHING_SAID,
        _section("Intended use", plain(facts.intended_use) or NOTHING_SAID),
        _section("Metrics", _table("metric", "last value", _metric_rows(facts.metrics))),
        f"![Curves]({facts.picture})" if facts.picture else "",
        *_training(facts.run),
        _section("Files", _files(facts)),
        _section("License", plain(facts.license) or NOTHING_SAID),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def plain(text: str) -> str:
    """Text of people and programs as it is, not as markup."""
    return _MARKUP.sub(r"\\\1", text)


def _header(facts: CardFacts) -> str:
    lines = ["---"]
    if facts.license:
        lines.append(f"license: {_quoted(facts.license)}")
    if facts.format:
        lines.append(f"library_name: {_quoted(facts.format)}")
    lines += ["tags:", *(f"- {_quoted(tag)}" for tag in [*facts.tags, "diamond"]), "---"]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """A YAML string, whatever is in it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(letter if letter >= " " else " " for letter in escaped) + '"'


def _training(run: RunFacts | None) -> list[str]:
    if run is None:
        return [_section("Training", "It was pushed from outside: Diamond has no record of it.")]
    lines = [
        f"- Run: `{run.task}` ({plain(run.name)}) on {plain(run.endpoint)}, ended {run.ended}",
        f"- Command: {_code(run.command)}",
        f"- Code: {_code(run.code)}",
        f"- Environment: {_code(run.image)}",
        f"- Used: {run.node_hours:.3g} node-hours",
    ]
    return [
        _section("Training", "\n".join(lines)),
        _section("Data", _table("name", "version", run.data) or "None was declared."),
        _section("Parameters", _table("parameter", "value", run.params)),
    ]


def _files(facts: CardFacts) -> str:
    count = f"{facts.files} {'file' if facts.files == 1 else 'files'}, {show_bytes(facts.size)}"
    return f"Version {facts.number}: {count}.\n\nDigest: `{facts.digest}`"


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n{text}" if text else ""


def _metric_rows(metrics: Mapping[str, float]) -> dict[str, str]:
    return {name: f"{value:.6g}" for name, value in sorted(metrics.items())}


def _table(left: str, right: str, rows: Mapping[str, str]) -> str:
    if not rows:
        return ""
    lines = [f"| {left} | {right} |", "|---|---|"]
    cells = [(_cell(name), _cell(value)) for name, value in rows.items()]
    return "\n".join(lines + [f"| {name} | {value} |" for name, value in cells])


def _cell(text: str) -> str:
    return plain(" ".join(text.split()))


def _code(text: str) -> str:
    """Inline code that no backtick in the text can end."""
    line = " ".join(text.split())
    if not line:
        return "unknown"
    longest = max((len(ticks) for ticks in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"

"""Which files of a folder would be sent, judged by their names before any of them is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Iterable, List, Mapping, Set, Tuple

from diamond.code.ignoring import IGNORE_FILES, MADE_BY_TOOLS, Matcher, Rule, parse_rule
from diamond.code.sensitive import why_kept_home
from diamond.core.errors import BadRequest

MOST_LEVELS = 200
Tree = Dict[str, "Tree"]
"""Names within a folder; a file has nothing within."""


@dataclass
class Chosen:
    take: List[str] = field(default_factory=list)
    left_out: List[Tuple[str, str]] = field(default_factory=list)
    made_by_tools: Set[str] = field(default_factory=set)


def choose_listed(paths: Iterable[str], rule_texts: Mapping[str, str]) -> Chosen:
    """As a snapshot chooses on disk: `rule_texts` are the ignore files of the folder by their paths.

    The snapshot itself judges again, by contents too; here is decided what need not be sent.
    """
    chosen = Chosen()
    _walk(_tree(paths), "", [], rule_texts, chosen, Matcher())
    return chosen


def _tree(paths: Iterable[str]) -> Tree:
    top: Tree = {}
    for path in paths:
        if path.count("/") > MOST_LEVELS:
            raise BadRequest(
                f"{path[:200]!r} is more than {MOST_LEVELS} folders deep",
                "Send a flatter folder.",
            )
        here = top
        for name in path.split("/"):
            here = here.setdefault(name, {})
    return top


def _walk(
    folder: Tree,
    base: str,
    above: List[Rule],
    rule_texts: Mapping[str, str],
    chosen: Chosen,
    matcher: Matcher,
) -> None:
    rules = above + _rules(base, rule_texts)
    for name, inside in sorted(folder.items()):
        path = f"{base}/{name}" if base else name
        rule = matcher.last_match(path, bool(inside), rules)
        if rule is not None and not rule.keeps:
            continue
        if name == ".git" or (rule is None and inside and _is_made_by_tools(name, inside)):
            chosen.made_by_tools.add(name)
        elif inside:
            _walk(inside, path, rules, rule_texts, chosen, matcher)
        else:
            _take(path, chosen)


def _rules(base: str, rule_texts: Mapping[str, str]) -> List[Rule]:
    places = [f"{base}/{name}" if base else name for name in IGNORE_FILES]
    lines = [line for place in places for line in rule_texts.get(place, "").splitlines()]
    return [rule for rule in (parse_rule(line, base) for line in lines) if rule]


def _is_made_by_tools(name: str, inside: Tree) -> bool:
    return name in MADE_BY_TOOLS or "pyvenv.cfg" in inside


def _take(path: str, chosen: Chosen) -> None:
    why = why_kept_home(path)
    if why:
        chosen.left_out.append((path, why))
    else:
        chosen.take.append(path)

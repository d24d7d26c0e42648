"""What is free of words that nobody says stays so; `support/plain_words.py` has the list.

`python tests/unit/test_plain_words.py [PATH …]` lists what is left, everywhere or in the given places.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from support.plain_words import ROOT, WORDS, findings_in, main

# Add an area once `python tests/unit/test_plain_words.py AREA` finds nothing in it.
ENFORCED = (
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs",
    "bench/notes",
    "recipes",
    "src/diamond/agent",
    "src/diamond/cli",
    "src/diamond/code",
    "src/diamond/compose",
    "src/diamond/core",
    "src/diamond/data",
    "src/diamond/frames",
    "src/diamond/images",
    "src/diamond/launchers",
    "src/diamond/notation",
    "src/diamond/pilots",
    "src/diamond/pipelines",
    "src/diamond/planning",
    "src/diamond/provenance",
    "src/diamond/runtimes",
    "src/diamond/schedulers",
    "src/diamond/sdk",
    "src/diamond/service",
    "src/diamond/studies",
    "src/diamond/testing",
    "src/diamond/training",
    "web/src",
)


@pytest.mark.parametrize("area", ENFORCED)
def test_an_area_stays_in_plain_english(area: str) -> None:
    assert (ROOT / area).exists()
    findings = findings_in([ROOT / area])
    assert not findings, "\n" + "\n".join(map(str, findings))


@pytest.mark.parametrize(
    "sentence",
    [
        "Foretold and what happened",
        "This only reckons",
        "Told 15 s ago",
        "It begins anew",
        "by the begin of the hour",
        "the limits of everybody hold for her",
        "Take it back",
        "let it go on",
        "what is no number",
        "A follow-up goes on by itself",
        "the one came before the other",
        "Files stay where they lie",
        "Nothing of it is run",
        "a download that broke off",
        "A way that failed is passed over",
    ],
)
def test_a_sentence_that_nobody_says_is_found(sentence: str) -> None:
    assert any(pattern.search(sentence) for pattern, _ in WORDS)


@pytest.mark.parametrize(
    "sentence",
    [
        "There is no GPU on this node.",
        "The job is no longer in the queue.",
        "Your files go on the login node.",
        "Slurm rejected the job.",
        "Updated 15 s ago",
    ],
)
def test_plain_english_passes(sentence: str) -> None:
    assert not [pattern for pattern, _ in WORDS if pattern.search(sentence)]


READ = {
    "page.md": ("Say `told` in code.\n\nIt is\ntold again.\n", {4}),
    "code.py": (
        'told = row["told"]\n\n\ndef f():\n    """One.\n\n    Told late."""\n    g(f"told {told}")  # told\n',
        {7, 8},
    ),
    "view.tsx": (
        'const told = a["told"];\nreturn (\n  <b title="is told now">\n    Told {told} ago\n  </b>\n);\n',
        {3, 4},
    ),
    "api.json": (
        '{\n "told": {\n  "description": "What is\\ntold",\n  "name": "told it"\n }\n}\n',
        {3},
    ),
    "run.sh": ('told=1\necho "$told"\n# told late\n', {3}),
}


@pytest.mark.parametrize("name", READ)
def test_only_what_people_read_is_searched(name: str, tmp_path: Path) -> None:
    source, lines = READ[name]
    (tmp_path / name).write_text(source)
    assert {finding.line for finding in findings_in([tmp_path])} == lines


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

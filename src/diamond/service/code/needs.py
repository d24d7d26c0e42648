"""Who needs a snapshot of code, and when a rule removes it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diamond.service.code.rows import CodeUseRow
from diamond.service.storage.rules import DAY, StorageRules


@dataclass(frozen=True)
class CodeNeeds:
    """What one person has that names a snapshot."""

    uses: Sequence[CodeUseRow] = ()
    models: int = 0
    """Versions of models that a task with this code made."""
    links: int = 0
    """Links for reviewers that still work, of tasks with this code."""
    others: Sequence[str] = ()
    """What else names it, such as an assignment: without the code it would not work."""

    @property
    def tasks(self) -> int:
        return sum(use.tasks for use in self.uses)

    @property
    def unfinished(self) -> int:
        return sum(use.unfinished for use in self.uses)

    @property
    def blocked_by(self) -> list[str]:
        """While there is one of these, the code is not removed, whoever asks."""
        count = self.unfinished
        words = "1 task that has not ended" if count == 1 else f"{count} tasks that have not ended"
        return [*([words] if count else []), *self.others]

    @property
    def recorded_by(self) -> list[str]:
        """What keeps its record, with the digest of the code, but loses the code itself."""
        counts = (
            (self.tasks - self.unfinished, "ended task", "ended tasks"),
            (self.models, "model version", "model versions"),
            (self.links, "link for reviewers", "links for reviewers"),
        )
        return [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]


def is_due(needs: CodeNeeds, owner: str, rules: StorageRules, now: float) -> bool:
    """Whether a rule removes it now: all its tasks ended long enough ago, and nothing that people keep was made with it."""
    if needs.blocked_by or needs.models or needs.links or not needs.uses:
        return False
    return all(_is_over(use, owner, rules, now) for use in needs.uses)


def files_of_one(contents: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """By snapshot, the files that no other snapshot of the same person has."""
    counts = Counter(file for files in contents.values() for file in files)
    return {
        snapshot: frozenset(file for file in files if counts[file] == 1)
        for snapshot, files in contents.items()
    }


def _is_over(use: CodeUseRow, owner: str, rules: StorageRules, now: float) -> bool:
    days = rules.code_days_for(owner, use.project)
    return days is not None and use.ended is not None and use.ended < now - days * DAY

"""Which rules apply to whom. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from diamond.service.storage.rows import StorageRuleRow

EVERYONE, PERSON, PROJECT = "everyone", "person", "project"
DAY = 86400.0
SHARED_DAYS, SHARED_QUOTA = 365, 20 * 2**30
"""Of a service that people share, until its administrators say otherwise. One's own keeps everything."""
Key = tuple[str, str]


@dataclass(frozen=True)
class StorageRules:
    """All rules of a service."""

    default: StorageRuleRow
    others: Mapping[Key, StorageRuleRow]

    def days_for(self, owner: str, project: str) -> int | None:
        """The shortest rule of the service, the person and the project; None if there is none."""
        return _shortest(rule.days for rule in self._rules_for(owner, project))

    def code_days_for(self, owner: str, project: str) -> int | None:
        return _shortest(rule.code_days for rule in self._rules_for(owner, project))

    @property
    def shortest(self) -> int | None:
        return _shortest(rule.days for rule in [self.default, *self.others.values()])

    @property
    def removes_code(self) -> bool:
        return any(rule.code_days for rule in [self.default, *self.others.values()])

    def quota_of(self, owner: str) -> int | None:
        own = self.others.get((PERSON, owner))
        return own.quota if own and own.quota is not None else self.default.quota

    def own_rule(self, kind: str, subject: str) -> StorageRuleRow | None:
        return self.others.get((kind, subject))

    def _rules_for(self, owner: str, project: str) -> list[StorageRuleRow]:
        keys = [(PERSON, owner), *([(PROJECT, project)] if project else [])]
        return [self.default, *(self.others[key] for key in keys if key in self.others)]


def rules_from(rows: Iterable[StorageRuleRow], *, is_shared: bool) -> StorageRules:
    known = {(row.kind, row.subject): row for row in rows}
    default = known.pop((EVERYONE, ""), None)
    return StorageRules(default or built_in(is_shared=is_shared), known)


def built_in(*, is_shared: bool) -> StorageRuleRow:
    days, quota = (SHARED_DAYS, SHARED_QUOTA) if is_shared else (None, None)
    return StorageRuleRow(EVERYONE, "", "", days, quota, 0.0)


def _shortest(days: Iterable[int | None]) -> int | None:
    return min((each for each in days if each is not None), default=None)

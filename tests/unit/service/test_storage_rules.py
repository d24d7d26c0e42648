"""Which rule of storage counts for whom."""

from __future__ import annotations

from diamond.service.storage.rows import StorageRuleRow
from diamond.service.storage.rules import (
    EVERYONE,
    PERSON,
    PROJECT,
    SHARED_DAYS,
    SHARED_QUOTA,
    StorageRules,
    rules_from,
)


def rule(kind: str, subject: str, days: int | None, quota: int | None = None) -> StorageRuleRow:
    return StorageRuleRow(kind, subject, "admin", days, quota, 0.0)


def rules(*rows: StorageRuleRow, is_shared: bool = True) -> StorageRules:
    return rules_from(rows, is_shared=is_shared)


def test_a_shared_service_archives_after_a_year_and_ones_own_never() -> None:
    assert rules().days_for("ada", "") == SHARED_DAYS
    assert rules().quota_of("ada") == SHARED_QUOTA
    assert rules(is_shared=False).days_for("ada", "") is None
    assert rules(is_shared=False).quota_of("ada") is None


def test_the_shortest_of_all_rules_counts() -> None:
    known = rules(rule(PERSON, "ada", 90), rule(PROJECT, "river", 30), rule(EVERYONE, "", 60))
    assert known.days_for("ada", "") == 60
    assert known.days_for("ada", "river") == 30
    assert known.days_for("bob", "") == 60
    assert known.shortest == 30


def test_administrators_may_keep_everything() -> None:
    known = rules(rule(EVERYONE, "", None), rule(PERSON, "ada", 10))
    assert known.days_for("bob", "river") is None
    assert known.days_for("ada", "river") == 10


def test_a_persons_own_quota_comes_before_the_default() -> None:
    known = rules(rule(EVERYONE, "", None, 100), rule(PERSON, "ada", None, 500))
    assert known.quota_of("ada") == 500
    assert known.quota_of("bob") == 100

"""Who needs a snapshot of code, and when a rule removes it."""

from __future__ import annotations

from dataclasses import replace

from diamond.service.code.needs import CodeNeeds, files_of_one, is_due
from diamond.service.code.rows import CodeUseRow
from diamond.service.storage.rows import StorageRuleRow
from diamond.service.storage.rules import DAY, PERSON, PROJECT, StorageRules, rules_from

NOW = 1000 * DAY
ENDED = CodeUseRow("s1", "", tasks=2, unfinished=0, ended=NOW - 40 * DAY, name="digits")


def rules(*pairs: tuple[str, str, int]) -> StorageRules:
    rows = [StorageRuleRow(kind, name, "a", None, None, 0.0, days) for kind, name, days in pairs]
    return rules_from(rows, is_shared=True)


def test_code_of_a_task_that_has_not_ended_is_never_removed() -> None:
    needs = CodeNeeds([replace(ENDED, unfinished=1)])
    assert needs.blocked_by == ["1 task that has not ended"]
    assert not is_due(needs, "ada", rules((PERSON, "ada", 1)), NOW)


def test_ended_tasks_models_and_links_are_named() -> None:
    needs = CodeNeeds([ENDED], models=1, links=2)
    assert needs.blocked_by == []
    assert needs.recorded_by == ["2 ended tasks", "1 model version", "2 links for reviewers"]


def test_a_rule_removes_code_some_days_after_the_last_end() -> None:
    needs = CodeNeeds([ENDED])
    assert is_due(needs, "ada", rules((PERSON, "ada", 30)), NOW)
    assert not is_due(needs, "ada", rules((PERSON, "ada", 50)), NOW)
    assert not is_due(needs, "bob", rules((PERSON, "ada", 30)), NOW)
    assert not is_due(needs, "ada", rules(), NOW), (
        "a service keeps code unless it is told otherwise"
    )


def test_every_project_that_used_it_must_be_over() -> None:
    other = replace(ENDED, project="river", ended=NOW - 5 * DAY)
    both = CodeNeeds([ENDED, other])
    assert not is_due(both, "ada", rules((PERSON, "ada", 30)), NOW)
    assert is_due(both, "ada", rules((PERSON, "ada", 30), (PROJECT, "river", 4)), NOW)


def test_a_rule_leaves_what_people_keep() -> None:
    rule = rules((PERSON, "ada", 30))
    for kept in (CodeNeeds([ENDED], models=1), CodeNeeds([ENDED], links=1)):
        assert not is_due(kept, "ada", rule, NOW)
    assert not is_due(CodeNeeds([ENDED], others=["an assignment"]), "ada", rule, NOW)


def test_only_files_of_one_snapshot_alone_are_freed_with_it() -> None:
    contents = {"s1": frozenset({"a", "b"}), "s2": frozenset({"b", "c"})}
    assert files_of_one(contents) == {"s1": {"a"}, "s2": {"c"}}

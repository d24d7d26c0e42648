from __future__ import annotations

from diamond.cli.dependency_format import dependency_lines


def test_what_a_task_waits_for_is_listed_with_its_state() -> None:
    dependencies = [
        {"kind": "build", "id": "t1", "state": "met", "message": "its image is being built by t1"},
        {"kind": "probe", "id": "s1", "state": "waiting", "message": "short runs measure it"},
        {"kind": "task", "id": "t2", "state": "failed", "message": "it was cancelled"},
    ]
    assert dependency_lines({"dependencies": dependencies}) == [
        "done     image build t1",
        "waiting  test runs s1",
        "failed   task t2: it was cancelled",
    ]


def test_a_task_that_waits_for_nothing_has_no_lines() -> None:
    assert dependency_lines({"dependencies": []}) == dependency_lines({}) == []

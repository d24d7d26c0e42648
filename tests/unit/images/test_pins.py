from __future__ import annotations

from diamond.images.pins import pinned


def test_a_list_is_pinned_with_what_its_packages_needed() -> None:
    seen = {"numpy": "2.1.0", "torch": "2.13.0+cpu", "typing_extensions": "4.12.2", "pip": "24.0"}
    assert pinned(["torch", "NumPy>=2"], seen) == [
        "torch==2.13.0",
        "NumPy==2.1.0",
        "typing-extensions==4.12.2",
    ]


def test_lines_that_say_more_than_a_name_stay() -> None:
    lines = ["--find-links /wheels", "pkg @ file:///pkg.whl", 'old; python_version < "3.9"']
    assert pinned(lines, {"pkg": "1.0", "old": "2"}) == lines


def test_extras_stay_and_what_was_not_seen_is_not_invented() -> None:
    assert pinned(["jax[cpu]>0.4", "unseen"], {"jax": "0.5"}) == ["jax[cpu]==0.5", "unseen"]


def test_nothing_but_a_version_gets_into_a_line() -> None:
    assert pinned(["a"], {"a": "1 --index-url http://evil", "b": "../x"}) == ["a"]

"""One more step in a running job: the words, and which Slurm knows them."""

from __future__ import annotations

import pytest

from diamond.core.errors import Refused
from diamond.schedulers.slurm_steps import require_overlap, step_words


@pytest.mark.parametrize("version", ["slurm 19.05.5", "slurm 20.02.7\n", "slurm-wlm 18.08.8"])
def test_a_slurm_without_overlap_is_named_with_its_version(version: str) -> None:
    with pytest.raises(Refused, match=r"20\.11"):
        require_overlap(version)


@pytest.mark.parametrize("version", ["slurm 20.11.4", "slurm-wlm 22.05.8", "slurm 26.05.5", "?"])
def test_later_ones_and_unreadable_answers_pass(version: str) -> None:
    require_overlap(version)


def test_a_terminal_is_asked_for_only_where_somebody_types() -> None:
    assert "--pty" in step_words("7", node="n1", terminal=True)
    assert "--pty" not in step_words("7", node="", terminal=False)
    assert "--nodelist=n1" in step_words("7", node="n1", terminal=True)

"""A state is taken apart into tensors and the rest, and comes together again as it was."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import Any

import torch

from diamond.training.checkpoints.skeleton import join, marks, split


def test_names_lead_to_the_tensors() -> None:
    tensors, _ = split({"model": {"a.weight": torch.ones(2)}, "list": [torch.zeros(1), 5]})
    assert sorted(tensors) == ["list.0", "model.a.weight"]


def test_joined_again_it_is_the_same() -> None:
    state = {"a": {1: torch.ones(2), "b": (torch.zeros(3), "text", None)}, "n": [1, 2.5, True]}
    tensors, skeleton = split(state)
    again = join(skeleton, lambda mark: tensors[mark.name])
    assert again["a"][1] is state["a"][1]  # type: ignore[index]
    assert isinstance(again["a"]["b"], tuple)
    assert again["n"] == [1, 2.5, True]
    assert set(marks(skeleton)) == set(tensors)


def test_a_sparse_tensor_stays_in_the_skeleton_and_is_pickled_there() -> None:
    tensors, skeleton = split({"sparse": torch.eye(3).to_sparse()})
    assert not tensors
    assert skeleton["sparse"].layout == torch.sparse_coo


def test_keys_that_would_give_two_tensors_one_name_lose_none() -> None:
    state = {"a": {"b": torch.zeros(1)}, "a.b": torch.ones(1), 1: torch.ones(2), "1": torch.ones(3)}
    tensors, skeleton = split(state)
    again = join(skeleton, lambda mark: tensors[mark.name])
    assert len(tensors) == 4
    assert (again["a"]["b"], again["a.b"]) == (state["a"]["b"], state["a.b"])
    assert (len(again[1]), len(again["1"])) == (2, 3)


def test_a_dict_stays_of_its_kind_where_that_can_be_pickled() -> None:
    state: dict[str, Any] = {
        "miles": Counter([2, 4, 4]),
        "order": OrderedDict(b=torch.ones(1), a=2),
        "counts": defaultdict(int, x=1),
        "made": defaultdict(lambda: 0, x=1),
    }
    tensors, skeleton = split(state)
    again = join(skeleton, lambda mark: tensors[mark.name])
    assert again == state
    assert [type(one) for one in again.values()] == [Counter, OrderedDict, defaultdict, dict]

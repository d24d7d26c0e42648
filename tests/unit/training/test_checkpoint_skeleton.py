"""A state is taken apart into tensors and the rest, and comes together again as it was."""

from __future__ import annotations

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

"""Split a nested state into named tensors and a skeleton of everything else, and join them again."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Dict, Tuple

import torch

PLAIN = (torch.Tensor, torch.nn.Parameter)
"""Whole tensors of this process; other types are sharded or foreign."""
_KINDS_OF_DICT = (OrderedDict, Counter)
_PLAIN_DEFAULTS = (None, int, float, list, dict, set)


@dataclass(frozen=True)
class TensorMark:
    """Replaces a tensor in the skeleton."""

    name: str
    on_cpu: bool


def split(state: Any, prefix: str = "") -> Tuple[Dict[str, torch.Tensor], Any]:
    """`{"model": {"w": tensor}}` -> `{"model.w": tensor}` and the same shape with a mark for each tensor."""
    tensors: Dict[str, torch.Tensor] = {}
    return tensors, _take_out(state, prefix, tensors)


def join(skeleton: Any, tensor_for: Callable[[TensorMark], Any]) -> Any:
    """The state again, with `tensor_for`'s result in place of each mark."""
    if isinstance(skeleton, TensorMark):
        return tensor_for(skeleton)
    if isinstance(skeleton, dict):
        return _like(skeleton, {k: join(value, tensor_for) for k, value in skeleton.items()})
    if type(skeleton) in (list, tuple):
        return type(skeleton)(join(value, tensor_for) for value in skeleton)
    return skeleton


def marks(skeleton: Any) -> Dict[str, TensorMark]:
    tensor_marks: Dict[str, TensorMark] = {}
    join(skeleton, lambda mark: tensor_marks.setdefault(mark.name, mark))
    return tensor_marks


def _take_out(state: Any, name: str, tensors: Dict[str, torch.Tensor]) -> Any:
    """Keys with dots, or 1 beside "1", may give two tensors the same name: the second gets a suffix."""
    if isinstance(state, torch.Tensor) and _is_dense(state):
        while name in tensors:
            name += "'"
        tensors[name] = state
        return _mark(name, state.is_cpu)
    dot = f"{name}." if name else ""
    if isinstance(state, dict):
        taken = {key: _take_out(value, f"{dot}{key}", tensors) for key, value in state.items()}
        return _like(state, taken)
    if type(state) in (list, tuple):
        items = (_take_out(value, f"{dot}{i}", tensors) for i, value in enumerate(state))
        return type(state)(items)
    return state


def _like(example: Any, values: Dict[Any, Any]) -> Any:
    """A dict of the same type, if that can be pickled: MultiStepLR needs its Counter."""
    kind = type(example)
    if kind in _KINDS_OF_DICT:
        return kind(values)
    if kind is defaultdict and example.default_factory in _PLAIN_DEFAULTS:
        return defaultdict(example.default_factory, values)
    return values


@lru_cache(maxsize=None)
def _mark(name: str, on_cpu: bool) -> TensorMark:
    """The same names occur in every save."""
    return TensorMark(name, on_cpu)


def _is_dense(tensor: torch.Tensor) -> bool:
    """Dense tensors are written as bytes; sparse, quantized and foreign kinds are pickled with the skeleton."""
    local = tensor
    if type(tensor) not in PLAIN and hasattr(tensor, "to_local"):
        local = tensor.to_local()
    return type(local) in PLAIN and local.layout == torch.strided and not local.is_quantized

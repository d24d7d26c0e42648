"""The names of a module's tensors, independent of wrappers around it or its parts."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

import torch

_COMPILED = "_orig_mod"
_PARALLEL = (torch.nn.parallel.DistributedDataParallel, torch.nn.DataParallel)


def unwrapped(module: torch.nn.Module) -> torch.nn.Module:
    """Without DistributedDataParallel, DataParallel or torch.compile around it."""
    while True:
        inner = getattr(module, _COMPILED, None)
        if inner is None and isinstance(module, _PARALLEL):
            inner = module.module
        if inner is None:
            return module
        module = inner


def plain_state(module: torch.nn.Module) -> Dict[str, Any]:
    """The state of a module under its names without wrappers; the tensors are the module's own."""
    inner = unwrapped(module)
    clean = PlainNames(inner)
    return {clean(name): value for name, value in inner.state_dict(keep_vars=True).items()}


def load_plain_state(
    module: torch.nn.Module, state: Mapping[str, Any], *, strict: bool = True
) -> None:
    """The reverse: give each value the name that the module uses now."""
    inner = unwrapped(module)
    clean = PlainNames(inner)
    today = {clean(name): name for name in inner.state_dict(keep_vars=True)}
    inner.load_state_dict(
        {today.get(name, name): value for name, value in state.items()}, strict=strict
    )


def plain_parameters(module: torch.nn.Module) -> Dict[str, torch.nn.Parameter]:
    inner = unwrapped(module)
    clean = PlainNames(inner)
    return {clean(name): parameter for name, parameter in inner.named_parameters()}


class PlainNames:
    """Names of one module's tensors without the wrappers inside it. A user's own attribute called `module` is not a
    wrapper.
    """

    def __init__(self, module: torch.nn.Module) -> None:
        parallel = [
            name
            for name, inner_module in module.named_modules()
            if name and isinstance(inner_module, _PARALLEL)
        ]
        self._prefixes: List[str] = sorted(
            (f"{_without_compiled(name + '.')}module." for name in parallel), key=len, reverse=True
        )

    def __call__(self, name: str) -> str:
        name = _without_compiled(name)
        for prefix in self._prefixes:
            if name.startswith(prefix):
                name = prefix[: -len("module.")] + name[len(prefix) :]
        return name


def _without_compiled(name: str) -> str:
    return name.replace(f"{_COMPILED}.", "") if _COMPILED in name else name

"""A training as a nested state, read and written back by names, not positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Set

import torch

from diamond.training.checkpoints.errors import DoesNotFit
from diamond.training.checkpoints.names import load_plain_state, plain_parameters, plain_state
from diamond.training.checkpoints.skeleton import TensorMark, join

_EXTRA = torch.nn.modules.module._EXTRA_STATE_KEY_SUFFIX
"""Suffix for the result of `get_extra_state`, which may be a tensor made for the purpose."""


@dataclass
class Training:
    """The objects in a checkpoint."""

    model: torch.nn.Module
    optimizers: Sequence[torch.optim.Optimizer]
    more: Mapping[str, Any]
    """Anything with `state_dict` and `load_state_dict`: scheduler, scaler, loader, an average of the weights."""

    def __post_init__(self) -> None:
        _refuse_flat_parameters(self.model)
        self._name_parameters()

    def take(self) -> Dict[str, Any]:
        """The current state. Its tensors are the training's own, not copies."""
        if not all(id(parameter) in self.names for parameter in self._trained()):
            self._name_parameters()
        return {
            "model": plain_state(self.model),
            "optimizers": [
                _optimizer_state(optimizer, self.names) for optimizer in self.optimizers
            ],
            "more": {name: _state_of(part) for name, part in self.more.items()},
        }

    def still_between_steps(self, state: Mapping[str, Any]) -> Set[int]:
        """Ids of tensors that only an optimizer step changes: the parameters it trains, and its own.

        Buffers (batch norm) and the weights of a teacher may change in the forward pass; about the rest, nothing is known.
        """
        return {id(parameter) for parameter in self._trained()} | _tensors_of_optimizers(state)

    def alike_on_all_ranks(self, state: Mapping[str, Any]) -> Set[int]:
        """Ids of tensors that are equal on data-parallel ranks: parameters and the optimizers' own."""
        ids = {
            id(tensor)
            for tensor in state["model"].values()
            if isinstance(tensor, torch.nn.Parameter)
        }
        return ids | _tensors_of_optimizers(state)

    def differences(self, skeleton: Mapping[str, Any]) -> List[str]:
        """Messages about what the checkpoint lacks, or contains without use; the rest still fits."""
        saved, own = set(skeleton["more"]), set(self.more)
        lacking = [
            f"{name} was not in the checkpoint and starts fresh" for name in sorted(own - saved)
        ]
        unknown = [f"{name} of the checkpoint is not used" for name in sorted(saved - own)]
        return lacking + unknown

    def target(self, mark: TensorMark, metadata: Any) -> torch.Tensor:
        """The tensor to load into: the training's own, or a new one with its parameter's layout."""
        own = self._own_tensors.get(mark.name)
        if own is not None:
            return _with_shape(own, metadata.size)
        parameter = self._parameter_of(mark.name)
        kind = metadata.properties.dtype
        if _is_laid_out_as(parameter, mark, metadata):
            like: torch.Tensor = torch.zeros_like(parameter, dtype=kind)
            return like
        device = "cpu" if mark.on_cpu or parameter is None else parameter.device
        return torch.zeros(metadata.size, dtype=kind, device=device)

    def prepare_targets(self) -> None:
        self._name_parameters()
        named = {f"model.{name}": tensor for name, tensor in plain_state(self.model).items()}
        for key, part in self._more_modules().items():
            named.update({f"more.{key}.{name}": it for name, it in plain_state(part).items()})
        self._own_tensors = {
            name: tensor
            for name, tensor in named.items()
            if isinstance(tensor, torch.Tensor) and not name.endswith(_EXTRA)
        }
        self._parameters = {self.names[id(parameter)]: parameter for parameter in self._trained()}

    def check_fits(self, skeleton: Mapping[str, Any]) -> None:
        """Raise DoesNotFit with the first differences."""
        _compare("the model", set(skeleton["model"]), set(plain_state(self.model)))
        saved, own = len(skeleton["optimizers"]), len(self.optimizers)
        if saved != own:
            raise DoesNotFit(f"the checkpoint has {saved} optimizers, this training has {own}")
        for group, optimizer in zip(skeleton["optimizers"], self.optimizers):
            _compare_groups(group, _optimizer_state(optimizer, self.names))

    def give(self, skeleton: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
        """Write a loaded state back; the model's tensors were loaded in place."""
        state = join(skeleton, lambda mark: tensors[mark.name])
        objects = {k: state["model"][k] for k, v in skeleton["model"].items() if _is_given(k, v)}
        if objects:
            load_plain_state(self.model, objects, strict=False)
        for loaded, optimizer in zip(state["optimizers"], self.optimizers):
            _give_optimizer(optimizer, loaded, self._parameters)
        for name, part in self.more.items():
            if name in state["more"]:
                _give(part, state["more"][name])

    def _more_modules(self) -> Dict[str, torch.nn.Module]:
        return {k: v for k, v in self.more.items() if isinstance(v, torch.nn.Module)}

    def _trained(self) -> Iterator[torch.nn.Parameter]:
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                yield from group["params"]

    def _name_parameters(self) -> None:
        """Parameters of the model and of other modules: a loss may have its own weights. More may be added later."""
        modules = {"": self.model}
        modules.update({f"more.{k}.": v for k, v in self._more_modules().items()})
        names = [
            (prefix + name, parameter)
            for prefix, module in modules.items()
            for name, parameter in plain_parameters(module).items()
        ]
        self._named = names  # kept, so that no other tensor gets the id of a name
        self.names = {id(parameter): name for name, parameter in names}
        for optimizer in self.optimizers:
            _refuse_strangers(optimizer, self.names)

    def _parameter_of(self, name: str) -> Any:
        """`optimizers.0.state.layer.weight.exp_avg` -> the parameter `layer.weight`."""
        if not name.startswith("optimizers."):
            return None
        inner = name.split(".state.", 1)[-1]
        while inner not in self._parameters and "." in inner:
            inner = inner.rsplit(".", 1)[0]
        return self._parameters.get(inner)


def _tensors_of_optimizers(state: Mapping[str, Any]) -> Set[int]:
    return {
        id(value)
        for optimizer in state["optimizers"]
        for values in optimizer["state"].values()
        for value in (values.values() if isinstance(values, dict) else [values])
    }


def _is_given(name: str, value: Any) -> bool:
    """Whether it must be passed to the module: not if it was loaded into the module's own tensors, nor if it has no values,
    like a lazy module before its first batch.
    """
    if isinstance(value, TensorMark):
        return name.endswith(_EXTRA)
    return not torch.nn.parameter.is_lazy(value)


def _with_shape(own: torch.Tensor, size: Any) -> torch.Tensor:
    """The tensor to load into; a lazy module takes its shape from the checkpoint instead of its first batch."""
    if torch.nn.parameter.is_lazy(own):
        own.materialize(size)
    return own.detach()


def _is_laid_out_as(parameter: Any, mark: TensorMark, metadata: Any) -> bool:
    """Except the step count of a parameter without dimensions: it stays where the optimizer keeps it."""
    return (
        parameter is not None
        and parameter.shape == metadata.size
        and parameter.is_cpu == mark.on_cpu
    )


def _optimizer_state(optimizer: torch.optim.Optimizer, names: Mapping[int, str]) -> Dict[str, Any]:
    """Some optimizers also keep state that belongs to no parameter, under string keys."""
    groups = [
        {**group, "params": [names[id(parameter)] for parameter in group["params"]]}
        for group in optimizer.param_groups
    ]
    saved: Dict[str, Any] = {"state": {}, "param_groups": groups, "words": {}}
    if _knows_better(optimizer):
        return {**saved, "whole": optimizer.state_dict()}
    for key, values in optimizer.state.items():
        if isinstance(key, torch.Tensor):
            saved["state"][names[id(key)]] = _copied(values)
        else:
            saved["words"][key] = _copied(values)
    return saved


def _give_optimizer(
    optimizer: torch.optim.Optimizer,
    loaded: Mapping[str, Any],
    parameters: Mapping[str, torch.Tensor],
) -> None:
    """Set directly: `load_state_dict` would cast a float32 average to the type of a bfloat16 weight."""
    if "whole" in loaded:
        optimizer.load_state_dict(loaded["whole"])
        return
    optimizer.state.clear()
    for name, values in loaded["state"].items():
        optimizer.state[parameters[name]] = _copied(values)
    optimizer.state.update(loaded.get("words", {}))  # not in checkpoints before November 2026
    for group, saved in zip(optimizer.param_groups, loaded["param_groups"]):
        group.update({key: value for key, value in saved.items() if key != "params"})


def _knows_better(optimizer: torch.optim.Optimizer) -> bool:
    """Whether it has its own `state_dict`, as optimizers that wrap another one do."""
    return type(optimizer).state_dict is not torch.optim.Optimizer.state_dict


def _copied(values: Any) -> Any:
    return dict(values) if isinstance(values, dict) else values


def _state_of(part: Any) -> Any:
    """A module keeps its own names: averaged weights hold their model as `module`, and expect it there."""
    return plain_state(part) if isinstance(part, torch.nn.Module) else part.state_dict()


def _give(part: Any, state: Any) -> None:
    if isinstance(part, torch.nn.Module):
        load_plain_state(part, state)
    else:
        part.load_state_dict(state)


def _compare(what: str, saved: Set[str], own: Set[str]) -> None:
    missing, unknown = sorted(own - saved)[:3], sorted(saved - own)[:3]
    if missing or unknown:
        raise DoesNotFit(
            f"{what} differs from the one that was saved: not in the checkpoint: {missing or 'nothing'}, "
            f"only in the checkpoint: {unknown or 'nothing'}. Use the code that wrote it, or another folder."
        )


def _compare_groups(saved: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    def names(state: Mapping[str, Any]) -> List[List[str]]:
        return [list(group["params"]) for group in state["param_groups"]]

    for theirs, ours in zip(names(saved), names(own)):
        _compare("a group of the optimizer", set(theirs), set(ours))
    if len(names(saved)) != len(names(own)):
        raise DoesNotFit(
            "the optimizer has a different number of parameter groups than the saved one"
        )


def _refuse_flat_parameters(model: torch.nn.Module) -> None:
    if any(type(parameter).__name__ == "FlatParameter" for parameter in model.parameters()):
        raise DoesNotFit(
            "the first FSDP wrapper hides the parameters' names: shard the model with "
            "torch.distributed.fsdp.fully_shard instead"
        )


def _refuse_strangers(optimizer: torch.optim.Optimizer, names: Mapping[int, str]) -> None:
    if type(optimizer).__name__ == "ZeroRedundancyOptimizer":
        raise DoesNotFit(
            "ZeroRedundancyOptimizer cannot be saved by all ranks: use a plain optimizer, and shard the "
            "model with torch.distributed.fsdp.fully_shard to save memory"
        )
    unknown = [
        tuple(parameter.shape)
        for group in optimizer.param_groups
        for parameter in group["params"]
        if id(parameter) not in names
    ]
    if unknown:
        raise DoesNotFit(
            f"the optimizer trains parameters that are not in the model (shapes {unknown[:3]}): "
            "pass their module to the Checkpointer too, as another keyword"
        )

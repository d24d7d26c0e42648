"""What a training consists of, read as a nested state and written back: names, not positions, carry it over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Sequence, Set

import torch

from diamond.training.checkpoints.errors import DoesNotFit
from diamond.training.checkpoints.skeleton import TensorMark, join

_WRAPPERS = ("module.", "_orig_mod.")


@dataclass
class Training:
    """The objects that a checkpoint holds."""

    model: torch.nn.Module
    optimizers: Sequence[torch.optim.Optimizer]
    more: Mapping[str, Any]
    """Anything with `state_dict` and `load_state_dict`: scheduler, scaler, loader, an average of the weights."""

    def __post_init__(self) -> None:
        _refuse_flat_parameters(self.model)
        self.names = self._parameter_names()
        for optimizer in self.optimizers:
            _refuse_strangers(optimizer, self.names)

    def take(self) -> Dict[str, Any]:
        """The state now. Its tensors are those of the training, not copies."""
        return {
            "model": _module_state(self.model),
            "optimizers": [_optimizer_state(one, self.names) for one in self.optimizers],
            "more": {name: _state_of(one) for name, one in self.more.items()},
        }

    def still_between_steps(self, state: Mapping[str, Any]) -> Set[int]:
        """Ids of tensors that only an optimizer's step changes: the parameters it trains, and its own.

        Buffers (batch norm) change in forward, as do the weights of a teacher; nobody knows about the rest.
        """
        trained = {
            id(one)
            for optimizer in self.optimizers
            for group in optimizer.param_groups
            for one in group["params"]
        }
        return trained | _tensors_of_optimizers(state)

    def alike_on_all_ranks(self, state: Mapping[str, Any]) -> Set[int]:
        """Ids of tensors that data-parallel ranks have alike: parameters and the optimizers' own."""
        found = {id(one) for one in state["model"].values() if isinstance(one, torch.nn.Parameter)}
        return found | _tensors_of_optimizers(state)

    def differences(self, skeleton: Mapping[str, Any]) -> List[str]:
        """What the checkpoint does not fill, or fills in vain, in words; the rest fits all the same."""
        saved, own = set(skeleton["more"]), set(self.more)
        lacking = [
            f"{one} was not in the checkpoint and begins anew" for one in sorted(own - saved)
        ]
        unknown = [f"{one} of the checkpoint is not used" for one in sorted(saved - own)]
        return lacking + unknown

    def target(self, mark: TensorMark, metadata: Any) -> torch.Tensor:
        """The tensor to load into: the training's own, or a new one laid out as its parameter is."""
        own = self._own_tensors.get(mark.name)
        if own is not None:
            return own
        parameter = self._parameter_of(mark.name)
        kind = metadata.properties.dtype
        if parameter is not None and parameter.shape == metadata.size:
            like: torch.Tensor = torch.zeros_like(parameter, dtype=kind)
            return like
        device = "cpu" if mark.on_cpu or parameter is None else parameter.device
        return torch.zeros(metadata.size, dtype=kind, device=device)

    def prepare_targets(self) -> None:
        named = {f"model.{name}": one for name, one in _module_state(self.model).items()}
        for key, one in self._more_modules().items():
            named.update({f"more.{key}.{name}": it for name, it in _own_state(one).items()})
        self._own_tensors = {
            name: one.detach() for name, one in named.items() if isinstance(one, torch.Tensor)
        }
        self._parameters = {
            self.names[id(parameter)]: parameter
            for optimizer in self.optimizers
            for group in optimizer.param_groups
            for parameter in group["params"]
        }

    def check_fits(self, skeleton: Mapping[str, Any]) -> None:
        """Raise DoesNotFit with the first differences."""
        _compare("the model", set(skeleton["model"]), set(_module_state(self.model)))
        saved, own = len(skeleton["optimizers"]), len(self.optimizers)
        if saved != own:
            raise DoesNotFit(f"the checkpoint holds {saved} optimizers, this training has {own}")
        for group, optimizer in zip(skeleton["optimizers"], self.optimizers):
            _compare_groups(group, _optimizer_state(optimizer, self.names))

    def give(self, skeleton: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
        """Write a loaded state back; the model's tensors were loaded in place."""
        state = join(skeleton, lambda mark: tensors[mark.name])
        objects = {k: v for k, v in state["model"].items() if not isinstance(v, torch.Tensor)}
        if objects:
            _unwrapped(self.model).load_state_dict(objects, strict=False)
        for loaded, optimizer in zip(state["optimizers"], self.optimizers):
            _give_optimizer(optimizer, loaded, self._parameters)
        for name, one in self.more.items():
            if name in state["more"]:
                _loader_of(one).load_state_dict(state["more"][name])

    def _more_modules(self) -> Dict[str, torch.nn.Module]:
        return {k: v for k, v in self.more.items() if isinstance(v, torch.nn.Module)}

    def _parameter_names(self) -> Dict[int, str]:
        """Of the model and of modules among the rest: a loss may have weights of its own."""
        modules = {"": self.model}
        modules.update({f"{k}.": v for k, v in self._more_modules().items()})
        return {
            id(parameter): prefix + _clean(name)
            for prefix, module in modules.items()
            for name, parameter in module.named_parameters()
        }

    def _parameter_of(self, name: str) -> Any:
        """`optimizers.0.state.layer.weight.exp_avg` -> the parameter `layer.weight`."""
        inner = name.split(".state.", 1)[-1]
        while inner not in self._parameters and "." in inner:
            inner = inner.rsplit(".", 1)[0]
        return self._parameters.get(inner)


def _tensors_of_optimizers(state: Mapping[str, Any]) -> Set[int]:
    return {
        id(one)
        for optimizer in state["optimizers"]
        for values in optimizer["state"].values()
        for one in values.values()
    }


def _module_state(module: torch.nn.Module) -> Dict[str, Any]:
    state = _unwrapped(module).state_dict(keep_vars=True)
    return {_clean(name): value for name, value in state.items()}


def _unwrapped(module: torch.nn.Module) -> torch.nn.Module:
    """Without DistributedDataParallel or torch.compile around it."""
    while True:
        inner = getattr(module, "_orig_mod", None)
        if inner is None and isinstance(module, torch.nn.parallel.DistributedDataParallel):
            inner = module.module
        if inner is None:
            return module
        module = inner


def _clean(name: str) -> str:
    """The name that the parameter has without wrappers around modules."""
    while name.startswith(_WRAPPERS[0]) or _WRAPPERS[1] in name:
        name = name[len(_WRAPPERS[0]) :] if name.startswith(_WRAPPERS[0]) else name
        name = name.replace(_WRAPPERS[1], "")
    return name


def _optimizer_state(optimizer: torch.optim.Optimizer, names: Mapping[int, str]) -> Dict[str, Any]:
    groups = [
        {**group, "params": [names[id(one)] for one in group["params"]]}
        for group in optimizer.param_groups
    ]
    state = {names[id(one)]: dict(values) for one, values in optimizer.state.items()}
    return {"state": state, "param_groups": groups}


def _give_optimizer(
    optimizer: torch.optim.Optimizer,
    loaded: Mapping[str, Any],
    parameters: Mapping[str, torch.Tensor],
) -> None:
    """Set directly: `load_state_dict` would cast a float32 average to the type of a bfloat16 weight."""
    optimizer.state.clear()
    for name, values in loaded["state"].items():
        optimizer.state[parameters[name]] = dict(values)
    for group, saved in zip(optimizer.param_groups, loaded["param_groups"]):
        group.update({key: value for key, value in saved.items() if key != "params"})


def _state_of(one: Any) -> Any:
    return _own_state(one) if isinstance(one, torch.nn.Module) else one.state_dict()


def _own_state(module: torch.nn.Module) -> Dict[str, Any]:
    """Under its own names: an average of weights holds its model as `module`, and wants to find it there."""
    return dict(_unwrapped(module).state_dict(keep_vars=True))


def _loader_of(one: Any) -> Any:
    return _unwrapped(one) if isinstance(one, torch.nn.Module) else one


def _compare(what: str, saved: Set[str], own: Set[str]) -> None:
    missing, unknown = sorted(own - saved)[:3], sorted(saved - own)[:3]
    if missing or unknown:
        raise DoesNotFit(
            f"{what} differs from the one that was saved: not in the checkpoint: {missing or 'nothing'}, "
            f"only in the checkpoint: {unknown or 'nothing'}. Use the code that made it, or another folder."
        )


def _compare_groups(saved: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    def names(state: Mapping[str, Any]) -> List[List[str]]:
        return [list(group["params"]) for group in state["param_groups"]]

    for theirs, ours in zip(names(saved), names(own)):
        _compare("a group of the optimizer", set(theirs), set(ours))
    if len(names(saved)) != len(names(own)):
        raise DoesNotFit("the optimizer has another number of parameter groups than the one saved")


def _refuse_flat_parameters(model: torch.nn.Module) -> None:
    if any(type(one).__name__ == "FlatParameter" for one in model.parameters()):
        raise DoesNotFit(
            "the first FSDP wrapper hides the parameters' names: shard the model with "
            "torch.distributed.fsdp.fully_shard instead"
        )


def _refuse_strangers(optimizer: torch.optim.Optimizer, names: Mapping[int, str]) -> None:
    unknown = [
        tuple(one.shape)
        for group in optimizer.param_groups
        for one in group["params"]
        if id(one) not in names
    ]
    if unknown:
        raise DoesNotFit(
            f"the optimizer trains parameters that are not in the model (shapes {unknown[:3]}): "
            "give the module that has them to the Checkpointer too, as a further keyword"
        )

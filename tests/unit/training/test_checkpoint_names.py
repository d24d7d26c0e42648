"""Tensors have the names that a person gave them, whatever stands around the modules."""

from __future__ import annotations

from types import SimpleNamespace

import torch
from torch import nn

from diamond.training.checkpoints.names import load_plain_state, plain_parameters, plain_state
from diamond.training.checkpoints.skeleton import TensorMark
from diamond.training.checkpoints.state import Training


def compiled(module: nn.Module) -> nn.Module:
    wrapped: nn.Module = torch.compile(module, backend="eager")
    return wrapped


def two_networks() -> nn.ModuleDict:
    return nn.ModuleDict({"gen": nn.Linear(2, 2), "dis": nn.Linear(2, 2)})


def test_wrappers_around_and_inside_of_a_model_leave_no_trace() -> None:
    bare = two_networks()
    inner = two_networks()
    wrapped = nn.DataParallel(compiled(inner))
    inner["gen"] = nn.DataParallel(compiled(inner["gen"]))
    inner["dis"] = compiled(nn.DataParallel(inner["dis"]))
    assert list(plain_state(wrapped)) == list(bare.state_dict())
    assert list(plain_parameters(wrapped)) == list(dict(bare.named_parameters()))
    load_plain_state(wrapped, bare.state_dict())
    assert torch.equal(plain_state(wrapped)["gen.weight"], bare["gen"].weight)


def test_an_attribute_of_ones_own_that_is_called_module_is_no_wrapper() -> None:
    model = nn.Module()
    model.module = nn.Linear(2, 2, bias=False)
    model.weight = nn.Parameter(torch.zeros(3))
    assert sorted(plain_state(model)) == ["module.weight", "weight"]


def test_an_average_of_a_wrapped_model_is_that_of_the_bare_one() -> None:
    average = torch.optim.swa_utils.AveragedModel
    assert set(plain_state(average(nn.DataParallel(nn.Linear(2, 2))))) == set(
        average(nn.Linear(2, 2)).state_dict()
    )


def test_the_count_of_steps_stays_where_the_optimizer_keeps_it() -> None:
    """Also that of a parameter without dimensions, on another device than the processor's memory."""
    model = nn.Module()
    model.scale = nn.Parameter(torch.tensor(1.0, device="meta"))
    training = Training(model, [torch.optim.Adam(model.parameters())], {})
    training.prepare_targets()
    saved = SimpleNamespace(size=torch.Size([]), properties=SimpleNamespace(dtype=torch.float32))
    step = training.target(TensorMark("optimizers.0.state.scale.step", on_cpu=True), saved)
    average = training.target(TensorMark("optimizers.0.state.scale.exp_avg", on_cpu=False), saved)
    assert (step.device.type, average.device.type) == ("cpu", "meta")

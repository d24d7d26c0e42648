"""Trainings that few people write go on as they were, too; what cannot be saved is refused in words."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset

import diamond
from diamond.training import Checkpointer, ResumableLoader
from diamond.training.checkpoints import manifest
from diamond.training.checkpoints.errors import CheckpointError, DoesNotFit
from diamond.training.checkpoints.folder import Folder
from support.waiting import wait_for

FEATURES = torch.randn(8, 4, generator=torch.Generator().manual_seed(1))


class Scene:
    """A model, its optimizers and whatever else, and one step of training them."""

    def __init__(self, model: nn.Module, optimizers: list[Any], **more: Any) -> None:
        self.model, self.optimizers, self.more = model, optimizers, more

    def checkpointer(self, folder: Path) -> Checkpointer:
        return Checkpointer(self.model, self.optimizers, folder=folder, **self.more)

    def train(self, steps: range) -> None:
        for step in steps:
            for optimizer in self.optimizers:
                optimizer.step(lambda step=step: self.loss(step))
            for one in self.more.values():
                if isinstance(one, lr_scheduler.ReduceLROnPlateau):
                    one.step(self.loss(step).detach())
                elif isinstance(one, lr_scheduler.LRScheduler):
                    one.step()

    def loss(self, step: int) -> torch.Tensor:
        outcome = FEATURES + step
        for one in [self.model, *self.more.values()]:
            if isinstance(one, nn.Module):
                one.zero_grad()
                outcome = one(outcome)
        loss: torch.Tensor = outcome.square().mean()
        loss.backward()
        return loss

    def state(self) -> list[Any]:
        parts = [self.model, *self.optimizers, *self.more.values()]
        return copy.deepcopy([one.state_dict() for one in parts])


def goes_on_equal(make: Callable[[], Scene], folder: Path) -> None:
    """Saved after three steps and trained for three more, by the same process and by one that resumes."""
    through = make()
    first = through.checkpointer(folder)
    through.train(range(3))
    first.save(3, wait=True)
    through.train(range(3, 6))
    first.close()
    torch.manual_seed(99)
    resumed = make()
    second = resumed.checkpointer(folder)
    assert second.resume() == 3
    resumed.train(range(3, 6))
    second.close()
    assert differing(through.state(), resumed.state()) == []


def differing(one: Any, other: Any, place: str = "") -> list[str]:
    """Where two states are not the same, in kind and in value."""
    if type(one) is not type(other):
        return [f"{place}: {type(one)} and {type(other)}"]
    if isinstance(one, torch.Tensor):
        alike = (one.dtype, one.shape, one.layout) == (other.dtype, other.shape, other.layout)
        return [] if alike and torch.equal(one.to_dense(), other.to_dense()) else [place]
    if isinstance(one, dict):
        if one.keys() != other.keys():
            return [f"{place}: {one.keys() ^ other.keys()}"]
        return [it for key in one for it in differing(one[key], other[key], f"{place}.{key}")]
    if isinstance(one, list | tuple):
        pairs = enumerate(zip(one, other, strict=True))
        return [it for n, (a, b) in pairs for it in differing(a, b, f"{place}.{n}")]
    return [] if callable(one) or one == other else [place]


class Parts(nn.Module):  # type: ignore[misc]
    """As many layers as there are optimizers to try."""

    def __init__(self, count: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(count))
        self.words = nn.Embedding(6, 4, sparse=True)
        self.frozen = nn.Linear(4, 4).requires_grad_(False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        outcomes = torch.stack([layer(features) for layer in self.layers])
        return outcomes.mean(0) + self.words(torch.tensor([1, 3])).mean() + self.frozen(features)


class CountsInWords(torch.optim.SGD):  # type: ignore[misc]
    """Keeps something under a word, which torch allows."""

    def step(self, closure: Any = None) -> Any:
        self.state["rounds"] = self.state.get("rounds", 0) + 1
        self.state["trace"].setdefault("means", []).append(torch.ones(2) * self.state["rounds"])
        self.param_groups[0]["lr"] = 0.1 / self.state["rounds"]
        return super().step(closure)


class HoldsAnother(torch.optim.Optimizer):  # type: ignore[misc]
    """As Lookahead does: the state lies in the optimizer that it holds, and `state_dict` tells both."""

    def __init__(self, inner: torch.optim.Optimizer) -> None:
        super().__init__(inner.param_groups, {})
        self.inner, self.rounds = inner, 0

    def step(self, closure: Any = None) -> Any:
        self.rounds += 1
        return self.inner.step(closure)

    def state_dict(self) -> dict[str, Any]:
        return {"inner": self.inner.state_dict(), "rounds": self.rounds}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.inner.load_state_dict(state["inner"])
        self.rounds = state["rounds"]


def optimizers(model: Parts) -> list[torch.optim.Optimizer]:
    layers, kinds = iter(model.layers), torch.optim
    return [
        kinds.Adam(next(layers).parameters(), lr=0.01, fused=True),
        kinds.Adam(next(layers).parameters(), lr=torch.tensor(0.01), amsgrad=True),
        kinds.AdamW(next(layers).named_parameters(), lr=0.01, foreach=True),
        kinds.LBFGS(next(layers).parameters(), max_iter=2, line_search_fn="strong_wolfe"),
        kinds.SparseAdam(model.words.parameters(), lr=0.01),
        kinds.Adafactor([*next(layers).parameters(), *model.frozen.parameters()]),
        kinds.ASGD([{"params": [one], "lr": 0.1} for one in next(layers).parameters()]),
        CountsInWords(next(layers).parameters(), lr=0.1, momentum=0.9),
        HoldsAnother(kinds.SGD(next(layers).parameters(), lr=0.1, momentum=0.9)),
    ]


def test_optimizers_and_schedulers_of_every_kind_go_on_bit_equal(tmp_path: Path) -> None:
    def make() -> Scene:
        model = Parts(8)
        made = optimizers(model)
        warm = [
            lr_scheduler.LinearLR(made[5], total_iters=2),
            lr_scheduler.ExponentialLR(made[5], 0.9),
        ]
        return Scene(
            model,
            made,
            once=lr_scheduler.OneCycleLR(made[0], 0.1, total_steps=20),
            miles=lr_scheduler.MultiStepLR(made[1], [2, 4, 4]),
            plateau=lr_scheduler.ReduceLROnPlateau(made[2], patience=0),
            sequence=lr_scheduler.SequentialLR(made[5], warm, [2]),
        )

    goes_on_equal(make, tmp_path)


class Own(nn.Parameter):  # type: ignore[misc]
    """Some libraries make parameters of a class of their own."""


class Odd(nn.Module):  # type: ignore[misc]
    """Tensors of every kind, two attributes that are called as wrappers call theirs, weights that are shared."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.module = nn.Linear(4, 4)
        self.weight = nn.Parameter(torch.randn(4))
        self.tied = nn.Linear(4, 4)
        self.tied.weight = self.module.weight
        self.compiled = torch.compile(Counts(), backend="eager")
        self.lazy = nn.LazyLinear(4)
        self.own = Own(torch.randn(4))
        self.short = nn.Parameter(torch.randn(4).bfloat16())
        self.wave = nn.Parameter(torch.randn(4, dtype=torch.complex64))
        self.turned = nn.Parameter(torch.randn(3, 4).t())
        self.picture = nn.Parameter(torch.randn(1, 2, 3, 4).to(memory_format=torch.channels_last))
        self.none, self.scalar = nn.Parameter(torch.zeros(0, 3)), nn.Parameter(torch.tensor(1.5))
        self.register_buffer("graph", torch.eye(8).to_sparse())
        self.register_buffer("count", torch.tensor(0))
        self.register_buffer("flags", torch.tensor([True, False]))
        self.register_buffer("tiny", torch.randn(4).to(torch.float8_e4m3fn))
        self.register_buffer("part", torch.arange(10, dtype=torch.uint8)[2:5])
        self.register_buffer("nothing", None)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        self.count += 1
        self.graph.mul_(1.1)
        outcome = self.tied(self.module(torch.sparse.mm(self.graph, features))) * self.weight
        outcome = self.lazy(self.compiled(outcome)) * self.own * self.wave.abs() * self.scalar
        rest = [self.short.float(), self.turned, self.picture, self.none]
        return outcome + torch.stack([one.sum() for one in rest]).sum()


class Counts(nn.Module):  # type: ignore[misc]
    """Tells its state in a tensor that is made when asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.scale, self.calls = nn.Parameter(torch.ones(4)), 0

    def get_extra_state(self) -> torch.Tensor:
        return torch.tensor(self.calls)

    def set_extra_state(self, state: torch.Tensor) -> None:
        self.calls = int(state)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return features * self.scale


def test_tensors_of_every_kind_come_back_as_they_were(tmp_path: Path) -> None:
    def make() -> Scene:
        model = Odd()
        return Scene(model, [torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)])

    goes_on_equal(make, tmp_path)


def test_a_keyword_may_be_called_as_a_part_of_the_model_is(tmp_path: Path) -> None:
    def make() -> Scene:
        torch.manual_seed(0)
        model, head = nn.ModuleDict({"head": nn.Linear(4, 4)}), nn.Linear(4, 4)
        model.forward = model["head"].forward
        both = [*model.parameters(), *head.parameters()]
        return Scene(model, [torch.optim.Adam(both, lr=0.01)], head=head)

    goes_on_equal(make, tmp_path)


def test_a_training_may_grow_after_its_first_save(tmp_path: Path) -> None:
    torch.manual_seed(0)
    small = nn.Sequential(nn.Linear(4, 4))
    scene = Scene(small, [torch.optim.Adam(small.parameters())])
    first = scene.checkpointer(tmp_path)
    scene.train(range(2))
    first.save(2)
    small.append(nn.Linear(4, 4))
    scene.optimizers[0].add_param_group({"params": small[1].parameters()})
    scene.train(range(2, 4))
    first.save(4)
    first.close()
    grown = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    groups = [{"params": layer.parameters()} for layer in grown]
    again = Scene(grown, [torch.optim.Adam(groups)])
    second = again.checkpointer(tmp_path)
    assert second.resume() == 4
    second.close()
    assert differing(scene.state(), again.state()) == []


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Checkpointer]:
    one = Checkpointer(nn.Linear(4, 1), folder=tmp_path / "checkpoints", best="min")
    yield one
    one.close()


def test_what_was_saved_last_is_the_newest_also_when_steps_are_counted_anew(
    plain: Checkpointer, tmp_path: Path
) -> None:
    for step in (10, 20, 1):
        plain.save(step, wait=True)
    assert (tmp_path / "checkpoints" / "latest" / "manifest.json").exists()
    assert plain.resume() == 1


def test_one_that_was_overtaken_never_takes_the_folder_back(
    plain: Checkpointer, tmp_path: Path
) -> None:
    """A save with a metric for a step that was saved claims the folder anew; a later run's saves must still count."""
    plain.save(3, wait=True)
    later = Checkpointer(nn.Linear(4, 1), folder=tmp_path / "checkpoints")
    assert later.resume() == 3
    plain.save(3, metric=0.5, wait=True)
    later.save(4, wait=True)
    later.close()
    newest = Folder(tmp_path / "checkpoints").saved()[0]
    assert (newest.step, newest.claim) == (4, 2)


def test_one_that_is_closed_says_so_instead_of_waiting_for_ever(plain: Checkpointer) -> None:
    plain.save(1, wait=True)
    plain.close()
    assert not plain.has_saved(1)
    with pytest.raises(CheckpointError, match="is closed"):
        plain.save(1, metric=0.5)


def test_a_checkpoint_of_the_first_version_is_taken_up(tmp_path: Path) -> None:
    """Written in November 2026, before anything was kept under words: three steps of AdamW with MultiStepLR."""
    folder = tmp_path / "checkpoints"
    shutil.copytree(Path(__file__).with_name("fixtures") / "checkpoint-0001", folder)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 4])
    one = Checkpointer(model, optimizer, scheduler=scheduler, folder=folder)
    assert one.resume() == 3
    one.close()
    assert model.weight.tolist()[0] == pytest.approx([-0.2113, 0.1725], abs=1e-4)
    assert optimizer.state[model.bias]["step"].item() == 3
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.01)


def test_a_step_that_is_measured_after_its_save_can_be_the_best(
    plain: Checkpointer, tmp_path: Path
) -> None:
    plain.save(5)
    plain.save(5, metric=0.25)
    for step in (6, 7, 8):
        plain.save(step, metric=0.5, wait=True)
    folder = Folder(tmp_path / "checkpoints")
    wait_for(lambda: [one.step for one in folder.saved()] == [8, 7, 5], 60, what="pruning")
    assert manifest.read(folder.saved()[-1].path).metric == 0.25


def test_the_end_of_a_forked_child_is_not_that_of_the_writer(plain: Checkpointer) -> None:
    plain.save(1, wait=True)
    writer = plain.writer_pid
    child = os.fork()
    if not child:
        import atexit

        atexit._run_exitfuncs()
        os._exit(0)
    os.waitpid(child, 0)
    plain.save(2, wait=True)
    assert plain.writer_pid == writer


def test_a_loader_that_hands_out_nothing_is_no_endless_loop(plain: Checkpointer) -> None:
    empty = ResumableLoader(TensorDataset(torch.zeros(3, 4)), 8, drop_last=True)
    with pytest.raises(ValueError, match="yields no batch"):
        list(plain.steps(empty, total=5))
    with pytest.raises(TypeError, match="ResumableLoader"):
        list(plain.steps(DataLoader(TensorDataset(torch.zeros(3, 4))), epochs=1))


def test_what_has_no_values_or_cannot_be_gathered_is_refused(tmp_path: Path) -> None:
    with torch.device("meta"):
        shell = Checkpointer(nn.Linear(4, 4), folder=tmp_path)
    with pytest.raises(CheckpointError, match=r"model\.weight is on the meta device"):
        shell.save(1)
    shell.close()
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = nn.Linear(4, 4)
    divided = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.1)
    dist.destroy_process_group()
    with pytest.raises(DoesNotFit, match="fully_shard"):
        Checkpointer(model, divided, folder=tmp_path)


PROGRAM = """
import torch
from diamond import training

checkpointer = training.Checkpointer(torch.nn.Linear(2, 2))
checkpointer.save(checkpointer.resume() + 1)
"""


@pytest.mark.parametrize("how", ["-c", "-", "script"])
def test_a_program_saves_however_it_was_started_and_whatever_lies_beside_it(
    how: str, tmp_path: Path
) -> None:
    """Without a guard or `finish`; from a script elsewhere, a module of the working directory is not taken."""
    script = tmp_path / "code" / "train.py"
    script.parent.mkdir()
    script.write_text(PROGRAM)
    if how == "script":
        (tmp_path / "signal.py").write_text("raise SystemExit('not this one')")
    words = {"-c": ["-c", PROGRAM], "-": ["-"], "script": [str(script)]}[how]
    environ = {**os.environ, "PYTHONPATH": str(Path(diamond.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, *words], input=PROGRAM, cwd=tmp_path, env=environ, text=True, check=False
    )
    assert done.returncode == 0
    assert [one.step for one in Folder(tmp_path / "checkpoints").saved()] == [1]

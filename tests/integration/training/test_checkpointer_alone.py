"""Checkpoints of a training in one process, written by its real writer process."""

from __future__ import annotations

import copy
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed.checkpoint as dcp
from torch.utils.data import TensorDataset

from diamond.training import Checkpointer, ResumableLoader, context
from diamond.training.checkpoints import manifest
from diamond.training.checkpoints.errors import CheckpointError, DoesNotFit, NoRoom
from diamond.training.checkpoints.folder import Folder
from support.waiting import wait_for

MEGABYTE = 1 << 20


class Scene:
    """A training with everything that has to survive: dropout, batch norm, a schedule, averaged weights, the place in the data."""

    def __init__(self, folder: Path, *, width: int = 24, **options: Any) -> None:
        torch.manual_seed(5)
        layers = [torch.nn.Linear(4, width), torch.nn.BatchNorm1d(width), torch.nn.Dropout(0.3)]
        self.model = torch.nn.Sequential(*layers, torch.nn.Linear(width, 1))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.01)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 3)
        self.average = torch.optim.swa_utils.AveragedModel(self.model)
        self.loader = ResumableLoader(samples(), 4)
        self.folder = folder
        self.checkpointer = Checkpointer(
            self.model,
            self.optimizer,
            folder=folder,
            scheduler=self.scheduler,
            average=self.average,
            loader=self.loader,
            **options,
        )

    def train(self, until: int, *, save_at: int = -1) -> None:
        for done, (features, wanted) in self.checkpointer.steps(self.loader, total=until):
            self.step(features, wanted)
            if done + 1 == save_at:
                self.checkpointer.save(save_at)

    def step(self, features: torch.Tensor, wanted: torch.Tensor) -> None:
        self.optimizer.zero_grad()
        torch.nn.functional.mse_loss(self.model(features), wanted).backward()
        self.optimizer.step()
        self.scheduler.step()
        self.average.update_parameters(self.model)

    def weights(self) -> list[torch.Tensor]:
        both = [self.model.state_dict(), self.average.state_dict()]
        return [value.clone() for state in both for value in state.values()]

    def saved(self) -> list[int]:
        return [one.step for one in Folder(self.folder).saved()]

    def events(self, event: str) -> list[dict[str, Any]]:
        lines = (self.folder / "checkpoints.jsonl").read_text().splitlines()
        return [line for line in map(json.loads, lines) if line["event"] == event]


def samples() -> TensorDataset:
    features = torch.randn(30, 4, generator=torch.Generator().manual_seed(2))
    return TensorDataset(features, features.sum(1, keepdim=True))


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Any]:
    """Makes scenes in one folder, and ends their writers."""
    made: list[Scene] = []

    def make(**options: Any) -> Scene:
        made.append(Scene(tmp_path / "checkpoints", **options))
        return made[-1]

    yield make
    for one in made:
        one.checkpointer.close()


def equal(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_resumed_training_ends_with_the_same_bits_as_one_that_ran_through(
    scene: Any, tmp_path: Path
) -> None:
    whole = scene()
    whole.train(13, save_at=9)
    whole.checkpointer.wait()
    Folder(whole.folder).remove(next(one.path for one in Folder(whole.folder).saved()))
    torch.manual_seed(999)
    resumed = scene()
    resumed.train(13)
    assert resumed.events("resumed")[0]["step"] == 9
    assert equal(whole.weights(), resumed.weights())


def test_a_save_holds_the_moment_of_the_call_though_the_training_goes_on(scene: Any) -> None:
    training = scene(width=20_000)
    training.train(2)
    at_the_call = copy.deepcopy(training.model.state_dict())
    training.checkpointer.save(3)
    for features, wanted in training.loader:
        training.step(features, wanted)
    training.checkpointer.wait()
    loaded = {"model": {name: torch.zeros_like(one) for name, one in at_the_call.items()}}
    dcp.load(loaded, checkpoint_id=training.folder / "latest", no_dist=True)
    assert equal(list(loaded["model"].values()), list(at_the_call.values()))
    assert not equal(list(training.model.state_dict().values()), list(at_the_call.values()))


def test_without_an_optimizer_that_would_wait_the_copy_is_made_in_the_call(tmp_path: Path) -> None:
    model = torch.nn.Linear(2000, 2000)
    checkpointer = Checkpointer(model, folder=tmp_path / "saved")
    at_the_call = model.weight.detach().clone()
    checkpointer.save(1)
    with torch.no_grad():
        model.weight.zero_()
    checkpointer.close()
    loaded = {"model": {"weight": torch.zeros(2000, 2000)}}
    dcp.load(loaded, checkpoint_id=tmp_path / "saved" / "latest", no_dist=True)
    assert torch.equal(loaded["model"]["weight"], at_the_call)


def test_a_damaged_checkpoint_is_passed_over_with_a_word_and_the_one_before_is_taken(
    scene: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    first = scene()
    first.train(6, save_at=4)
    first.checkpointer.wait()
    shard = first.folder / "latest" / "__0_0.distcp"
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(bytes(content))
    second = scene()
    assert second.checkpointer.resume() == 4
    assert "skipping a checkpoint: step-00000006-c0001" in capfd.readouterr().err
    assert second.events("damaged")[0]["name"] == "step-00000006-c0001"
    for one in Folder(first.folder).saved():
        (one.path / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match="Move the folder away"):
        second.checkpointer.resume()


def test_the_newest_and_the_best_are_kept(scene: Any) -> None:
    training = scene(keep=2, best="min")
    for step, loss in enumerate([0.5, 0.1, 0.4, 0.3, 0.2], 1):
        training.checkpointer.save(step, loss, wait=True)
    wait_for(lambda: training.saved() == [5, 4, 2], 60, what="pruning in the background")


@pytest.mark.slow
def test_a_writer_that_is_killed_costs_one_save_and_not_the_training(
    scene: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    training = scene()
    training.checkpointer.save(1, wait=True)
    killed = training.checkpointer.writer_pid
    os.kill(killed, signal.SIGSTOP)
    training.checkpointer.save(2)
    os.kill(killed, signal.SIGKILL)
    training.checkpointer.wait()
    assert "the writer process has died" in capfd.readouterr().err
    assert training.saved() == [1]
    training.checkpointer.save(3, wait=True)
    assert training.saved() == [3, 1]
    assert [one["step"] for one in training.events("failed")] == [2]


@pytest.mark.slow
def test_a_run_that_was_superseded_saves_no_more(scene: Any) -> None:
    training = scene()
    training.checkpointer.save(1, wait=True)
    Folder(training.folder).claim({})
    training.checkpointer.save(2, wait=True)
    assert "run 2 of this folder has started" in training.events("failed")[0]["message"]
    assert training.saved() == [1]


@pytest.mark.slow
def test_a_model_that_does_not_fit_is_told_by_the_names_that_differ(scene: Any) -> None:
    scene().checkpointer.save(1, wait=True)
    other = scene()
    other.model.append(torch.nn.Linear(1, 1))
    with pytest.raises(DoesNotFit, match=r"not in the checkpoint: \['4\.bias', '4\.weight'\]"):
        other.checkpointer.resume()


@pytest.mark.slow
def test_the_stop_flag_ends_the_loop_with_everything_saved(
    scene: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "_stop_flag", context._StopFlag())
    monkeypatch.setenv("DIAMOND_STOP_FILE", str(tmp_path / "stop"))
    (tmp_path / "stop").touch()
    training = scene()
    training.train(100)
    assert training.saved() == [1]
    assert training.checkpointer.exit_code == 75


def test_a_disk_that_fills_up_in_mid_save_leaves_the_training_and_the_last_checkpoint_alone(
    small_disk: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    training = Scene(small_disk / "checkpoints", width=20_000, keep=1)
    training.train(2)
    training.checkpointer.wait()
    (small_disk / "ballast").write_bytes(bytes(5 * MEGABYTE))
    training.train(4)
    training.checkpointer.wait()
    said = capfd.readouterr().err
    assert (
        "the checkpoint of step 4 could not be written (rank 0: OSError: [Errno 28] No space"
        in said
    )
    assert "training continues" in said
    assert "No space" in training.events("failed")[0]["message"]
    assert training.saved() == [2]
    assert not list(training.folder.glob(".saving-*"))
    (small_disk / "ballast").unlink()
    training.checkpointer.save(4, wait=True)
    wait_for(lambda: training.saved() == [4], 60, what="the new checkpoint alone")
    training.checkpointer.close()


def test_without_room_for_what_is_to_be_kept_the_first_save_is_refused(small_disk: Path) -> None:
    training = Scene(small_disk / "checkpoints", width=20_000, keep=4)
    with pytest.raises(NoRoom, match="keep fewer"):
        training.train(1)
    training.checkpointer.close()


def test_a_metric_may_be_the_loss_itself(scene: Any) -> None:
    one = scene(best="min")
    loss = one.model(torch.zeros(2, 4)).square().mean()
    one.checkpointer.save(1, metric=loss, wait=True)
    assert manifest.read(Folder(one.folder).saved()[0].path).metric == pytest.approx(loss.item())


def test_the_weights_of_a_teacher_are_those_of_the_call(tmp_path: Path) -> None:
    """No optimizer trains them: they change when the program likes, also while the copy goes on."""
    torch.manual_seed(1)
    model = torch.nn.ModuleDict(
        {"student": torch.nn.Linear(4, 4), "teacher": torch.nn.Linear(900, 900)}
    )
    optimizer = torch.optim.SGD(model["student"].parameters(), lr=0.1)
    before = model["teacher"].weight.detach().clone()
    checkpointer = Checkpointer(model, optimizer, folder=tmp_path / "checkpoints")
    for step in range(1, 6):
        model["teacher"].weight.data.copy_(before)
        checkpointer.save(step)
        model["teacher"].weight.data.zero_()
    checkpointer.resume()
    checkpointer.close()
    assert torch.equal(model["teacher"].weight.detach(), before)


def test_the_loader_of_the_loop_is_saved_also_if_nobody_said_so(tmp_path: Path) -> None:
    seen: list[list[float]] = []
    for total in (3, 6):
        model, loader = torch.nn.Linear(4, 1), ResumableLoader(samples(), 4)
        checkpointer = Checkpointer(model, folder=tmp_path / "checkpoints")
        seen += [batch[0][:, 0].tolist() for _, batch in checkpointer.steps(loader, total=total)]
        checkpointer.close()
    whole = iter(ResumableLoader(samples(), 4))
    assert seen == [next(whole)[0][:, 0].tolist() for _ in range(6)]


def test_what_the_checkpoint_lacks_or_has_in_vain_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("schedule", "scheduler"):
        model = torch.nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        steps = torch.optim.lr_scheduler.StepLR(optimizer, 3)
        one = Checkpointer(model, optimizer, folder=tmp_path / "checkpoints", **{name: steps})
        if not one.resume():
            one.save(1)
        one.close()
    told = capsys.readouterr().err
    assert "scheduler was not in the checkpoint and starts fresh" in told
    assert "schedule of the checkpoint is not used" in told


def test_a_loop_that_is_asked_to_stop_at_its_last_step_has_come_to_its_end(
    scene: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "_stop_flag", context._StopFlag())
    monkeypatch.setenv("DIAMOND_STOP_FILE", str(tmp_path / "stop"))
    one = scene()
    for done, (features, wanted) in one.checkpointer.steps(one.loader, total=3):
        one.step(features, wanted)
        if done == 2:
            context._stop_flag._up = True
    assert one.checkpointer.exit_code == 0
    assert one.saved() == [3]

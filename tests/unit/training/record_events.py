# mypy: ignore-errors
"""Writes the event files beside it. Needs torch, tensorboard, tensorboardX and wandb:

python record_events.py
"""

import shutil
import tempfile
from pathlib import Path

HERE = Path(__file__).parent / "events"


def main() -> None:
    HERE.mkdir(exist_ok=True)
    record("torch.tfevents", torch_events)
    record("tensorboardx.tfevents", tensorboardx_events)
    record("tensors.tfevents", tensor_events)
    record("run-offline.wandb", wandb_rows)


def record(name, write) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        (written,) = (
            file
            for file in Path(folder).rglob("*")
            if file.suffix == Path(name).suffix or file.name.startswith("events")
        )
        shutil.copy(written, HERE / name)


def wandb_rows(folder) -> None:
    """More than two blocks; without anything about the machine."""
    import numpy
    import wandb

    plain = {"x_disable_meta": True, "x_disable_stats": True, "x_disable_machine_info": True}
    settings = wandb.Settings(
        **plain, disable_git=True, host="host", console="off", program="train.py", root_dir=folder
    )
    run = wandb.init(project="p", mode="offline", config={"lr": 0.1}, dir=folder, settings=settings)
    odd = {3: float("nan"), 4: float("inf")}
    for step in range(60):
        value = odd.get(step, 1.0)
        run.log(
            {"loss": 1 / (step + 1), "val": {"acc": step / 60}, "odd": value, "text": "x" * 300}
        )
        if step == 5:
            picture = wandb.Image(numpy.zeros((8, 8, 3), dtype=numpy.uint8), caption="black")
            run.log({"image": picture, "weights": wandb.Histogram([1, 2, 3])})
    run.finish()


def torch_events(folder) -> None:
    import numpy
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(folder)
    for step in range(3):
        writer.add_scalar("loss", 1 / (step + 1), step, walltime=1700000000.5 + step)
    writer.add_scalar("new/accuracy", 0.75, 3, walltime=1700000010, new_style=True)
    writer.add_scalar("double", 0.1, 4, walltime=1700000011, new_style=True, double_precision=True)
    writer.add_scalar("loss", float("nan"), 5, walltime=1700000012)
    writer.add_text("note", "words are no scalars", 6)
    writer.add_histogram("weights", numpy.arange(10.0), 7)
    writer.add_image("noise", numpy.zeros((3, 8, 8)), 8)
    writer.close()


def tensorboardx_events(folder) -> None:
    from tensorboardX import SummaryWriter

    writer = SummaryWriter(folder)
    for step in range(2):
        writer.add_scalar("train/loss", 0.5 * step, step, walltime=1700000000 + step)
    writer.close()


def tensor_events(folder) -> None:
    """As TensorFlow 2 writes them: a tensor, its bytes in `tensor_content`, also for a negative step."""
    import struct

    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.compat.proto.tensor_pb2 import TensorProto
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(folder)
    single = TensorProto(dtype=1, tensor_content=struct.pack("<f", 0.25))
    double = TensorProto(dtype=2, tensor_content=struct.pack("<d", 0.1))
    vector = TensorProto(dtype=1, tensor_content=struct.pack("<2f", 1, 2))
    for step, tensor in ((1, single), (-2, double), (3, vector)):
        value = Summary.Value(tag="epoch_loss", tensor=tensor)
        writer.add_event(Event(wall_time=1700000000, step=step, summary=Summary(value=[value])))
    writer.close()


if __name__ == "__main__":
    main()

"""An LSTM in Keras learns the flow of a river from the rain and warmth of the days before."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from diamond import frames, training

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("days")
parser.add_argument("--epochs", type=int, default=12)
parser.add_argument("--seed", type=int, default=1)
given = parser.parse_args()
keras.utils.set_random_seed(given.seed)
tf.config.experimental.enable_op_determinism()

rows = frames.read(given.days)
wanted = {"rain": "rains", "warmth": "warmths", "y": "target"}
loader = rows.filter("part = 'train'").loader(
    64, seed=given.seed, tensors=wanted, key=["day"], format="tensorflow"
)


def ready(batch):
    return tf.stack([batch["rain"], batch["warmth"]], axis=-1), batch["y"]


class Log(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        training.log(epoch, loss=logs["loss"])


model = keras.Sequential([keras.Input((None, 2)), keras.layers.LSTM(16), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(5e-3), loss="mse")
data = loader.tensorflow_dataset(epochs=given.epochs).map(ready)
model.fit(data, steps_per_epoch=len(loader), epochs=given.epochs, callbacks=[Log()], verbose=2)

unseen = rows.filter("part = 'test'").sort("day").to_arrow()
windows = np.stack([np.stack(unseen[name].to_pylist()) for name in ("rains", "warmths")], axis=-1)
flow = np.exp(model.predict(windows, verbose=0)[:, 0]) * unseen["scale"][0].as_py()
truth = unseen["flow"].to_numpy()
efficiency = 1 - ((truth - flow) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
training.log(given.epochs, nash_sutcliffe=float(efficiency))

Path("result").mkdir()
found = unseen.select(["day", "flow"]).append_column("predicted", [flow.astype("float64")])
frames.table(found).write("result/rows")
score = {"model": "LSTM (Keras)", "nash_sutcliffe": round(float(efficiency), 4)}
Path("result/score.json").write_text(json.dumps(score))
print(json.dumps(score))

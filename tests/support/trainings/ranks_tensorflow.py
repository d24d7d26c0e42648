"""Workers that train one number together, and say how many they are by what they have summed up."""

from __future__ import annotations

import json
import os

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
own = json.loads(os.environ["TF_CONFIG"])
rank, ranks = own["task"]["index"], len(own["cluster"]["worker"])


@tf.function
def total() -> tf.Tensor:
    return strategy.reduce(
        tf.distribute.ReduceOp.SUM, strategy.run(lambda: tf.constant(rank + 1.0)), axis=None
    )


print(f"rank {rank} of {ranks}: {int(total())}", flush=True)

"""Train one model of neuralforecast, and compare its forecast with the year that it has not seen."""

from __future__ import annotations

import argparse
import json
import logging
import time
from pathlib import Path

import torch
from neuralforecast import NeuralForecast, models

from diamond import frames, training

HORIZON, INPUT = 12, 24
SMALL = {"encoder_layers": 1, "hidden_size": 32}


def main() -> None:
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("series")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    training.seed(given.seed)
    torch.set_num_threads(1)
    rows = frames.read(given.series, "*.parquet").sort("unique_id", "ds")
    known = rows.filter("part = 'train'").select("unique_id", "ds", "y").to_pandas()
    unseen = rows.filter("part = 'test'").select("unique_id", "ds", "y").to_pandas()
    began = time.perf_counter()
    forecast = predict(given.model, known, steps=given.steps, seed=given.seed)
    seconds = time.perf_counter() - began
    write(given.model, unseen.merge(forecast, on=["unique_id", "ds"]), seconds)


def predict(name, known, *, steps, seed):
    options = {"h": HORIZON, "input_size": INPUT, "max_steps": steps, "random_seed": seed}
    options |= {"scaler_type": "standard", "enable_progress_bar": False, "logger": False}
    options |= {"enable_checkpointing": False, "enable_model_summary": False, "accelerator": "cpu"}
    if name in ("iTransformer",):
        options["n_series"] = known["unique_id"].nunique()
    if name in ("Autoformer", "FEDformer", "VanillaTransformer"):
        options |= SMALL
    if name == "TimesNet":
        options |= {"hidden_size": 16, "conv_hidden_size": 16, "encoder_layers": 1}
    fitted = NeuralForecast(models=[getattr(models, name)(**options)], freq="ME")
    fitted.fit(known)
    return fitted.predict().rename(columns={name: "forecast"})


def write(name, compared, seconds):
    if len(compared) == 0 or "forecast" not in compared:
        raise SystemExit(f"{name} made no forecast: {list(compared)}")
    error = compared["y"] - compared["forecast"]
    score = {
        "mae": float(error.abs().mean()),
        "rmse": float((error**2).mean() ** 0.5),
        "mape": float((error / compared["y"]).abs().mean() * 100),
        "seconds": round(seconds, 2),
    }
    training.log(0, **score)
    Path("score.json").write_text(json.dumps(score["mae"]))
    Path("forecast").mkdir()
    frame = compared[["unique_id", "ds", "y", "forecast"]].assign(model=name)
    frames.table(frame).write("forecast/rows")
    Path("forecast/score.json").write_text(json.dumps({"model": name, **score}))
    print(name, json.dumps(score))


if __name__ == "__main__":
    main()

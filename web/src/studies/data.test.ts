import { describe, expect, it } from "vitest";
import type { Study, TrialColumns } from "./api";
import { bestSoFar, contour, parallelAxes, parallelLines, rungs, slice } from "./data";

const trials = {
  study: "h1",
  version: 3,
  number: [0, 1, 2, 3],
  state: ["complete", "complete", "pruned", "complete"],
  params: { lr: [0.1, 0.01, 0.001, 0.05], width: [32, 64, 32, null] },
  values: [[0.5, 0.9, null, 0.7]],
  last: [0.5, 0.9, 0.1, 0.7],
  reached: [9, 9, 1, 9],
  rung: [2, 2, 1, 2],
  node_hours: [1, 1, 0.1, 1],
  started: [1, 2, 3, 4],
  ended: [10, 30, 5, 20],
  endpoint: ["a", "a", "b", "b"],
  task: ["t0", "t1", "t2", "t3"],
  message: ["", "", "at step 1", ""],
} as unknown as TrialColumns;
const study = {
  objectives: [{ name: "accuracy", direction: "maximize" }],
  space: [
    { name: "lr", kind: "float", low: 1e-5, high: 0.1, log: true, choices: [] },
    { name: "width", kind: "choice", choices: [32, 64] },
  ],
  pruner: { name: "asha", unit: "epoch", min: 1, max: 10, factor: 3, mode: "stop" },
} as unknown as Study;

describe("the data of a study's charts", () => {
  it("shows the best value in the order in which trials ended", () => {
    expect(bestSoFar(trials, true)).toEqual([
      [1, 0.5],
      [2, 0.7],
      [3, 0.9],
    ]);
    expect(bestSoFar(trials, false).at(-1)).toEqual([3, 0.5]);
  });

  it("draws a line through every axis, with a gap where a trial lacks a param", () => {
    const axes = parallelAxes(study, trials);
    expect(axes.map(({ type }) => type)).toEqual(["log", "category", "value"]);
    expect(parallelLines(axes, trials, 1)).toEqual({
      indexes: [0, 1, 3],
      lines: [
        [0.1, "32", 0.5],
        [0.01, "64", 0.9],
        [0.05, "-", 0.7],
      ],
    });
  });

  it("counts who reached a rung and who ended there", () => {
    expect(rungs(study, trials)).toEqual([
      { at: 1, reached: 4, stopped: 1 },
      { at: 3, reached: 3, stopped: 0 },
    ]);
  });

  it("leaves out trials without a value", () => {
    expect(slice(trials, "lr")).toEqual([
      [0.1, 0.5],
      [0.01, 0.9],
      [0.05, 0.7],
    ]);
    const { cells } = contour(trials, ["lr", "width"], [true, false]);
    expect(cells.reduce((sum, { count }) => sum + count, 0)).toBe(2);
  });
});

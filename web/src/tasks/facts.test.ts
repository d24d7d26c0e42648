import { expect, test } from "vitest";
import type { Schemas, Task } from "~/api/client";
import { codeFacts, minutesText, resourceFacts } from "./facts";

test("resources are shown in plain units, without what was left to the site", () => {
  const order = {
    name: "a",
    resources: {
      nodes: 2,
      gpus_per_node: 4,
      gpu_type: "a100",
      cpus_per_task: 8,
      memory_mb: 65_536,
      walltime_minutes: 150,
    },
    placement: { partition: "gpu", account: "", qos: "", reservation: "", constraint: "" },
  } as Schemas["Order"];
  expect(resourceFacts({ order, phase: "" })).toEqual([
    ["Nodes", "2"],
    ["GPUs", "4 a100 per node"],
    ["CPUs", "8"],
    ["Memory", "64 GB per node"],
    ["Time limit", "2 h 30 min"],
    ["Partition", "gpu"],
  ]);
});

test("a task without code has no code facts", () => {
  expect(codeFacts({ code: null, order: { name: "a" } } as unknown as Task)).toEqual([]);
});

test("minutes are hours and minutes", () => {
  expect([minutesText(45), minutesText(60), minutesText(61)]).toEqual([
    "45 min",
    "1 h",
    "1 h 1 min",
  ]);
});

import { expect, test } from "vitest";
import type { Series } from "./metricSet";
import { usageGroups } from "./usage";

test("all GPUs share a chart, and a measure nobody foresaw has one of its own", () => {
  const names = ["cpu_percent", "gpu0_percent", "gpu1_percent", "gpu0_memory_mb", "watts"];
  const groups = usageGroups(names.map((name) => ({ name }) as unknown as Series));
  expect(groups.map(({ title, series }) => [title, series.map(({ label }) => label)])).toEqual([
    ["CPU", ["cpu percent"]],
    ["GPU use", ["GPU 0", "GPU 1"]],
    ["GPU memory", ["GPU 0"]],
    ["watts", ["watts"]],
  ]);
});

test("nodes share the chart of their sum", () => {
  const names = [
    "cpu_percent",
    "gpu0_percent",
    "n1/cpu_percent",
    "n2/cpu_percent",
    "n1/gpu0_percent",
  ];
  const groups = usageGroups(names.map((name) => ({ name }) as unknown as Series));
  expect(groups.map(({ title, series }) => [title, series.map(({ label }) => label)])).toEqual([
    ["CPU", ["all nodes", "n1", "n2"]],
    ["GPU use", ["n1 GPU 0"]],
  ]);
});

test("what was requested is drawn for cores and memory of all nodes", () => {
  const names = ["cpu_percent", "memory_mb", "gpu0_percent"];
  const series = names.map((name) => ({ name }) as unknown as Series);
  const resources = { nodes: 2, cpus_per_task: 4, tasks_per_node: 2, memory_mb: 1024 };
  expect(usageGroups(series, resources).map(({ requested }) => requested)).toEqual([
    1600,
    2048,
    null,
  ]);
  expect(usageGroups(series)[1]?.requested).toBeNull();
});

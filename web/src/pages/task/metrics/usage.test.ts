import { expect, test } from "vitest";
import type { Series } from "./metricSet";
import { usageGroups } from "./usage";

test("all GPUs share a chart, and a measure nobody foresaw has one of its own", () => {
  const names = ["cpu_percent", "gpu0_percent", "gpu1_percent", "gpu0_memory_mb", "watts"];
  const groups = usageGroups(names.map((name) => ({ name }) as unknown as Series));
  expect(groups.map(({ title, series }) => [title, series.map(({ label }) => label)])).toEqual([
    ["CPU (% of one core)", ["cpu percent"]],
    ["GPU use (%)", ["GPU 0", "GPU 1"]],
    ["GPU memory (MB)", ["GPU 0"]],
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
    ["CPU (% of one core)", ["all nodes", "n1", "n2"]],
    ["GPU use (%)", ["n1 GPU 0"]],
  ]);
});

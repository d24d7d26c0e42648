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

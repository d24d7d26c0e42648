import type { Series } from "./metricSet";

type Group = { title: string; series: { label: string; item: Series }[] };

const TITLES: Record<string, string> = {
  cpu_percent: "CPU (% of one core)",
  memory_mb: "Memory (MB)",
  gpu_percent: "GPU use (%)",
  gpu_memory_mb: "GPU memory (MB)",
};

/** One chart per kind of measurement; all GPUs of a node share one. */
export function usageGroups(items: Series[]): Group[] {
  const groups = new Map<string, Group>();
  for (const item of items) {
    const gpu = item.name.match(/^gpu(\d+)_(.+)$/);
    const kind = gpu ? `gpu_${gpu[2]}` : item.name;
    const group = groups.get(kind) ?? { title: TITLES[kind] ?? kind, series: [] };
    group.series.push({ label: gpu ? `GPU ${gpu[1]}` : item.name.replaceAll("_", " "), item });
    groups.set(kind, group);
  }
  return [...groups.values()];
}

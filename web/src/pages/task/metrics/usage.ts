import type { Series } from "./metricSet";

type Group = { title: string; series: { label: string; item: Series }[] };

const TITLES: Record<string, string> = {
  cpu_percent: "CPU (% of one core)",
  memory_mb: "Memory (MB)",
  gpu_percent: "GPU use (%)",
  gpu_memory_mb: "GPU memory (MB)",
};

/** One chart per kind of measurement; all GPUs share one, and so do the nodes (`node/name`) and their sum. */
export function usageGroups(items: Series[]): Group[] {
  const groups = new Map<string, Group>();
  for (const item of items) {
    const slash = item.name.lastIndexOf("/");
    const node = item.name.slice(0, Math.max(slash, 0));
    const measure = item.name.slice(slash + 1);
    const gpu = measure.match(/^gpu(\d+)_(.+)$/);
    if (gpu && !node && items.some(({ name }) => name.endsWith(`/${measure}`))) continue;
    const kind = gpu ? `gpu_${gpu[2]}` : measure;
    const group = groups.get(kind) ?? { title: TITLES[kind] ?? kind, series: [] };
    group.series.push({ label: labelOf(node, measure, gpu?.[1], hasNodes(items)), item });
    groups.set(kind, group);
  }
  return [...groups.values()];
}

function hasNodes(items: Series[]): boolean {
  return items.some(({ name }) => name.includes("/"));
}

function labelOf(node: string, measure: string, gpu: string | undefined, several: boolean): string {
  if (gpu) return [node, `GPU ${gpu}`].filter(Boolean).join(" ");
  if (node) return node;
  return several ? "all nodes" : measure.replaceAll("_", " ");
}

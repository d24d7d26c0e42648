import type { Task } from "~/api/client";
import type { Series } from "./metricSet";

export type Group = {
  title: string;
  unit: string;
  series: { label: string; item: Series }[];
  /** What was requested for the whole task; null where nothing was. */
  requested: number | null;
};
type Resources = NonNullable<Task["order"]["resources"]>;

const KINDS: Record<string, { title: string; unit: string }> = {
  cpu_percent: { title: "CPU", unit: "% of one core" },
  memory_mb: { title: "Memory", unit: "MB" },
  gpu_percent: { title: "GPU use", unit: "%" },
  gpu_memory_mb: { title: "GPU memory", unit: "MB" },
  gpu_power_watts: { title: "GPU power", unit: "W" },
  energy_joules: { title: "Energy since the start", unit: "J" },
};

/** One chart per kind of measurement; all GPUs share one, and so do the nodes (`node/name`) and their sum. */
export function usageGroups(items: Series[], resources: Partial<Resources> = {}): Group[] {
  const groups = new Map<string, Group>();
  for (const item of items) {
    const slash = item.name.lastIndexOf("/");
    const node = item.name.slice(0, Math.max(slash, 0));
    const measure = item.name.slice(slash + 1);
    const gpu = measure.match(/^gpu(\d+)_(.+)$/);
    if (gpu && !node && items.some(({ name }) => name.endsWith(`/${measure}`))) continue;
    const kind = gpu ? `gpu_${gpu[2]}` : measure;
    const group = groups.get(kind) ?? {
      ...(KINDS[kind] ?? { title: kind, unit: "" }),
      series: [],
      requested: requestedOf(kind, resources),
    };
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

function requestedOf(kind: string, resources: Partial<Resources>): number | null {
  const nodes = resources.nodes ?? 1;
  const cores = (resources.cpus_per_task ?? 1) * (resources.tasks_per_node ?? 1) * nodes;
  if (kind === "cpu_percent") return 100 * cores;
  if (kind === "memory_mb" && resources.memory_mb) return resources.memory_mb * nodes;
  return null;
}

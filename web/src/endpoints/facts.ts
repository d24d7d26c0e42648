import type { Endpoint, Schemas } from "~/api/client";
import { count, duration, formatBytes, MEGABYTE } from "~/lib/format";

export type Profile = Schemas["Profile"];
export type Partition = Schemas["Partition"];
export type Scheduler = Schemas["Scheduler"];
export type FactName = (typeof FACTS)[number]["name"];
type ValueOf<K extends FactName> = NonNullable<Schemas["Facts"][K]>["value"];

/** The facts of a site profile, in the order in which people ask for them. */
export const FACTS = [
  { name: "scheduler", label: "Batch system", about: "The program that queues and starts jobs." },
  { name: "cluster", label: "Cluster", about: "Agents on the same cluster share status queries." },
  { name: "partitions", label: "Partitions", about: "Queues with their nodes, GPUs and limits." },
  { name: "accounts", label: "Accounts", about: "Your allocations, charged for jobs." },
  {
    name: "qos",
    label: "Service levels (QoS)",
    about: "Service levels with their own priorities and limits.",
  },
  { name: "free", label: "Free now", about: "Idle nodes and GPUs." },
  { name: "gpus", label: "GPUs", about: "Types and counts on this machine." },
  { name: "cores", label: "Processor cores", about: "On this machine." },
  { name: "memory_mb", label: "Memory", about: "On this machine, in MB." },
  {
    name: "flags",
    label: "Batch system flags",
    about: "Which flags the site accepts, rejects or requires.",
  },
  {
    name: "modules",
    label: "Set-up commands",
    about: "Run before the program, for example: module load python",
  },
  {
    name: "folders",
    label: "Folders",
    about: "Paths, quotas, and when the site deletes old files.",
  },
  { name: "runtimes", label: "Container tools", about: "On login and compute nodes." },
  { name: "internet", label: "Internet", about: "Access from login and compute nodes." },
  { name: "python", label: "Python", about: "Versions on login and compute nodes." },
  { name: "charge", label: "Charge rates", about: "Units per node-hour." },
] as const;

/** The value in effect, as decided by the service. */
export function factOf<K extends FactName>(profile: Profile, name: K): ValueOf<K> | undefined {
  return (profile.values?.[name] ?? undefined) as ValueOf<K> | undefined;
}

/** "Slurm 22.05.8". */
export function schedulerText(profile: Profile): string {
  const scheduler = factOf(profile, "scheduler");
  return scheduler ? schedulerName(scheduler) : "not probed yet";
}

export function schedulerName({ name, version, abilities }: Scheduler): string {
  if (abilities?.runs_on_this_node) return "no batch system, jobs start immediately";
  const shown = name.charAt(0).toUpperCase() + name.slice(1);
  return [shown, version].filter(Boolean).join(" ");
}

/** "alice@login1", or empty before the agent has connected. */
export function hostText(endpoint: Pick<Endpoint, "user" | "host">): string {
  return endpoint.host ? `${endpoint.user}@${endpoint.host}` : "";
}

const CARRIERS: Record<Endpoint["carrier"], string> = {
  local: "this machine",
  ssh: "via ssh",
  https: "paired",
};

export function carrierText(endpoint: Pick<Endpoint, "carrier">): string {
  return CARRIERS[endpoint.carrier];
}

/** "4 × a100, 2 × v100"; empty if there are none. */
export function gpuText(gpus: Record<string, number> | null | undefined): string {
  return Object.entries(gpus ?? {})
    .filter(([, many]) => many > 0)
    .map(([type, many]) => `${many} × ${type}`)
    .join(", ");
}

/** "at most 2 h, 4 nodes"; empty without limits. */
export function limitText(partition: Partition): string {
  const limits = [
    partition.max_minutes != null && duration(partition.max_minutes * 60),
    partition.max_nodes != null && count(partition.max_nodes, "node"),
    partition.submit_limit != null && count(partition.submit_limit, "job"),
  ].filter(Boolean);
  return limits.length ? `at most ${limits.join(", ")}` : "";
}

/** "apptainer 1.1.9" for each tool; an unknown version is left out. */
export function toolTexts(tools: Record<string, string> | null | undefined): string[] {
  return Object.entries(tools ?? {}).map(([name, version]) => `${name} ${version}`.trim());
}

/** Default first, then those with GPUs, then by name. */
export function sortPartitions(partitions: Partition[]): Partition[] {
  const rank = (partition: Partition) =>
    partition.default ? 0 : gpuText(partition.gpus_per_node) ? 1 : 2;
  return [...partitions].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

export type Availability = { free: number; total: number; unit: string };

/** Free GPUs of a partition if it has any, otherwise free nodes. */
export function availabilityOf(profile: Profile, partition: Partition): Availability | null {
  const now = factOf(profile, "free")?.[partition.name];
  if (!now) return null;
  const nodes = now.nodes_total ?? partition.nodes_total ?? 0;
  const gpus = sum(Object.values(partition.gpus_per_node ?? {})) * nodes;
  if (gpus > 0 && now.gpus_idle != null) return { free: now.gpus_idle, total: gpus, unit: "GPU" };
  return now.nodes_idle == null ? null : { free: now.nodes_idle, total: nodes, unit: "node" };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, value) => total + value, 0);
}

/** "2 nodes with 8 CPUs, 16.0 GB, 4 × a100". */
export function nodesText(partition: Partition): string {
  const { nodes_total: nodes, cpus_per_node: cpus, memory_mb_per_node: memory } = partition;
  const each = [
    cpus != null && count(cpus, "CPU"),
    memory != null && formatBytes(memory * MEGABYTE),
    gpuText(partition.gpus_per_node),
  ].filter(Boolean);
  const many = nodes == null ? "nodes" : count(nodes, "node");
  return each.length ? `${many} with ${each.join(", ")}` : many;
}

export const FOLDER_LABELS: Record<string, string> = {
  keep: "Keep (key, secrets)",
  work: "Work (runs, environments)",
  tmp: "Temporary",
};

type Folder = NonNullable<ReturnType<typeof factOf<"folders">>>[string];

/** "75.4 GB free, quota 1.0 TB, files deleted after 30 days". */
export function folderText(folder: Folder | undefined): string {
  if (!folder) return "";
  const facts = [
    folder.free_bytes != null && `${formatBytes(folder.free_bytes)} free`,
    folder.quota_bytes && `quota ${formatBytes(folder.quota_bytes)}`,
    folder.quota_files && `at most ${count(folder.quota_files, "file")}`,
    folder.purge_days && `files deleted after ${count(Number(folder.purge_days), "day")}`,
  ];
  return facts.filter(Boolean).join(", ");
}

/** "1,204.5 node-hours left". Sites that report balances use these names. */
export function balanceText(account: object): string {
  const { balance, unit } = account as { balance?: number | null; unit?: string };
  return balance == null ? "" : `${balance.toLocaleString()} ${unit ?? "units"} left`;
}
